// Takes Views in and gives them out: what `register` promises and what the routes serve.

import { buildPolicy, policyHash, type ViewPolicy } from "./csp.ts";
import { randomName, sha256Hex } from "./digest.ts";
import { sandboxError } from "./errors.ts";
import { proxyHeaders, viewHeaders } from "./headers.ts";
import { type Approval, checkNames, type OperatorPolicy } from "./operator-policy.ts";
import type { Origins, ViewIdentity } from "./origins.ts";
import { writeHeldView, writePage } from "./page.ts";
import type { PermissionName } from "./permissions-policy.ts";
import { type Rejected, showValue } from "./rejection.ts";
import { intersectFlags } from "./sandbox-flags.ts";
import type { ViewStore } from "./view-store.ts";

/** A View to be shown. */
export interface ViewRegistration extends ViewIdentity {
  /** The document, byte for byte as it will be served in UTF-8. */
  html: string;
  /** `_meta.ui` of the resource, as the server sent it. */
  meta?: unknown;
  /** Flags a Host wishes for the frame; it gets those that are harmless (SBX-14). */
  sandbox?: string;
  /** The one page of those configured that will embed it. */
  host?: string;
  /** What differs from the operator's policy for this View, such as what its user approved. */
  policy?: OperatorPolicy;
  /** Load it as text alone, which becomes a document when the Host sends `{ mount: true }`. */
  hold?: boolean;
}

/** A View that waits to be opened. */
export interface RegisteredView {
  /** Names it in diagnostics. */
  viewId: string;
  /** For `src` of the Host's frame; to be opened before `expires`. */
  proxyUrl: string;
  proxyOrigin: string;
  /** Origin of its messages as the proxy sees them; `"null"` where it has none. */
  viewOrigin: string;
  /** For `allow` of the Host's frame. */
  allow: string;
  /** Flags of the inner frame. */
  sandbox: string;
  /** For `hostCapabilities.sandbox`. */
  grant: ViewPolicy["grant"];
  /** Every origin that can learn what the View knows. */
  egress: readonly string[];
  /** What was left out, with reasons. */
  rejected: readonly Rejected[];
  /** What could be granted if somebody said yes. */
  needsConsent: readonly Approval[];
  policyHash: string;
  /** SHA-256 of the document, in hexadecimal. */
  htmlHash: string;
  /** When it can no longer be opened, in milliseconds. */
  expires: number;
}

/** What of it a Host hears over its port, whoever registered the View. */
type RegistrationFacts = Pick<
  RegisteredView,
  "viewId" | "grant" | "egress" | "rejected" | "htmlHash" | "policyHash"
>;

/** A response as it waits in the store. */
export interface StoredResponse {
  headers: Record<string, string>;
  body: string;
}

/** Whose reports arrive. */
export type ReportSubject = Pick<RegisteredView, "viewId"> &
  Pick<ViewIdentity, "server" | "resource">;

/** Upper bounds and times of a Sandbox. */
export interface SandboxLimits {
  /** Bytes of a document. */
  html: number;
  /** Milliseconds in which a View has to be opened. */
  viewTime: number;
  /** The same for a View that is held. */
  heldTime: number;
  /** Reports taken for one View. */
  reports: number;
  /** Milliseconds in which reports are taken. */
  reportTime: number;
}

/** The desk of one Sandbox. */
export interface ViewDesk {
  register(view: ViewRegistration, mode: "port" | "window"): Promise<RegisteredView>;
  /** The relay's page of a View, while it waits. */
  openPage(pageId: string): Promise<StoredResponse | undefined>;
  /** The document of a View, once. */
  takeView(host: string, viewId: string): Promise<StoredResponse | undefined>;
  reportSubject(host: string, viewId: string): Promise<ReportSubject | undefined>;
}

/** What a desk works with. */
export interface DeskOptions {
  operator: OperatorPolicy;
  store: ViewStore;
  limits: SandboxLimits;
  clock: () => number;
  scriptHash: Promise<string>;
  /** Bounds for messages, as the relay knows them. */
  relayLimits: object;
}

// What the store keeps of a relay's page; the page itself is written when it is asked for.
interface StoredPage {
  hosts: string[];
  view: string;
  hold?: true;
  viewOrigin: string;
  mode: "port" | "window";
  registered?: RegistrationFacts;
  allow: string;
  sandbox: string;
  permissions: PermissionName[];
}

/** Opens a desk. */
export function createDesk(origins: Origins, options: DeskOptions): ViewDesk {
  const { store, limits, operator } = options;
  const { proxy, prefix, opaque, oneSite } = origins;
  return {
    register: async (view, mode) => {
      const { html, server, resource } = checkView(view, limits.html);
      const hosts = pickHosts(origins, view.host);
      const rules = joinPolicies(operator, checkNames(view.policy ?? {}));
      const policy = buildPolicy(view.meta, { ...rules, opaque });
      const hash = await policyHash(policy);
      const served = await origins.viewOrigin(view, hash);
      const sandbox = intersectFlags(origins.sandbox, view.sandbox);
      const [viewId, pageId] = [randomName(), randomName()];
      const [address, name] = [`${served}${prefix}`, new URL(served).host];
      const reportUrl = `${address}/r/${viewId}`;
      const placing = { hosts, proxy, opaque, oneSite, sandbox, reportUrl };
      const proxyOrigin = opaque ? "null" : proxy;
      // Only over a port can a Host say when, and only a script can wait for it.
      const isHeld = view.hold === true && mode === "port" && sandbox.includes("allow-scripts");
      const { allow, grant, egress, rejected, needsConsent } = policy;
      const htmlHash = await sha256Hex(html);
      const registered = { viewId, grant, egress, rejected, htmlHash, policyHash: hash };
      const page: StoredPage = {
        hosts,
        view: `${address}/v/${viewId}`,
        ...(isHeld && { hold: true }),
        viewOrigin: served,
        mode,
        ...(mode === "port" && { registered }),
        allow,
        sandbox,
        permissions: Object.keys(grant.permissions) as PermissionName[],
      };
      const subject: ReportSubject = { viewId, server, resource };
      const ttl = isHeld ? limits.heldTime : limits.viewTime;
      const expires = options.clock() + ttl;
      const put = (key: string, value: object, ttl: number): Promise<void> =>
        store.put(key, JSON.stringify(value), { ttl });
      const stored: StoredResponse = {
        headers: viewHeaders(policy, placing),
        body: isHeld ? writeHeldView(html, proxyOrigin) : html,
      };
      await put(`view:${name}/${viewId}`, stored, ttl);
      await put(`reports:${name}/${viewId}`, subject, limits.reportTime);
      await put(`page:${pageId}`, page, ttl);
      return {
        ...registered,
        proxyUrl: `${proxy}${prefix}/p/${pageId}`,
        proxyOrigin,
        viewOrigin: sandbox.includes("allow-same-origin") ? served : "null",
        allow,
        sandbox,
        needsConsent,
        expires,
      };
    },

    openPage: async (pageId) => {
      const text = await store.get(`page:${pageId}`);
      if (text === undefined) return undefined;
      const { viewOrigin, permissions, ...page } = JSON.parse(text) as StoredPage;
      const headers = proxyHeaders({
        hosts: page.hosts,
        scriptHash: await options.scriptHash,
        viewUrl: page.view,
        viewOrigin,
        opaque,
        permissions,
      });
      const origin = opaque ? "null" : viewOrigin;
      return { headers, body: writePage({ ...page, origin, limits: options.relayLimits }) };
    },

    // The host is part of the key: asked for under another name, nothing is found and nothing used up.
    takeView: async (host, viewId) => read(await store.take(`view:${host}/${viewId}`)),
    reportSubject: async (host, viewId) => read(await store.get(`reports:${host}/${viewId}`)),
  };
}

/** What is closed for all stays closed for each. */
function joinPolicies(all: OperatorPolicy, own: OperatorPolicy): OperatorPolicy {
  return {
    ...all,
    ...own,
    blockDomains: [...(all.blockDomains ?? []), ...(own.blockDomains ?? [])],
    ownDomains: [...(all.ownDomains ?? []), ...(own.ownDomains ?? [])],
  };
}

function read<Value>(text: string | undefined): Value | undefined {
  return text === undefined ? undefined : JSON.parse(text);
}

function checkView(view: ViewRegistration, most: number): ViewRegistration {
  const { html, server, resource, tenant = "", user = "" } = view;
  if (typeof html !== "string") throw sandboxError("bad-html", showValue(html));
  for (const [name, value] of Object.entries({ server, resource, tenant, user })) {
    // `undefined` in a signed list would read as `null`: two apps with one name.
    if (typeof value !== "string") throw sandboxError("bad-identity", name);
  }
  // Half of a surrogate pair has no bytes, so it could only be served as something else (E103).
  if (/\p{Cs}/u.test(html)) throw sandboxError("bad-html", "text with half characters");
  const bytes = html.length > most ? html.length : new TextEncoder().encode(html).length;
  if (bytes > most) throw sandboxError("large-html", `more than ${most} bytes`);
  return view;
}

function pickHosts({ hosts }: Origins, host: string | undefined): string[] {
  if (host === undefined) return [...hosts];
  if (!hosts.includes(host)) throw sandboxError("bad-origin", host);
  return [host];
}
