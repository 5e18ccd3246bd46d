/** A server of a registry, checked and bounded. */
export interface RegistryServer {
  name: string;
  version: string;
  title?: string;
  description?: string;
  status: "active" | "deprecated" | "deleted";
  remotes: RegistryRemote[];
  packages: RegistryPackage[];
}

/** A server on the web. */
export interface RegistryRemote {
  type: "streamable-http" | "sse";
  url: string;
  /** The names of headers that it needs. */
  headers: string[];
}

/** A program that has to be installed. */
export interface RegistryPackage {
  type: "npm" | "pypi" | "oci";
  identifier: string;
  version: string;
  /** The names of variables that it needs. */
  variables: string[];
  /** The number of arguments that the registry lists; they aren't taken over. */
  arguments: number;
}

const OFFICIAL = "io.modelcontextprotocol.registry/official";
const NAME = /^[a-zA-Z0-9.-]{1,128}\/[a-zA-Z0-9._-]{1,128}$/;
/** An exact version: never a range, a tag or an option. */
const VERSION = /^[0-9][0-9A-Za-z.+-]{0,127}$/;
const IDENTIFIERS = {
  npm: /^(?:@[a-z0-9][a-z0-9._~-]*\/)?[a-z0-9][a-z0-9._~-]*$/,
  pypi: /^[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?$/,
  oci: /^[a-z0-9][a-z0-9.:-]*(?:\/[a-z0-9][a-z0-9._-]*)+$/,
} as const;
const HEADER = /^[A-Za-z0-9-]{1,64}$/;
const VARIABLE = /^[A-Za-z_][A-Za-z0-9_]{0,63}$/;
const LONGEST_TEXT = 500;
const LONGEST_URL = 2048;
const MOST = 20;

/** Reads an entry of a registry, or tells why it can't be used. */
export function readEntry(entry: unknown): RegistryServer | { problem: string } {
  const { server, _meta } = Object(entry) as { server?: unknown; _meta?: unknown };
  const given = Object(server) as Record<string, unknown>;
  const { name, version } = given;
  if (typeof name !== "string" || !NAME.test(name)) return { problem: "its name isn't valid." };
  if (typeof version !== "string" || !VERSION.test(version)) {
    return { problem: "its version isn't an exact version." };
  }
  const { status = "active" } = Object((Object(_meta) as Record<string, unknown>)[OFFICIAL]) as {
    status?: unknown;
  };
  if (status !== "active" && status !== "deprecated" && status !== "deleted") {
    return { problem: "its status is unknown." };
  }
  return {
    ...{ name, version, status },
    ...textMember(given, "title"),
    ...textMember(given, "description"),
    remotes: listOf(given.remotes).flatMap(readRemote),
    packages: listOf(given.packages).flatMap(readPackage),
  };
}

function readRemote(given: Record<string, unknown>): RegistryRemote[] {
  const { type, url } = given;
  if (type !== "streamable-http" && type !== "sse") return [];
  // An address with variables, such as {tenant}, needs an operator's values.
  if (typeof url !== "string" || url.length > LONGEST_URL || /[{}\s]/.test(url)) return [];
  if (!URL.canParse(url)) return [];
  const { protocol, username, password, href } = new URL(url);
  if (protocol !== "https:" || username || password) return [];
  return [{ type, url: href, headers: namesOf(given.headers, HEADER) }];
}

function readPackage(given: Record<string, unknown>): RegistryPackage[] {
  const { registryType: type, identifier, version } = given;
  if (type !== "npm" && type !== "pypi" && type !== "oci") return [];
  if (typeof identifier !== "string" || identifier.length > 256) return [];
  if (!IDENTIFIERS[type].test(identifier)) return [];
  if (typeof version !== "string" || !VERSION.test(version)) return [];
  const { transport, environmentVariables, packageArguments, runtimeArguments } = given;
  if ((Object(transport) as { type?: unknown }).type !== "stdio") return [];
  const variables = namesOf(environmentVariables, VARIABLE);
  const count = listOf(packageArguments).length + listOf(runtimeArguments).length;
  return [{ type, identifier, version, variables, arguments: count }];
}

function listOf(value: unknown): Record<string, unknown>[] {
  const items: unknown[] = Array.isArray(value) ? value.slice(0, MOST) : [];
  return items.map((item) => Object(item) as Record<string, unknown>);
}

function namesOf(value: unknown, pattern: RegExp): string[] {
  return listOf(value).flatMap(({ name }) =>
    typeof name === "string" && pattern.test(name) ? [name] : [],
  );
}

function textMember(
  given: Record<string, unknown>,
  name: "title" | "description",
): { [member in typeof name]?: string } {
  const value = given[name];
  return typeof value === "string" ? { [name]: value.slice(0, LONGEST_TEXT) } : {};
}
