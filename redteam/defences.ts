import { HOST_DEFENCES } from "./host-defences.ts";
import { REGISTRATION_DEFENCES } from "./registration-defences.ts";
import type { StageName } from "./stage/deployment.ts";
import type { Weakening } from "./stage/weakening.ts";

/** A defence that can be taken away, and who must notice. */
export interface Defence {
  readonly name: string;
  readonly weakening: Weakening;
  /** Where it is tested; tiers have different defences. */
  readonly stage: StageName;
  /** Ids of channels that must leak and of checks that must complain. */
  readonly noticedBy: readonly string[];
}

const POLICY = "content-security-policy";

/** Edits one directive of the policy in force. */
function directive(name: string, value: string | undefined) {
  return (headers: Headers) => {
    const kept = (headers.get(POLICY) ?? "")
      .split("; ")
      .map((text) => (text.split(" ")[0] === name ? value && `${name} ${value}` : text))
      .filter((text) => text);
    headers.set(POLICY, kept.join("; "));
  };
}

function without(header: string) {
  return (headers: Headers) => headers.delete(header);
}

/** Leaves one part of a view's identity out of the name of its origin. */
function sameOriginFor(parts: string) {
  const file = "sandbox/src/origins.ts";
  return { sandbox: [{ file, from: LABEL_PARTS, to: parts }] };
}

const LABEL_PARTS = '["view", tenant, user, server, resource, policyHash, htmlHash]';

export const DEFENCES: readonly Defence[] = [
  {
    name: "origin-per-server",
    weakening: sameOriginFor('["view", tenant, user, resource, policyHash, htmlHash]'),
    stage: "tier-1-listed",
    noticedBy: ["two-servers", "isolation-limits"],
  },
  {
    name: "origin-per-user",
    weakening: sameOriginFor('["view", tenant, server, resource, policyHash, htmlHash]'),
    stage: "tier-2",
    noticedBy: ["two-users"],
  },
  {
    name: "origin-per-policy",
    weakening: sameOriginFor('["view", tenant, user, server, resource, htmlHash]'),
    stage: "tier-1",
    noticedBy: ["two-policies"],
  },
  {
    name: "connection-allowlist",
    weakening: { view: without("connection-allowlist") },
    stage: "tier-2",
    noticedBy: ["dns_prefetch", "preconnect", "rtc_stun_udp", "rtc_turn_tcp", "iframe_src"],
  },
  {
    name: "proxy-frame-src",
    weakening: { proxy: directive("frame-src", "*") },
    stage: "tier-2",
    noticedBy: ["navigation-kill", "declared-frame-stays-nested"],
  },
  {
    name: "view-csp",
    weakening: { view: without(POLICY) },
    stage: "tier-2",
    noticedBy: ["second-wall"],
  },
  {
    name: "form-action",
    weakening: { view: directive("form-action", undefined) },
    stage: "tier-2",
    noticedBy: ["second-wall"],
  },
  {
    name: "frame-ancestors",
    weakening: { any: directive("frame-ancestors", undefined) },
    stage: "tier-2",
    noticedBy: ["foreign-embedder"],
  },
  {
    name: "permissions-policy",
    weakening: { any: without("permissions-policy") },
    stage: "tier-2",
    noticedBy: ["features"],
  },
  {
    name: "origin-agent-cluster",
    weakening: { any: without("origin-agent-cluster") },
    // Only where the views' names are one site does the process split hang on this header.
    stage: "tier-1",
    noticedBy: ["busy-loop"],
  },
  {
    name: "referrer-policy",
    weakening: { view: without("referrer-policy") },
    stage: "tier-1",
    noticedBy: ["declared-only"],
  },
  {
    name: "no-store",
    weakening: { any: without("cache-control") },
    stage: "tier-1",
    noticedBy: ["plain-answers"],
  },
  {
    name: "header-sandbox",
    weakening: { view: directive("sandbox", undefined) },
    // Where views share the host's origin, a frame without attribute would make them the host.
    stage: "tier-3",
    noticedBy: ["opaque-by-header"],
  },
  {
    name: "sandbox-flags",
    weakening: {
      relay: "sandbox-tokens",
      settings: (settings) => {
        settings.sandbox = `${settings.sandbox} allow-popups`;
      },
      view: directive("sandbox", undefined),
      outerSandbox: null,
    },
    stage: "tier-2",
    noticedBy: ["no-windows"],
  },
  {
    name: "one-use-id",
    // The allow-list stops a reload as well, so both have to go for it to get that far.
    weakening: { reusable: true, view: without("connection-allowlist") },
    stage: "tier-2",
    noticedBy: ["one-use-document", "one-use-address"],
  },
  {
    name: "sec-fetch",
    weakening: {
      request: (headers) => {
        headers.set("sec-fetch-dest", "iframe");
        headers.set("sec-fetch-mode", "navigate");
      },
    },
    stage: "tier-2",
    noticedBy: ["not-a-page", "one-use-address"],
  },
  {
    name: "source-check",
    weakening: { relay: "source" },
    stage: "tier-2",
    noticedBy: ["foreign-senders"],
  },
  {
    name: "origin-check",
    // The frame-src stands before it, so both have to go for its attack to get that far.
    weakening: { relay: "origin", proxy: directive("frame-src", "*") },
    stage: "tier-2",
    noticedBy: ["declared-frame-is-mute"],
  },
  {
    name: "reserved-prefix",
    weakening: { relay: "prefix" },
    stage: "tier-2",
    noticedBy: ["reserved-methods"],
  },
  {
    name: "size-cap",
    weakening: { relay: "size" },
    stage: "tier-2",
    noticedBy: ["huge-string"],
  },
  {
    name: "rate-limit",
    weakening: { relay: "rate" },
    stage: "tier-2",
    noticedBy: ["flood"],
  },
  {
    name: "oversize-stop",
    weakening: { relay: "oversize" },
    stage: "tier-2",
    noticedBy: ["huge-string", "huge-buffers", "wide-object"],
  },
  {
    name: "json-round-trip",
    weakening: { relay: "round-trip" },
    stage: "tier-2",
    noticedBy: ["exotic-values"],
  },
  {
    name: "kill-switch",
    weakening: { relay: "kill" },
    stage: "tier-2",
    noticedBy: ["navigation-kill"],
  },
  {
    name: "self-test",
    weakening: { relay: "self-test" },
    stage: "tier-2",
    noticedBy: ["self-test"],
  },
  {
    name: "alt-click",
    weakening: { guard: "alt-click" },
    stage: "tier-2",
    noticedBy: ["modified-clicks"],
  },
  {
    name: "history-watch",
    weakening: { relay: "history", guard: "history" },
    stage: "tier-2",
    noticedBy: ["history-trap"],
  },
  {
    name: "storage-bound",
    weakening: { relay: "storage" },
    stage: "tier-2",
    noticedBy: ["storage-fill"],
  },
  ...REGISTRATION_DEFENCES,
  ...HOST_DEFENCES,
];
