// Rules for the admin port that its schema can't express.

import { type GatewayConfig, isLoopbackHost, issuersOf } from "./config.ts";
import { isSafeAddress } from "./safe-address.ts";
import type { Path } from "./schema.ts";

type Report = (at: Path, message: string) => void;

/** Checks the admin port: that somebody can log in, and nobody else. */
export function checkAdmin(config: GatewayConfig, report: Report): void {
  const { admin } = config;
  if (!admin) return;
  const hasRoles = admin.roles.viewer.length + admin.roles.operator.length > 0;
  if (admin.token === undefined && !hasRoles) {
    report(["admin"], "Nobody could log in. Set admin.token, or admin.roles with auth.mode jwt.");
  }
  if (!isLoopbackHost(admin.host) && admin.publicUrl === undefined) {
    report(
      ["admin", "host"],
      `"${admin.host}" is reachable from other machines. Set admin.publicUrl to its https address, or use 127.0.0.1.`,
    );
  }
  checkPublicUrl(config, report);
  if (admin.registry !== undefined && !isSafeAddress(admin.registry)) {
    report(["admin", "registry"], `"${admin.registry}" isn't encrypted. Use https.`);
  }
  if (hasRoles) checkRoles(config, report);
}

function checkPublicUrl({ admin, listen, ...rest }: GatewayConfig, report: Report): void {
  const { publicUrl } = admin ?? {};
  if (publicUrl === undefined) return;
  const at: Path = ["admin", "publicUrl"];
  const url = URL.canParse(publicUrl) ? new URL(publicUrl) : undefined;
  if (url?.origin !== publicUrl) {
    report(at, `"${publicUrl}" isn't an origin as browsers write it.`);
  } else if (!isSafeAddress(url)) report(at, `"${publicUrl}" isn't encrypted. Use https.`);
  const audiences = [listen.publicUrl, ...issuersOf(rest).map(({ audience }) => audience)];
  if (audiences.includes(publicUrl)) {
    report(at, "Tokens for the gateway are issued for it too. Use another address.");
  }
}

function checkRoles(config: GatewayConfig, report: Report): void {
  const { publicUrl, issuer } = config.admin ?? {};
  const issuers = issuersOf(config).map((one) => one.issuer);
  if (issuers.length === 0) {
    report(["admin", "roles"], "Roles need an identity provider. Set auth.mode to jwt.");
  }
  if (publicUrl === undefined) {
    report(["admin", "publicUrl"], "It's missing. Tokens of operators are issued for it.");
  }
  if (issuer !== undefined && !issuers.includes(issuer)) {
    report(["admin", "issuer"], `"${issuer}" isn't one of the issuers in auth.`);
  }
  if (issuer === undefined && issuers.length > 1) {
    report(
      ["admin", "issuer"],
      "It's missing. With several issuers, each of them could put its users into your groups.",
    );
  }
}
