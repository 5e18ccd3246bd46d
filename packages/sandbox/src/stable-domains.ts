// `_meta.ui.domain` asks for an origin that stays the same, so that APIs can list it for CORS and
// log-ins can return to it. A server could name a domain of another one (E109), so the operator decides
// which server has which domain.

import type { Origins, ViewIdentity } from "./origins.ts";
import { ownValue } from "./own-properties.ts";

/** A domain that the Views of one server may declare. */
export interface StableDomain {
  /** As in `_meta.ui.domain`. */
  domain: string;
  /** The host's own id of the server. */
  server: string;
  tenant?: string;
}

/** The origin that Views with this domain have. */
export interface StableOrigin extends StableDomain {
  origin: string;
}

/** The origins of all configured domains. */
export function stableOrigins(
  origins: Origins,
  domains: readonly StableDomain[],
): Promise<StableOrigin[]> {
  return Promise.all(
    domains.map(async (entry) => ({ ...entry, origin: await origins.stableOrigin(entry) })),
  );
}

/** The stable origin of a View, if it declares a domain that is its server's. */
export async function stableOriginOf(
  origins: Origins,
  domains: readonly StableDomain[],
  { server, tenant = "", meta }: ViewIdentity & { meta?: unknown },
): Promise<string | undefined> {
  const declared = ownValue(meta, "domain");
  const entry = domains.find(
    (one) => one.domain === declared && one.server === server && (one.tenant ?? "") === tenant,
  );
  return entry && origins.stableOrigin(entry);
}
