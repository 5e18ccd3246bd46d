// `_meta.ui` as hosts want it. What an author declares is read by the grammar of the Sandbox, at the
// start and aloud: a host leaves out what it cannot grant without a word, and the View stays blank.

import {
  describeMismatch,
  type McpUiResourceCsp,
  type McpUiResourceMeta,
  type McpUiResourcePermissions,
  type McpUiToolMeta,
  RESOURCE_URI_META_KEY,
  validateMeta,
} from "@vitrine/protocol/apps";
import { buildPolicy, type OperatorPolicy } from "@vitrine/sandbox/policy";
import { checkDomain } from "./client-domain.ts";
import { serverError } from "./errors.ts";
import { isRecord } from "./json-schema.ts";
import { checkUiUri } from "./ui-uri.ts";
import type { Warn } from "./warnings.ts";

/** What a declaration may name beyond the public internet. */
export interface DeclarationOptions {
  /** Accept `http` and `ws` on loopback, which no host in production does. */
  dev?: boolean | undefined;
  /** Zones of a network where the hosts' operators allow them too. */
  internalDomains?: readonly string[] | undefined;
}

type Meta = Record<string, unknown>;

/** `_meta` of a tool with both keys (SRV-16), its address and visibility checked. */
export function normaliseToolMeta(tool: string, meta: Meta): Meta {
  const named = `Tool "${tool}"`;
  const { ui = {}, [RESOURCE_URI_META_KEY]: flat } = meta;
  if (!isRecord(ui)) throw serverError("bad-metadata", `${named}: _meta.ui has to be an object`);
  const { csp, permissions, visibility, resourceUri: nested, ...rest } = ui;
  if (csp !== undefined || permissions !== undefined) {
    throw serverError(
      "policy-on-tool",
      `${named} declares ${csp === undefined ? "permissions" : "csp"}`,
    );
  }
  if (nested !== undefined && flat !== undefined && nested !== flat) {
    throw serverError("two-resources", named);
  }
  const given = nested ?? flat;
  const uri = given === undefined ? undefined : checkUiUri(given);
  const seen = visibility === undefined ? undefined : checkVisibility(named, visibility);
  return {
    ...meta,
    ui: { ...rest, ...(uri && { resourceUri: uri }), ...(seen && { visibility: seen }) },
    ...(uri && { [RESOURCE_URI_META_KEY]: uri }),
  };
}

function checkVisibility(named: string, visibility: unknown): McpUiToolMeta["visibility"] {
  const known = ["model", "app"] as const;
  const list = Array.isArray(visibility) ? visibility : [];
  // An empty list would hide the tool from everybody, and a misspelt one is read by each host its own way.
  if (list.length === 0 || !list.every((one) => known.includes(one))) {
    throw serverError("bad-visibility", `${named}: ${JSON.stringify(visibility)}`);
  }
  return known.filter((one) => list.includes(one));
}

const EVERY_PERMISSION = ["camera", "microphone", "geolocation", "clipboardWrite"] as const;

/** `_meta.ui` of a resource: domains in the form of a policy, sorted; throws at what is refused. */
export function normaliseResourceMeta(
  uri: string,
  ui: unknown,
  { dev = false, internalDomains = [] }: DeclarationOptions = {},
): McpUiResourceMeta {
  if (ui === undefined) return {};
  const valid = validateMeta("resource", ui);
  if (!valid.ok) throw serverError("bad-metadata", `${uri}: ${describeMismatch(valid)}`);
  const { csp: _csp, permissions: _permissions, domain, ...rest } = valid.value;
  const { csp, permissions } = grantable(uri, valid.value, { dev, internalDomains });
  return {
    ...rest,
    ...(csp && Object.keys(csp).length > 0 && { csp }),
    ...(permissions && Object.keys(permissions).length > 0 && { permissions }),
    ...(domain !== undefined && { domain: checkDomain(uri, domain) }),
  };
}

function grantable(
  uri: string,
  ui: McpUiResourceMeta,
  options: { dev: boolean; internalDomains: readonly string[] },
): { csp: McpUiResourceCsp; permissions: McpUiResourcePermissions } {
  const operator: OperatorPolicy = { ...options, permissions: EVERY_PERMISSION };
  // Frames and wildcards want somebody's yes, which is the host's to ask for: here they are granted.
  const { needsConsent } = buildPolicy(ui, operator);
  const { grant, rejected } = buildPolicy(ui, { ...operator, approved: needsConsent });
  // `domain` is for other hosts than those that derive the origin themselves.
  const refused = rejected.filter(({ code }) => code !== "domain");
  if (refused.length > 0) {
    const reasons = refused.map(({ reason }) => reason).join(" ");
    throw serverError("refused-declaration", `${uri}: ${reasons}`);
  }
  return grant;
}

/** SRV-09: hosts differ in what they do when it is not said. */
export function warnOfBorder(uri: string, { prefersBorder }: McpUiResourceMeta, warn: Warn): void {
  if (prefersBorder !== undefined) return;
  const message = `${uri} does not say prefersBorder, and hosts differ in what they then do (SRV-09). Set it to true or false.`;
  warn({ code: "border-unsaid", about: uri, message });
}
