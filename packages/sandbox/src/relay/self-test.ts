import { isWildcard, matchesHost } from "../host-pattern.ts";
import type { EntrancePage, ViewPage } from "./page-settings.ts";

/** Why this page must not run here; `undefined` if it may (SBX-01, SBX-02). */
export function findFault(page: EntrancePage | ViewPage): string | undefined {
  if (WITHOUT === "self-test") return undefined;
  if (parent === window) return "It was opened by itself and not by a host.";
  // An attacker who takes over this page could read and change a Host on the same origin. Every
  // known takeover began with a frame that can reach its parent.
  if (isHost(page, origin) || canReach(parent) || canReach(top as Window)) {
    return "It has to be on another origin than the host.";
  }
  // Without `allow-same-origin` on the Host's frame the View's own origin would be lost as well.
  if (origin === "null" && !("origin" in page && page.origin === "null")) {
    return "The host's frame has to have allow-same-origin in its sandbox attribute.";
  }
  return undefined;
}

function isHost({ hosts }: Pick<ViewPage, "hosts">, other: string): boolean {
  return hosts.some((host) => matchesHost(host, other));
}

function canReach(other: Window): boolean {
  try {
    return Boolean(other.document);
  } catch {
    return false;
  }
}

/**
 * The one origin that this page sends to. Other embedding pages receive nothing, because every
 * message is addressed to it.
 */
export function pinHost(page: EntrancePage | ViewPage): string | undefined {
  // Not in every browser, and "null" if the Host hides its referrer: then there must be a single configured host.
  const ancestor = location.ancestorOrigins?.[0] ?? "";
  if (isHost(page, ancestor)) return ancestor;
  // A wrong guess does no harm: messages go to the page of this origin and come from it, or not at all.
  const { host, hosts } = page;
  if (host !== undefined) return host;
  const [only] = hosts;
  return only !== undefined && hosts.length === 1 && !isWildcard(only) ? only : undefined;
}
