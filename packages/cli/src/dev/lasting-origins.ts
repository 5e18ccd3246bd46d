// Origins of views under a profile. Our host gives each version of a view its own origin and keeps the
// view's state itself; the products that profiles stand for have one origin for each server, and a view
// keeps its state in the storage of that origin.

import type { StableDomain, ViewRegistration } from "@vitrine/sandbox";

/** The origins of a session. */
export interface LastingOrigins {
  /** For the sandbox; grows with each server. */
  readonly domains: readonly StableDomain[];
  /** The view with the origin of its server, which edits and reloads don't change. */
  of(view: ViewRegistration): ViewRegistration;
}

// Views that declare a domain have one for each.
const UNDECLARED = "views.localhost";

/** Creates the origins of a session. */
export function createLastingOrigins(): LastingOrigins {
  const domains: StableDomain[] = [];
  return {
    domains,
    of: (view) => {
      const meta = Object(view.meta) as { domain?: unknown };
      const domain = typeof meta.domain === "string" ? meta.domain : UNDECLARED;
      const { server, tenant } = view;
      const isKnown = domains.some((one) => one.domain === domain && one.server === server);
      if (!isKnown) domains.push({ domain, server, ...(tenant !== undefined && { tenant }) });
      return { ...view, meta: { ...meta, domain } };
    },
  };
}
