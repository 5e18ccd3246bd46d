// Rules for the identity that servers see, which a schema can't express.

import type { GatewayConfig, IdentityConfig, ServerConfig } from "./config.ts";
import { isSafeAddress } from "./safe-address.ts";
import type { Path } from "./schema.ts";

type Say = (at: Path, message: string) => void;
type Kind = IdentityConfig["kind"];

const TOKEN_SETTINGS = ["tokenEndpoint", "clientId", "clientSecret"] as const;
const OF_KIND: Record<Kind, readonly (keyof IdentityConfig)[]> = {
  assertion: ["kind", "audience", "header", "groups"],
  exchange: ["kind", "audience", "scopes", ...TOKEN_SETTINGS],
  "client-credentials": ["kind", "audience", "scopes", ...TOKEN_SETTINGS],
};
/** Headers that mean something else. */
const TAKEN = /^(authorization|cookie|host|connection|content-.*|accept.*|mcp-.*|te|upgrade)$/i;

/** Checks how one server learns who a call is for. */
export function checkIdentity(
  id: string,
  server: ServerConfig,
  config: GatewayConfig,
  report: Say,
): void {
  checkTemplates(id, server, report);
  const { identity, sharing } = server;
  if (!identity) return;
  const at: Path = ["servers", id, "identity"];
  const { kind } = identity;
  for (const name of Object.keys(identity) as (keyof IdentityConfig)[]) {
    if (OF_KIND[kind].includes(name)) continue;
    report([...at, name], `It has no effect with the kind ${kind}. Remove it.`);
  }
  if (server.oauth) report(at, "oauth is set too, and both set the user's token. Remove one.");
  if (kind !== "client-credentials" && sharing !== "user") {
    const message = `With the kind ${kind}, each user has an identity of their own, so they can't share a session. Remove it.`;
    report(["servers", id, "sharing"], message);
  }
  if (kind === "assertion") checkAssertion(id, server, config, report);
  else checkTokens(id, server, config, report);
}

function checkAssertion(
  id: string,
  { identity, headers = {} }: ServerConfig,
  { listen }: GatewayConfig,
  report: Say,
): void {
  const at: Path = ["servers", id, "identity"];
  const header = identity?.header ?? "vitrine-identity";
  if (listen.publicUrl === undefined) {
    report(at, "It needs listen.publicUrl, where servers find the gateway's keys. Set it.");
  }
  if (TAKEN.test(header)) {
    report([...at, "header"], `"${header}" has another meaning. Use a name of your own.`);
  }
  if (Object.keys(headers).some((name) => name.toLowerCase() === header.toLowerCase())) {
    report(["servers", id, "headers", header], "It's the header of the identity. Remove it.");
  }
}

function checkTokens(
  id: string,
  { identity, headers = {} }: ServerConfig,
  { auth }: GatewayConfig,
  report: Say,
): void {
  const at: Path = ["servers", id, "identity"];
  for (const name of TOKEN_SETTINGS) {
    if (identity?.[name] === undefined) report([...at, name], "It's missing. Set it.");
  }
  const address = identity?.tokenEndpoint;
  if (address !== undefined && !(URL.canParse(address) && isSafeAddress(address))) {
    report([...at, "tokenEndpoint"], `"${address}" isn't encrypted. Use https.`);
  }
  if (Object.keys(headers).some((name) => name.toLowerCase() === "authorization")) {
    report(["servers", id, "headers"], "The token is sent as authorization. Remove that header.");
  }
  if (identity?.kind === "exchange" && auth.mode === "dev") {
    report(at, "With auth.mode dev, users have no token that could be exchanged. Set it to jwt.");
  }
}

/** A process of several users can't have the variables of one of them. */
function checkTemplates(id: string, { env = {}, sharing }: ServerConfig, report: Say): void {
  for (const [name, value] of Object.entries(env)) {
    const at: Path = ["servers", id, "env", name];
    if (/\$\{user\.id\}/.test(value) && sharing !== "user") {
      report(at, `\${user.id} needs "sharing: user": otherwise several users share a process.`);
    }
    if (/\$\{user\.tenant\}/.test(value) && sharing === "all") {
      report(at, `\${user.tenant} needs "sharing: user" or "sharing: tenant".`);
    }
  }
}
