// Reads `mcp.json` in the format of Claude and Cursor: programs and addresses by name, with variables
// of the environment. A file that can't be read stops the command; an entry that can't be used becomes
// a server with a reason, because the other servers still work.

import { readFile } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { Failure } from "../../failure.ts";

/** One server of the file. */
export type ServerEntry =
  | {
      kind: "command";
      command: string;
      args: readonly string[];
      env: Readonly<Record<string, string>>;
      cwd?: string;
    }
  | {
      kind: "url";
      url: URL;
      /** `undefined` if the file doesn't say: then both are tried. */
      transport: "http" | "sse" | undefined;
      headers: Readonly<Record<string, string>>;
    }
  | { kind: "invalid"; reason: string };

/** The servers of a file by name, in its order. */
export type ServerList = ReadonlyMap<string, ServerEntry>;

/** Where relative paths and variables come from. */
export interface ServerListOptions {
  /** The folder of the file. */
  folder: string;
  env: Readonly<Record<string, string | undefined>>;
}

const MOST_SERVERS = 64;
const LONGEST_NAME = 64;
// `${NAME}` and `${NAME:-default}` of Claude, `${env:NAME}` of Cursor.
const VARIABLE = /\$\{(?:env:)?([A-Za-z_]\w*)(?::-([^}]*))?\}/g;

/** Reads the file. */
export async function readServerFile(
  path: string,
  env: ServerListOptions["env"] = process.env,
): Promise<ServerList> {
  let text: string;
  try {
    text = await readFile(path, "utf8");
  } catch (error) {
    throw new Failure(
      "unreadable",
      `${path} can't be read: ${(error as Error).message}. Pass the file with your servers: --servers mcp.json`,
      { cause: error },
    );
  }
  return parseServerList(text, { folder: dirname(resolve(path)), env, name: path });
}

/** Reads the text of a file. */
export function parseServerList(
  text: string,
  { name = "mcp.json", ...options }: ServerListOptions & { name?: string },
): ServerList {
  const { mcpServers } = Object(parse(text, name)) as { mcpServers?: unknown };
  if (!isRecord(mcpServers)) {
    throw new Failure(
      "unreadable",
      `${name} has no object "mcpServers". Write {"mcpServers": {"files": {"command": "npx", "args": ["some-server"]}}}.`,
    );
  }
  const entries = Object.entries(mcpServers);
  if (entries.length > MOST_SERVERS) {
    throw new Failure(
      "unreadable",
      `${name} has ${entries.length} servers. At most ${MOST_SERVERS} are supported.`,
    );
  }
  const servers = new Map<string, ServerEntry>();
  for (const [server, value] of entries) {
    if (server === "" || server.length > LONGEST_NAME) {
      throw new Failure(
        "unreadable",
        `The name "${server.slice(0, 80)}" in ${name} must have 1 to ${LONGEST_NAME} characters.`,
      );
    }
    // Both products leave out servers that are switched off.
    if (isRecord(value) && value.disabled === true) continue;
    servers.set(server, readEntry(value, options));
  }
  return servers;
}

function parse(text: string, name: string): unknown {
  try {
    // Editors on Windows write a byte order mark.
    return JSON.parse(text.replace(/^\uFEFF/, ""));
  } catch (error) {
    throw new Failure("unreadable", `${name} isn't valid JSON: ${(error as Error).message}.`, {
      cause: error,
    });
  }
}

class EntryError extends Error {}

function readEntry(value: unknown, options: ServerListOptions): ServerEntry {
  try {
    if (!isRecord(value)) throw new EntryError("The entry isn't an object.");
    if (value.command !== undefined && value.url !== undefined)
      throw new EntryError('The entry has both "command" and "url". Keep one.');
    if (value.command !== undefined) return readCommand(value, options);
    if (value.url !== undefined) return readUrl(value, options);
    throw new EntryError('The entry has neither "command" nor "url".');
  } catch (error) {
    if (error instanceof EntryError) return { kind: "invalid", reason: error.message };
    throw error;
  }
}

function readCommand(value: Record<string, unknown>, options: ServerListOptions): ServerEntry {
  const type = value.type ?? "stdio";
  if (type !== "stdio")
    throw new EntryError(`The type is ${JSON.stringify(type)}. A command has the type "stdio".`);
  const args = value.args ?? [];
  if (!Array.isArray(args)) throw new EntryError('"args" isn\'t a list.');
  const command = readText(value.command, "command", options);
  if (command === "") throw new EntryError('"command" is empty.');
  return {
    kind: "command",
    command,
    args: args.map((arg) => readText(arg, "args", options)),
    env: readTexts(value.env, "env", options),
    ...(value.cwd !== undefined && {
      cwd: resolve(options.folder, readText(value.cwd, "cwd", options)),
    }),
  };
}

const TRANSPORTS: Readonly<Record<string, "http" | "sse">> = {
  http: "http",
  "streamable-http": "http",
  streamableHttp: "http",
  sse: "sse",
};

function readUrl(value: Record<string, unknown>, options: ServerListOptions): ServerEntry {
  const text = readText(value.url, "url", options);
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.protocol !== "http:" && url?.protocol !== "https:")
    throw new EntryError(`"url" is "${text}". Use an address that starts with https:// or http://`);
  const { type } = value;
  const transport = typeof type === "string" ? TRANSPORTS[type] : undefined;
  if (type !== undefined && !transport)
    throw new EntryError(`The type is ${JSON.stringify(type)}. Use "http" or "sse".`);
  return { kind: "url", url, transport, headers: readTexts(value.headers, "headers", options) };
}

function readTexts(
  value: unknown,
  field: string,
  options: ServerListOptions,
): Record<string, string> {
  if (value === undefined) return {};
  if (!isRecord(value)) throw new EntryError(`"${field}" isn't an object.`);
  return Object.fromEntries(
    Object.entries(value).map(([name, text]) => [
      name,
      readText(text, `${field}.${name}`, options),
    ]),
  );
}

function readText(value: unknown, field: string, { env }: ServerListOptions): string {
  if (typeof value !== "string") throw new EntryError(`"${field}" isn't a text.`);
  return value.replace(VARIABLE, (_, name: string, fallback: string | undefined) => {
    const found = env[name] || fallback;
    if (found === undefined)
      throw new EntryError(
        `"${field}" needs the variable ${name}, which isn't set. Set it, and start the chat again.`,
      );
    return found;
  });
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
