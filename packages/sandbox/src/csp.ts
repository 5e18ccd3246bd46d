// From `_meta.ui` of a resource to the policy of one View. Deny by default: a domain is granted
// only if the grammar parses it, the operator's policy allows it and it fits; others are left out
// and reported to the author. A View is never rejected for its declarations.

import type { McpUiResourceCsp, McpUiResourcePermissions } from "@vitrine/protocol/apps";
import { sha256Hex } from "./digest.ts";
import { DOMAIN_LISTS, readDomains } from "./domains.ts";
import type { Approval, DomainList, OperatorPolicy } from "./operator-policy.ts";
import { isRecord, ownKeys, ownValue } from "./own-properties.ts";
import { buildPermissions } from "./permissions-policy.ts";
import { type Rejected, rejected } from "./rejection.ts";

/** What one View may do, as headers and as a description. */
export interface ViewPolicy {
  /** `Content-Security-Policy` without the directives that depend on where the View is shown. */
  directives: readonly (readonly [name: string, value: string])[];
  /** `Connection-Allowlist` without its `report-to`. */
  connectionAllowlist: string;
  permissionsPolicy: string;
  /** `allow` attribute of the frames. */
  allow: string;
  /** For `hostCapabilities.sandbox`. */
  grant: { csp: McpUiResourceCsp; permissions: McpUiResourcePermissions };
  /** Every origin that can receive data from the View, from all lists. */
  egress: readonly string[];
  rejected: readonly Rejected[];
  /** Declarations that could be granted with consent. */
  needsConsent: readonly Approval[];
}

/** Bytes of a header at most. */
export const LONGEST_HEADER = 8192;
// The part of it for the fixed directives and those of `viewHeaders`.
const reserved = 2048;
const mostKeys = 16;

/** Builds the policy of a View from its `_meta.ui`; pure, and never throws. */
export function buildPolicy(meta: unknown, operator: OperatorPolicy = {}): ViewPolicy {
  const { hostFonts: fonts = [] } = operator;
  // They are in two directives.
  const budget = { left: LONGEST_HEADER - reserved - 2 * fonts.join(" ").length };
  const refused = metaFaults(meta);
  const needsConsent: Approval[] = [];
  const csp = ownValue(meta, "csp");
  const read = (list: DomainList): string[] => {
    const { sources, faults, wishes } = readDomains(csp, list, { operator, budget });
    refused.push(...faults);
    needsConsent.push(...wishes);
    return sources;
  };
  const [connect = [], resource = [], frame = [], baseUri = []] = DOMAIN_LISTS.map(read);
  const permissions = buildPermissions(ownValue(meta, "permissions"), operator);
  // The allowlist judges sockets by the address they are opened with, where `wss` never matches.
  const reachable = [...connect, ...resource, ...frame, ...baseUri, ...fonts].map(toHttp);
  const egress = [...new Set(reachable)].sort();
  return {
    directives: writeDirectives({ connect, resource, frame, baseUri }, operator),
    connectionAllowlist: writeAllowlist(egress, operator),
    permissionsPolicy: permissions.header,
    allow: permissions.allow,
    grant: { csp: grantOf([connect, resource, frame, baseUri]), permissions: permissions.grant },
    egress,
    rejected: [...refused, ...permissions.rejected],
    needsConsent,
  };
}

function metaFaults(meta: unknown): Rejected[] {
  const csp = ownValue(meta, "csp");
  const domain = ownValue(meta, "domain");
  const faults: Rejected[] = [];
  if (meta !== undefined && !isRecord(meta)) faults.push(rejected("ui", meta, "not-an-object"));
  if (csp !== undefined && !isRecord(csp)) faults.push(rejected("csp", csp, "not-an-object"));
  for (const key of ownKeys(csp, mostKeys)) {
    if (!(DOMAIN_LISTS as readonly string[]).includes(key)) {
      faults.push(rejected("csp", key, "unknown-list"));
    }
  }
  // A server that chose its label could choose another app's (E109). The registry takes this back if the
  // operator gave it to this server.
  if (domain !== undefined) faults.push(rejected("domain", domain, "domain"));
  return faults;
}

interface Sources {
  connect: readonly string[];
  resource: readonly string[];
  frame: readonly string[];
  baseUri: readonly string[];
}

function writeDirectives(
  { connect, resource, frame, baseUri }: Sources,
  { unsafeEval, baseUri: fallback, hostFonts = [] }: OperatorPolicy,
): [string, string][] {
  const join = (...tokens: (string | readonly string[])[]): string => tokens.flat().join(" ");
  // `'self'` isn't used: the View's origin serves one document only. `data:` and `blob:`
  // name no server; without them workers, canvases and previews of files do not work.
  const code = ["'unsafe-inline'", "'wasm-unsafe-eval'", ...(unsafeEval ? ["'unsafe-eval'"] : [])];
  return [
    ["default-src", "'none'"],
    ["script-src", join(code, "blob:", "data:", resource)],
    ["style-src", join("'unsafe-inline'", "blob:", "data:", merge(resource, hostFonts))],
    ["img-src", join("data:", "blob:", resource)],
    ["font-src", join("data:", "blob:", merge(resource, hostFonts))],
    ["media-src", join("data:", "blob:", resource)],
    ["connect-src", join("data:", "blob:", connect)],
    // Without `'self'` there is no service worker that would outlive the View (C61).
    ["worker-src", "blob: data:"],
    ["frame-src", frame.length > 0 ? join(frame) : "'none'"],
    ["object-src", "'none'"],
    ["manifest-src", "'none'"],
    ["base-uri", baseUri.length > 0 ? join(baseUri) : fallback === "self" ? "'self'" : "'none'"],
    // Has no fall-back to `default-src`; without it a form carries data anywhere (B34).
    ["form-action", "'none'"],
  ];
}

function writeAllowlist(egress: readonly string[], { webrtc }: OperatorPolicy): string {
  // Redirects are blocked by default, also within one origin; the policy above checks each hop.
  const list = egress.map((source) => `"${source}"`).join(" ");
  return `(${list});redirects=allow${webrtc ? ";webrtc=allow" : ""}`;
}

function merge(...sources: (readonly string[])[]): string[] {
  return [...new Set(sources.flat())].sort();
}

function toHttp(source: string): string {
  return source.replace(/^ws/, "http");
}

function grantOf(sources: readonly (readonly string[])[]): McpUiResourceCsp {
  const csp: McpUiResourceCsp = {};
  for (const [at, list] of DOMAIN_LISTS.entries()) {
    const granted = sources[at] ?? [];
    if (granted.length > 0) csp[list] = [...granted];
  }
  return csp;
}

/** SHA-256 of what a browser enforces, in hexadecimal: two Views share an origin only if it is equal. */
export async function policyHash(policy: ViewPolicy): Promise<string> {
  const { directives, connectionAllowlist, permissionsPolicy, allow } = policy;
  // Lists in a fixed order, each sorted: this JSON is canonical by construction.
  const text = JSON.stringify([directives, connectionAllowlist, permissionsPolicy, allow]);
  return sha256Hex(text);
}
