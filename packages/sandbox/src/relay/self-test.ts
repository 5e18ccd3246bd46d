import type { EntrancePage, ViewPage } from "./page-settings.ts";

/** Why this page must not run where it is; nothing when all is well (SBX-01, SBX-02). */
export function findFault(page: EntrancePage | ViewPage): string | undefined {
  if (WITHOUT === "self-test") return undefined;
  if (parent === window) return "It was opened by itself and not by a host.";
  // A Host on our own origin could be read and changed by whoever takes over this page; and a frame
  // that lets us reach its parent is exactly the set-up that every known takeover began with.
  if (page.hosts.includes(origin) || canReach(parent) || canReach(top as Window)) {
    return "It has to be on another origin than the host.";
  }
  // Without `allow-same-origin` on the Host's frame the View's own origin would be lost as well.
  if (origin === "null" && !("origin" in page && page.origin === "null")) {
    return "The host's frame has to have allow-same-origin in its sandbox attribute.";
  }
  return undefined;
}

function canReach(other: Window): boolean {
  try {
    return Boolean(other.document);
  } catch {
    return false;
  }
}

/**
 * The one origin that this page speaks to. Whoever else embeds us hears nothing, because every
 * message is addressed to it.
 */
export function pinHost({ hosts }: EntrancePage | ViewPage): string | undefined {
  // Not in every browser, and "null" where the Host hides its referrer: then a single name decides.
  const ancestor = location.ancestorOrigins?.[0] ?? "";
  if (hosts.includes(ancestor)) return ancestor;
  return hosts.length === 1 ? hosts[0] : undefined;
}
