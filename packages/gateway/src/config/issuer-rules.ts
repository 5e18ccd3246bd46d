// Rules for identity providers that a schema can't express.

import { type GatewayConfig, type IssuerConfig, issuersOf } from "./config.ts";
import { isSafeAddress } from "./safe-address.ts";
import type { Path } from "./schema.ts";

type Say = (at: Path, message: string) => void;

/** Checks the providers, one by one and together. */
export function checkIssuers(config: GatewayConfig, report: Say): void {
  const { auth, listen } = config;
  if (auth.mode === "dev") return;
  const providers = issuersOf(config);
  const isList = auth.issuers !== undefined;
  // A gateway may have users of companies only.
  const isMissing = auth.issuer === undefined && !auth.enterprise;
  if (isList ? auth.issuer !== undefined : isMissing) {
    const message = isList
      ? "The same provider would be written in two places. Write auth.issuers or auth.issuer."
      : "It's missing. Set auth.issuer, or a list of several in auth.issuers.";
    report(["auth", "issuer"], message);
  }
  for (const [place, provider] of providers.entries()) {
    const at: Path = isList ? ["auth", "issuers", place] : ["auth"];
    checkProvider(at, provider, listen.publicUrl, report);
  }
  if (providers.length > 1) checkTenants(providers, report);
  checkServerIssuers(config, report);
}

/** A server names issuers of the gateway, or the gateway itself if it issues tokens. */
function checkServerIssuers(config: GatewayConfig, report: Say): void {
  const { auth, listen } = config;
  const known: unknown[] = issuersOf(config).map(({ issuer }) => issuer);
  if (auth.mode === "jwt" && auth.enterprise) known.push(listen.publicUrl);
  for (const [id, { issuers = [] }] of Object.entries(config.servers)) {
    for (const [place, issuer] of issuers.entries()) {
      if (known.includes(issuer)) continue;
      report(["servers", id, "issuers", place], `"${issuer}" isn't in auth.issuers. Add it there.`);
    }
  }
}

/** Checks one provider. */
export function checkProvider(
  at: Path,
  { issuer, audience, jwks, tenant, tenantClaim, tenants }: IssuerConfig,
  publicUrl: string | undefined,
  report: Say,
): void {
  for (const [name, address] of Object.entries({ issuer, jwks })) {
    if (address === undefined || isSafeAddress(address)) continue;
    report([...at, name], `"${address}" isn't encrypted. Use https.`);
  }
  if (audience === undefined && publicUrl === undefined) {
    const message =
      "It's missing. Set listen.publicUrl, so that tokens can be issued for the address of a server, or set an audience.";
    report([...at, "audience"], message);
  }
  if (tenant !== undefined && tenantClaim !== undefined) {
    report([...at, "tenant"], "tenantClaim is set too. Remove one of them.");
  }
  if (tenants && tenantClaim === undefined) {
    report([...at, "tenants"], "It needs tenantClaim, which is missing. Set it too.");
  }
}

/** Two providers may have users of the same name, so their tenants have to differ. */
function checkTenants(providers: readonly IssuerConfig[], report: Say): void {
  const owners = new Map<string, string>();
  for (const [place, { issuer, tenant, tenants }] of providers.entries()) {
    const own = tenants ?? [tenant].filter((one) => one !== undefined);
    const at: Path = ["auth", "issuers", place, tenants ? "tenants" : "tenant"];
    if (own.length === 0) {
      const message =
        "With several issuers, each needs its own tenants. Set tenant, or tenantClaim with tenants.";
      report(at, message);
    }
    for (const name of own) {
      const other = owners.get(name);
      const message = `"${name}" is also a tenant of ${other}, whose users could have the same names. Use another tenant.`;
      if (other !== undefined) report(at, message);
      owners.set(name, issuer);
    }
  }
}
