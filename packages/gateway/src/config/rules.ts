// What no schema can say: settings that are right each and wrong together.

import { isAbsolute, relative, resolve } from "node:path";
import type { EngineConfig, GatewayConfig, ServerConfig } from "./config.ts";
import { isLoopbackHost, isSharedGateway } from "./config.ts";
import type { PlacedProblem } from "./problem.ts";
import { type Path, pathText } from "./schema.ts";

type Say = (at: Path, message: string) => void;

/** Checks what settings mean together. */
export function checkRules(config: GatewayConfig): PlacedProblem[] {
  const problems: PlacedProblem[] = [];
  const say: Say = (at, message) => problems.push({ at, path: pathText(at), message });
  checkExposure(config, say);
  checkAddresses(config, say);
  checkEngine(config.engine, say);
  if (config.engine.driver === "nats" && config.keys.folder === undefined) {
    const message =
      "It is missing, and gateways that share NATS share their keys. Create them with: vitrine gateway keys create <folder>";
    say(["keys", "folder"], message);
  }
  checkArchive(config, say);
  checkAnchor(config, say);
  if (config.engine.driver !== "nats" && config.cluster.roles.length < 3) {
    const message = `A process with the driver ${config.engine.driver} is alone and does everything; remove it.`;
    say(["cluster", "roles"], message);
  }
  for (const [id, server] of Object.entries(config.servers)) {
    checkServer(id, server, config, say);
  }
  return problems;
}

/** Servers that can read each other's memory and variables, because they run as one user. */
export function sharedUsers({ servers }: GatewayConfig): string[] {
  const byUser = Map.groupBy(
    Object.entries(servers).filter(([, { user }]) => user !== undefined),
    ([, { user }]) => user,
  );
  return [...byUser]
    .filter(([, { length }]) => length > 1)
    .map(([user, entries]) => {
      const names = entries.map(([id]) => id).join(", ");
      return `The servers ${names} run as user ${user}, so each can read the others' memory and variables; give each a user of its own.`;
    });
}

/** Nothing that others reach is open to them (G127). */
function checkExposure({ listen, auth, operator }: GatewayConfig, say: Say): void {
  if (!isLoopbackHost(listen.host)) {
    if (auth.mode === "dev") {
      say(
        ["listen", "host"],
        `"${listen.host}" is reached by other machines, and auth.mode dev is for this one alone; set auth.mode to jwt, or listen on 127.0.0.1.`,
      );
    }
    if (listen.hosts.length === 0) {
      say(
        ["listen", "hosts"],
        `It is empty, and on "${listen.host}" every request would be refused; list the names it is called by.`,
      );
    }
  }
  if (operator && !isLoopbackHost(operator.host) && !operator.token) {
    say(
      ["operator", "host"],
      `"${operator.host}" is reached by other machines; set operator.token, or use 127.0.0.1.`,
    );
  }
}

function checkAddresses({ listen, origins, auth }: GatewayConfig, say: Say): void {
  for (const [place, origin] of origins.entries()) checkOrigin(["origins", place], origin, say);
  if (listen.publicUrl !== undefined) checkOrigin(["listen", "publicUrl"], listen.publicUrl, say);
  if (auth.mode === "jwt") {
    const url = parse(auth.jwks);
    if (!url || !isSafe(url)) say(["auth", "jwks"], `"${auth.jwks}" is not encrypted; use https.`);
  }
}

function checkOrigin(at: Path, origin: string, say: Say): void {
  const url = parse(origin);
  if (url?.origin !== origin) {
    const right = url ? `; write "${url.origin}"` : "";
    say(at, `"${origin}" is not an origin as browsers write it${right}.`);
  } else if (!isSafe(url)) say(at, `"${origin}" is not encrypted; use https.`);
}

const OF_DRIVER = {
  memory: ["maxLogBytes"],
  file: ["folder", "maxLogBytes"],
  nats: ["folder", "maxLogBytes", "servers", "node", "prefix", "replicas", "login", "tls"],
} as const;

function checkEngine(engine: EngineConfig, say: Say): void {
  const { driver, login = {}, servers = [] } = engine;
  const own: readonly string[] = ["driver", ...OF_DRIVER[driver]];
  for (const name of Object.keys(engine)) {
    if (own.includes(name)) continue;
    say(["engine", name], `It means nothing for the driver ${driver}; remove it.`);
  }
  for (const [place, server] of servers.entries()) {
    if (!server.includes("@")) continue;
    say(["engine", "servers", place], "It carries a credential; give it in engine.login.");
  }
  const { user, password, token, credsFile } = login;
  const ways = [user, token, credsFile].filter((way) => way !== undefined);
  if (engine.login && ways.length !== 1) {
    say(["engine", "login"], "Give one of user, token and credsFile.");
  }
  if (password !== undefined && user === undefined) {
    say(["engine", "login", "password"], "It belongs to a user, which is missing.");
  }
}

function checkArchive({ audit: { archive }, engine: { driver, folder } }: GatewayConfig, say: Say) {
  if (!archive) return;
  const at = ["audit", "archive", "folder"];
  if (driver === "memory") {
    // Its places begin anew with each process, so that two runs could not be told apart.
    say(at, "The driver memory forgets where it was; set engine.driver to file or nats.");
  }
  if (folder !== undefined && resolve(folder) === resolve(archive.folder)) {
    say(at, "It is engine.folder; an archive needs a folder of its own.");
  }
}

function checkAnchor({ audit: { anchor, archive }, engine }: GatewayConfig, say: Say): void {
  if (!anchor) return;
  const { file, url, token } = anchor;
  const at: Path = ["audit", "anchor"];
  if ((file === undefined) === (url === undefined)) say(at, "Give one of file and url.");
  if (token !== undefined && url === undefined) {
    say([...at, "token"], "It belongs to a url, which is missing.");
  }
  if (url !== undefined) checkAnchorUrl([...at, "url"], url, say);
  for (const folder of [engine.folder, archive?.folder]) {
    // Whoever can cut the log there can cut the anchor too.
    if (file === undefined || folder === undefined || !isInside(file, folder)) continue;
    say([...at, "file"], `It is in ${folder}, next to the log; use a place of its own.`);
  }
}

function checkAnchorUrl(at: Path, text: string, say: Say): void {
  const url = parse(text);
  if (!url || !isSafe(url) || !/^https?:$/.test(url.protocol)) {
    say(at, `"${text}" is not encrypted; use https.`);
  } else if (url.username || url.password || url.search || url.hash) {
    say(at, "Give an address without a credential, query or fragment; use token.");
  }
}

function isInside(file: string, folder: string): boolean {
  const way = relative(resolve(folder), resolve(file));
  return !way.startsWith("..") && !isAbsolute(way);
}

const OF_URL = ["private", "transport", "era", "headers", "oauth"] as const;
const OF_COMMAND = ["cwd", "user", "env", "passEnv"] as const;
const DEFAULTS: Partial<ServerConfig> = { private: false, transport: "http", era: "auto" };

function checkServer(id: string, server: ServerConfig, config: GatewayConfig, say: Say): void {
  const at: Path = ["servers", id];
  const foreign = server.url === undefined ? OF_URL : OF_COMMAND;
  const kind = server.url === undefined ? "a command" : "a url";
  for (const name of foreign) {
    if (server[name] === undefined || server[name] === DEFAULTS[name]) continue;
    say([...at, name], `It means nothing for a server with ${kind}; remove it.`);
  }
  if (server.url === undefined) {
    checkProgram(id, server, config, say);
    return;
  }
  const url = parse(server.url);
  if (!url) {
    say([...at, "url"], `"${server.url}" is no address.`);
    return;
  }
  if (url.username || url.password) {
    say([...at, "url"], "It carries a credential; give it in headers.");
  }
  if (url.protocol !== "https:" && !server.private) {
    say(
      [...at, "url"],
      `"${server.url}" is not encrypted; use https, or "private: true" for a server of your own network.`,
    );
  }
  if (server.oauth) checkOAuth(at, server, config, say);
}

/** Servers don't run as the gateway's own user where that would let them act as any of its users (S19). */
function checkProgram(id: string, server: ServerConfig, config: GatewayConfig, say: Say): void {
  if (server.user !== undefined || !isSharedGateway(config)) return;
  const example = `mcp-${id.toLowerCase().replace(/[^a-z0-9]+/g, "-")}`.slice(0, 32);
  say(
    ["servers", id, "user"],
    `It is missing. Users share this gateway (auth.mode ${config.auth.mode}), and a process of the gateway's own user could read its keys. Create a user for this server (useradd --system ${example}) and write "user: ${example}".`,
  );
}

function checkOAuth(at: Path, server: ServerConfig, config: GatewayConfig, say: Say): void {
  const { listen } = config;
  const { clientId, clientSecret, issuer } = server.oauth ?? {};
  if (listen.publicUrl === undefined) {
    say(["listen", "publicUrl"], `"${at.at(-1)}" has oauth, which returns there; set it.`);
  }
  if (clientSecret !== undefined && clientId === undefined) {
    say([...at, "oauth", "clientSecret"], "It belongs to a clientId, which is missing.");
  }
  if (clientSecret !== undefined && issuer === undefined) {
    // Without it, the server itself would name who gets the secret.
    const text = "It goes to whichever authorization server the server names; set oauth.issuer.";
    say([...at, "oauth", "clientSecret"], text);
  }
  if (issuer !== undefined && parse(issuer)?.protocol !== "https:" && !server.private) {
    say([...at, "oauth", "issuer"], `"${issuer}" is not encrypted; use https.`);
  }
}

function isSafe({ protocol, hostname }: URL): boolean {
  const isLocal = hostname === "localhost" || hostname.endsWith(".localhost");
  return protocol === "https:" || isLocal || isLoopbackHost(hostname.replace(/^\[|\]$/g, ""));
}

function parse(text: string): URL | undefined {
  return URL.canParse(text) ? new URL(text) : undefined;
}
