// Registers Views and serves them once.

import type { AnonymousLimits } from "./anonymous-quota.ts";
import { buildPolicy, policyHash, type ViewPolicy } from "./csp.ts";
import { randomName, sha256Hex } from "./digest.ts";
import { sandboxError } from "./errors.ts";
import { guardDocument } from "./guarded-document.ts";
import { embedderPolicyOf, proxyHeaders, viewHeaders } from "./headers.ts";
import { isWildcard, narrowHosts } from "./host-pattern.ts";
import { type Approval, checkNames, type OperatorPolicy } from "./operator-policy.ts";
import type { Origins, ViewIdentity, ViewVersion } from "./origins.ts";
import { writeHeldView, writePage } from "./page.ts";
import type { PermissionName } from "./permissions-policy.ts";
import { type Rejected, showValue } from "./rejection.ts";
import { intersectFlags } from "./sandbox-flags.ts";
import { type StableDomain, stableOriginOf } from "./stable-domains.ts";
import type { ViewStore } from "./view-store.ts";

/** A View to be shown. */
export interface ViewRegistration extends ViewIdentity {
  /** The document. It is served in UTF-8 as it is, with the guard's script at the start of its head. */
  html: string;
  /** `_meta.ui` of the resource, as the server sent it. */
  meta?: unknown;
  /** Flags that a Host requests for the frame; only the harmless ones are applied (SBX-14). */
  sandbox?: string;
  /** The one page of those configured that will embed it. */
  host?: string;
  /** What differs from the operator's policy for this View, such as what its user approved. */
  policy?: OperatorPolicy;
  /** Load it as text only, which becomes a document when the Host sends `{ mount: true }`. */
  hold?: boolean;
}

/** A View that hasn't been opened yet. */
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
  /** Every origin that can receive data from the View. */
  egress: readonly string[];
  /** Declarations that were left out, with reasons. */
  rejected: readonly Rejected[];
  /** Declarations that could be granted with consent. */
  needsConsent: readonly Approval[];
  policyHash: string;
  /** SHA-256 of the document as it was registered, without the guard, in hexadecimal. */
  htmlHash: string;
  /** When it can no longer be opened, in milliseconds. */
  expires: number;
}

/** The part that a Host receives over its port, for every way of registration. */
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
export interface SandboxLimits extends AnonymousLimits {
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

/** How a View is registered. */
export interface RegisterOptions {
  /** How the relay talks to the Host. */
  mode: "port" | "window";
  /** The identity isn't verified: it is used in diagnostics only, and the origin is random. */
  isAnonymous?: boolean;
  /** The page that embeds the entrance, according to itself. */
  embedder?: string | undefined;
}

/** The registry of one Sandbox. */
export interface ViewRegistry {
  register(view: ViewRegistration, options: RegisterOptions): Promise<RegisteredView>;
  /** The relay's page of a View, while it waits. */
  openPage(pageId: string, referrer?: string): Promise<StoredResponse | undefined>;
  /** The document of a View, once. */
  takeView(host: string, viewId: string): Promise<StoredResponse | undefined>;
  reportSubject(host: string, viewId: string): Promise<ReportSubject | undefined>;
}

/** What a registry works with. */
export interface ViewRegistryOptions {
  operator: OperatorPolicy;
  store: ViewStore;
  limits: SandboxLimits;
  clock: () => number;
  scriptHash: Promise<string>;
  stableDomains: readonly StableDomain[];
  /** Bounds for messages, as the relay knows them. */
  relayLimits: object;
}

// What the store keeps of a relay's page; the page itself is written when it is asked for.
interface StoredPage {
  hosts: string[];
  host?: string;
  view: string;
  clear?: string;
  hold?: true;
  viewOrigin: string;
  mode: "port" | "window";
  registered?: RegistrationFacts;
  allow: string;
  sandbox: string;
  permissions: PermissionName[];
  isEmbeddable: boolean;
}

/** Opens a registry. */
export function createViewRegistry(origins: Origins, options: ViewRegistryOptions): ViewRegistry {
  const { store, limits, operator } = options;
  const { proxy, prefix, opaque, oneSite } = origins;
  const originFor = async (
    view: ViewRegistration,
    isAnonymous: boolean,
    version: ViewVersion,
  ): Promise<{ served: string; isStable: boolean }> => {
    // Nobody has verified the server of an anonymous View.
    const domains = isAnonymous ? [] : options.stableDomains;
    const stable = await stableOriginOf(origins, domains, view);
    const served = stable ?? (await origins.viewOrigin(ownerOf(view, isAnonymous), version));
    return { served, isStable: stable !== undefined };
  };
  return {
    register: async (view, { mode, isAnonymous = false, embedder }) => {
      const { html, server, resource } = checkView(view, limits.html);
      const picked = pickHosts(origins, view.host);
      const { hosts, host } = embeddersOf({ ...origins, hosts: picked }, embedder);
      const rules = joinPolicies(operator, checkNames(view.policy ?? {}));
      const policy = buildPolicy(view.meta, { ...rules, opaque });
      const hash = await policyHash(policy);
      const htmlHash = await sha256Hex(html);
      const version = { policyHash: hash, htmlHash };
      const { served, isStable } = await originFor(view, isAnonymous, version);
      const sandbox = intersectFlags(origins.sandbox, view.sandbox);
      const [viewId, pageId] = [randomName(), randomName()];
      const [address, name] = [`${served}${prefix}`, new URL(served).host];
      const reportUrl = `${address}/r/${viewId}`;
      const placing = { hosts, proxy, opaque, oneSite, sandbox, reportUrl };
      const proxyOrigin = opaque ? "null" : proxy;
      // A Host can mount it only over a port, and only a script can wait for that.
      const hasScripts = sandbox.includes("allow-scripts");
      const isHeld = view.hold === true && mode === "port" && hasScripts;
      const { allow, grant, egress, needsConsent } = policy;
      const rejected = policy.rejected.filter(({ list }) => !(isStable && list === "domain"));
      const registered = { viewId, grant, egress, rejected, htmlHash, policyHash: hash };
      const page: StoredPage = {
        hosts,
        ...(host !== undefined && { host }),
        view: `${address}/v/${viewId}`,
        ...(sandbox.includes("allow-same-origin") && { clear: `${address}/c/${viewId}` }),
        ...(isHeld && { hold: true }),
        viewOrigin: served,
        mode,
        ...(mode === "port" && { registered }),
        allow,
        sandbox,
        permissions: Object.keys(grant.permissions) as PermissionName[],
        isEmbeddable: embedderPolicyOf(policy) !== undefined,
      };
      const subject: ReportSubject = { viewId, server, resource };
      const ttl = waitingTime(limits, { isHeld, isAnonymous });
      const expires = options.clock() + ttl;
      const put = (key: string, value: object, ttl: number): Promise<void> =>
        store.put(key, JSON.stringify(value), { ttl });
      const document = hasScripts ? guardDocument(html) : html;
      const stored: StoredResponse = {
        headers: viewHeaders(policy, placing),
        body: isHeld ? writeHeldView(document, proxyOrigin) : document,
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

    openPage: async (pageId, referrer) => {
      const text = await store.get(`page:${pageId}`);
      if (text === undefined) return undefined;
      const { viewOrigin, permissions, isEmbeddable, ...stored } = JSON.parse(text) as StoredPage;
      const page = { ...stored, ...embeddersOf({ ...origins, hosts: stored.hosts }, referrer) };
      const headers = proxyHeaders({
        hosts: page.hosts,
        scriptHash: await options.scriptHash,
        viewUrl: page.view,
        clearUrl: page.clear,
        viewOrigin,
        isEmbeddable,
        opaque,
        permissions,
      });
      const origin = opaque ? "null" : viewOrigin;
      return { headers, body: writePage({ ...page, origin, limits: options.relayLimits }) };
    },

    // The host is part of the key: under another name the View is neither found nor used up.
    takeView: async (host, viewId) => read(await store.take(`view:${host}/${viewId}`)),
    reportSubject: async (host, viewId) => read(await store.get(`reports:${host}/${viewId}`)),
  };
}

/** A View's policy can't allow what the operator's policy forbids. */
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

/** The identity that decides a View's origin: a random one if the View's identity isn't verified. */
function ownerOf(view: ViewIdentity, isAnonymous: boolean): ViewIdentity {
  return isAnonymous ? { server: randomName(), resource: "anonymous" } : view;
}

function waitingTime(
  { heldTime, viewTime }: SandboxLimits,
  { isHeld, isAnonymous }: { isHeld: boolean; isAnonymous: boolean },
): number {
  // The entrance's page opens its View at once, so an anonymous one never stays for longer.
  return isHeld && !isAnonymous ? heldTime : viewTime;
}

/** The hosts that may embed a View: the one it names, if it is configured, or all of them. */
export function pickHosts(origins: Origins, host: string | undefined): string[] {
  if (host === undefined) {
    if (origins.isOpen) throw sandboxError("host-needed", "register");
    return [...origins.hosts];
  }
  if (!origins.allows(host)) throw sandboxError("bad-origin", host);
  return [host];
}

/** The pages that may embed one page of the Sandbox. */
export interface Embedders {
  hosts: string[];
  /** The page that probably embeds it, if that isn't clear from `hosts`. */
  host?: string;
}

/**
 * Replaces wildcards by the one page that embeds, according to itself. A wrong claim does no harm: the
 * claimed page has to be a host, and no other page can then use the frame.
 */
export function embeddersOf(
  { hosts, allows }: Pick<Origins, "hosts" | "allows">,
  claim: string | undefined,
): Embedders {
  const isClaim = claim !== undefined && !hosts.includes(claim) && allows(claim);
  if (!isClaim || !hosts.some(isWildcard)) return { hosts: [...hosts] };
  return { hosts: narrowHosts(hosts, claim), host: claim };
}
