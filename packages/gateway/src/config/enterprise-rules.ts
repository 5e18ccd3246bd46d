// Rules for enterprise-managed authorization that a schema can't express.

import {
  type EnterpriseConfig,
  type GatewayConfig,
  type IssuerConfig,
  issuersOf,
} from "./config.ts";
import { checkProvider } from "./issuer-rules.ts";
import type { Path } from "./schema.ts";

type Say = (at: Path, message: string) => void;

const AT: Path = ["auth", "enterprise"];

/** Checks the providers and clients. */
export function checkEnterprise(config: GatewayConfig, report: Say): void {
  const { auth, listen } = config;
  if (auth.mode === "dev" || !auth.enterprise) return;
  if (listen.publicUrl === undefined) {
    report(AT, "It needs listen.publicUrl, which is the issuer of the gateway's tokens. Set it.");
  }
  for (const [place, provider] of auth.enterprise.issuers.entries()) {
    const at: Path = [...AT, "issuers", place];
    checkProvider(at, { ...provider, audience: "" }, listen.publicUrl, report);
    const { tenant, tenantClaim, tenants } = provider;
    if (tenant !== undefined || (tenantClaim !== undefined && tenants)) continue;
    report(at, "It needs its own tenants. Set tenant, or tenantClaim with tenants.");
  }
  checkTenants(config, auth.enterprise, report);
  const ids = auth.enterprise.clients.map(({ id }) => id);
  for (const [place, id] of ids.entries()) {
    if (ids.indexOf(id) === place) continue;
    report([...AT, "clients", place, "id"], `"${id}" is there twice. Remove one of them.`);
  }
}

/** Users are named by tenant and subject, so two providers can't have the same tenant. */
function checkTenants(config: GatewayConfig, { issuers }: EnterpriseConfig, report: Say): void {
  const owners = new Map(
    issuersOf(config).flatMap((provider) =>
      tenantsOf({ tenant: "default", ...provider }).map((name) => [name, provider.issuer]),
    ),
  );
  for (const [place, provider] of issuers.entries()) {
    for (const name of tenantsOf(provider)) {
      const owner = owners.get(name) ?? provider.issuer;
      owners.set(name, owner);
      if (owner === provider.issuer) continue;
      const message = `"${name}" is also a tenant of ${owner}, whose users could have the same names. Use another tenant.`;
      report([...AT, "issuers", place, provider.tenants ? "tenants" : "tenant"], message);
    }
  }
}

function tenantsOf({ tenant, tenants }: Partial<IssuerConfig>): string[] {
  return tenants ?? (tenant === undefined ? [] : [tenant]);
}
