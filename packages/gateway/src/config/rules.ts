// Rules that a schema can't express: settings that are valid alone but not together.

import { isAbsolute, relative, resolve } from "node:path";
import { checkAdmin } from "./admin-rules.ts";
import type { EngineConfig, GatewayConfig, ServerConfig } from "./config.ts";
import { isLoopbackHost } from "./config.ts";
import { checkEnterprise } from "./enterprise-rules.ts";
import { checkIdentity } from "./identity-rules.ts";
import { runnerOf } from "./isolation.ts";
import { checkProgram } from "./isolation-rules.ts";
import { checkIssuers } from "./issuer-rules.ts";
import { isNetwork } from "./network.ts";
import type { PlacedProblem } from "./problem.ts";
import { checkQuotas } from "./quota-rules.ts";
import { isSafeAddress } from "./safe-address.ts";
import { type Path, pathText } from "./schema.ts";
import { checkSinks } from "./sink-rules.ts";

type Say = (at: Path, message: string) => void;

/** Checks combinations of settings. */
export function checkRules(config: GatewayConfig): PlacedProblem[] {
  const problems: PlacedProblem[] = [];
  const report: Say = (at, message) => problems.push({ at, path: pathText(at), message });
  checkExposure(config, report);
  checkAddresses(config, report);
  checkIssuers(config, report);
  checkQuotas(config.limits.quotas, report);
  checkEnterprise(config, report);
  checkEngine(config.engine, report);
  if (config.engine.driver === "nats" && config.keys.folder === undefined) {
    const message =
      "It's missing. Gateways that share NATS need the same keys. Create them with: vitrine gateway keys create <folder>";
    report(["keys", "folder"], message);
  }
  checkArchive(config, report);
  checkAnchor(config, report);
  checkSinks(config, report);
  const { otlp } = config.telemetry;
  if (otlp && !(URL.canParse(otlp.url) && isSafeAddress(otlp.url))) {
    report(["telemetry", "otlp", "url"], `"${otlp.url}" isn't encrypted. Use https.`);
  }
  if (config.engine.driver !== "nats" && config.cluster.roles.length < 3) {
    const message = `With the driver ${config.engine.driver}, one process does everything. Remove this setting.`;
    report(["cluster", "roles"], message);
  }
  checkAdmin(config, report);
  for (const [id, server] of Object.entries(config.servers)) {
    checkServer(id, server, config, report);
    checkIdentity(id, server, config, report);
  }
  return problems;
}

/** Warns about servers that run as one user and so can read each other's memory and variables. */
export function sharedUsers(config: GatewayConfig): string[] {
  const byUser = Map.groupBy(
    Object.entries(config.servers).filter(
      // A runner separates their processes, whatever the user.
      ([, server]) => server.user !== undefined && runnerOf(server, config) === "none",
    ),
    ([, { user }]) => user,
  );
  return [...byUser]
    .filter(([, { length }]) => length > 1)
    .map(([user, entries]) => {
      const names = entries.map(([id]) => id).join(", ");
      return `The servers ${names} run as user ${user}, so each can read the others' memory and variables. Create a user for each server.`;
    });
}

/** A gateway that other machines can reach needs authentication (G127). */
function checkExposure({ listen, auth, operator }: GatewayConfig, report: Say): void {
  if (!isLoopbackHost(listen.host)) {
    if (auth.mode === "dev") {
      report(
        ["listen", "host"],
        `"${listen.host}" is reachable from other machines, but auth.mode dev is for this machine only. Set auth.mode to jwt, or listen on 127.0.0.1.`,
      );
    }
    if (listen.hosts.length === 0) {
      report(
        ["listen", "hosts"],
        `It's empty, so on "${listen.host}" every request would be rejected. List the host names that clients use.`,
      );
    }
  }
  if (operator && !isLoopbackHost(operator.host) && !operator.token) {
    report(
      ["operator", "host"],
      `"${operator.host}" is reachable from other machines. Set operator.token, or use 127.0.0.1.`,
    );
  }
}

function checkAddresses({ listen, origins }: GatewayConfig, report: Say): void {
  for (const [place, network] of (listen.trustedProxies ?? []).entries()) {
    if (isNetwork(network)) continue;
    const message = `"${network}" isn't a network. Write 10.0.0.0/8, or a single address.`;
    report(["listen", "trustedProxies", place], message);
  }
  for (const [place, origin] of origins.entries()) checkOrigin(["origins", place], origin, report);
  if (listen.publicUrl !== undefined)
    checkPublicUrl(["listen", "publicUrl"], listen.publicUrl, report);
}

/** An origin, or an origin and a path, as it appears in the addresses that are built from it. */
function checkPublicUrl(at: Path, text: string, report: Say): void {
  const url = parse(text);
  const path = url?.pathname.replace(/\/$/, "") ?? "";
  if (!url || !/^https?:$/.test(url.protocol) || `${url.origin}${path}` !== text) {
    const right = url ? ` Write "${url.origin}${path}".` : "";
    report(at, `"${text}" isn't an address without a slash at its end, query or user.${right}`);
  } else if (/^\/(?:mcp|servers)$/.test(path)) {
    report(at, `"${path}" is a path of the gateway itself. Choose another.`);
  } else if (!isSafeAddress(url)) report(at, `"${text}" isn't encrypted. Use https.`);
}

function checkOrigin(at: Path, origin: string, report: Say): void {
  const url = parse(origin);
  if (url?.origin !== origin) {
    const right = url ? ` Write "${url.origin}".` : "";
    report(at, `"${origin}" isn't an origin as browsers write it.${right}`);
  } else if (!isSafeAddress(url)) report(at, `"${origin}" isn't encrypted. Use https.`);
}

const OF_DRIVER = {
  memory: ["maxLogBytes"],
  sqlite: ["folder", "maxLogBytes"],
  nats: ["folder", "maxLogBytes", "servers", "node", "prefix", "replicas", "login", "tls"],
} as const;

function checkEngine(engine: EngineConfig, report: Say): void {
  const { driver, login = {}, servers = [] } = engine;
  const own: readonly string[] = ["driver", ...OF_DRIVER[driver]];
  for (const name of Object.keys(engine)) {
    if (own.includes(name)) continue;
    report(["engine", name], `It has no effect with the driver ${driver}. Remove it.`);
  }
  for (const [place, server] of servers.entries()) {
    if (!server.includes("@")) continue;
    report(
      ["engine", "servers", place],
      "It contains a credential. Move the credential to engine.login.",
    );
  }
  const { user, password, token, credsFile } = login;
  const ways = [user, token, credsFile].filter((way) => way !== undefined);
  if (engine.login && ways.length !== 1) {
    report(["engine", "login"], "Set exactly one of user, token and credsFile.");
  }
  if (password !== undefined && user === undefined) {
    report(
      ["engine", "login", "password"],
      "It needs engine.login.user, which is missing. Set the user too.",
    );
  }
}

function checkArchive(
  { audit: { archive }, engine: { driver, folder } }: GatewayConfig,
  report: Say,
) {
  if (!archive) return;
  const at = ["audit", "archive", "folder"];
  if (driver === "memory") {
    // Its positions start again in each process, so two runs couldn't be distinguished.
    report(
      at,
      "The driver memory doesn't keep its position over a restart. Set engine.driver to sqlite or nats.",
    );
  }
  if (folder !== undefined && resolve(folder) === resolve(archive.folder)) {
    report(at, "It's the same as engine.folder. Use a separate folder for the archive.");
  }
}

function checkAnchor({ audit: { anchor, archive }, engine }: GatewayConfig, report: Say): void {
  if (!anchor) return;
  const { file, url, token } = anchor;
  const at: Path = ["audit", "anchor"];
  if ((file === undefined) === (url === undefined)) report(at, "Set exactly one of file and url.");
  if (token !== undefined && url === undefined) {
    report([...at, "token"], "It needs a url, which is missing. Set the url too.");
  }
  if (url !== undefined) checkAnchorUrl([...at, "url"], url, report);
  for (const folder of [engine.folder, archive?.folder]) {
    // An attacker who can truncate the log there could truncate the anchor too.
    if (file === undefined || folder === undefined || !isInside(file, folder)) continue;
    report([...at, "file"], `It's in ${folder}, next to the log. Use a separate location.`);
  }
}

function checkAnchorUrl(at: Path, text: string, report: Say): void {
  const url = parse(text);
  if (!url || !isSafeAddress(url) || !/^https?:$/.test(url.protocol)) {
    report(at, `"${text}" isn't encrypted. Use https.`);
  } else if (url.username || url.password || url.search || url.hash) {
    report(
      at,
      "Remove the credential, query or fragment from the address. Put the credential in token.",
    );
  }
}

function isInside(file: string, folder: string): boolean {
  const way = relative(resolve(folder), resolve(file));
  return !way.startsWith("..") && !isAbsolute(way);
}

const OF_URL = ["private", "transport", "era", "headers", "oauth", "identity"] as const;
const OF_COMMAND = ["cwd", "user", "env", "passEnv", "isolation", "processes"] as const;
const DEFAULTS: Partial<ServerConfig> = { private: false, transport: "http", era: "auto" };

function checkServer(id: string, server: ServerConfig, config: GatewayConfig, report: Say): void {
  const at: Path = ["servers", id];
  const foreign = server.url === undefined ? OF_URL : OF_COMMAND;
  const kind = server.url === undefined ? "a command" : "a url";
  for (const name of foreign) {
    if (server[name] === undefined || server[name] === DEFAULTS[name]) continue;
    report([...at, name], `It has no effect for a server with ${kind}. Remove it.`);
  }
  if (server.url === undefined) {
    checkProgram(id, server, config, report);
    return;
  }
  const url = parse(server.url);
  if (!url) {
    report([...at, "url"], `"${server.url}" isn't a URL.`);
    return;
  }
  if (url.username || url.password) {
    report([...at, "url"], "It contains a credential. Move the credential to headers.");
  }
  if (url.protocol !== "https:" && !server.private) {
    report(
      [...at, "url"],
      `"${server.url}" isn't encrypted. Use https, or "private: true" for a server in your own network.`,
    );
  }
  if (server.oauth) checkOAuth(at, server, config, report);
}

function checkOAuth(at: Path, server: ServerConfig, config: GatewayConfig, report: Say): void {
  const { listen } = config;
  const { clientId, clientSecret, issuer } = server.oauth ?? {};
  if (listen.publicUrl === undefined) {
    report(["listen", "publicUrl"], `"${at.at(-1)}" uses oauth, which redirects there. Set it.`);
  }
  if (clientSecret !== undefined && clientId === undefined) {
    report(
      [...at, "oauth", "clientSecret"],
      "It needs a clientId, which is missing. Set the clientId too.",
    );
  }
  if (clientSecret !== undefined && issuer === undefined) {
    // Without it, the server would choose who receives the secret.
    const text =
      "It would be sent to any authorization server that the server names. Set oauth.issuer.";
    report([...at, "oauth", "clientSecret"], text);
  }
  if (issuer !== undefined && parse(issuer)?.protocol !== "https:" && !server.private) {
    report([...at, "oauth", "issuer"], `"${issuer}" isn't encrypted. Use https.`);
  }
}

function parse(text: string): URL | undefined {
  return URL.canParse(text) ? new URL(text) : undefined;
}
