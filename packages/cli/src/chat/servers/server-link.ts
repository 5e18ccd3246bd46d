// A connection of the chat to one server of `mcp.json`.

import {
  Client,
  type ElicitRequestParams,
  type ElicitResult,
  SSEClientTransport,
  StreamableHTTPClientTransport,
  type Transport,
} from "@modelcontextprotocol/client";
import { getDefaultEnvironment, StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { appsExtension } from "@vitrine/host";
import { loginNeededOf } from "../../auth/login-needed.ts";
import type { ServerLogins } from "../../auth/server-logins.ts";
import type { ServerEntry } from "./server-list.ts";

/** How to connect. */
export interface LinkOptions {
  /** Asks the user for the server. */
  elicit(params: ElicitRequestParams, signal: AbortSignal): Promise<ElicitResult>;
  /** Called once if the server ends the connection. */
  onEnd(reason: string): void;
  /** The stored log-ins. */
  logins?: ServerLogins | undefined;
}

/** A connected server. */
export interface ServerLink {
  readonly client: Client;
  close(): Promise<void>;
}

/** The server wants the user to log in first. */
export class LoginNeeded extends Error {}

// `npx` and `uvx` install a server first.
const TIMEOUT = 60_000;
const STDERR_KEPT = 2000;

/** Connects. The message of an error is for the user. */
export async function linkServer(entry: ServerEntry, options: LinkOptions): Promise<ServerLink> {
  if (entry.kind === "invalid") throw new Error(entry.reason);
  if (entry.kind === "command") return linkProgram(entry, options);
  if (entry.transport === "sse") return linkAddress(entry, "sse", options);
  try {
    return await linkAddress(entry, "http", options);
  } catch (error) {
    // Servers from before Streamable HTTP reject its first request.
    if (entry.transport !== undefined || error instanceof LoginNeeded) throw error;
    return linkAddress(entry, "sse", options).catch(() => {
      throw error;
    });
  }
}

async function linkProgram(
  { command, args, env, cwd }: Extract<ServerEntry, { kind: "command" }>,
  options: LinkOptions,
): Promise<ServerLink> {
  let stderr = "";
  const transport = new StdioClientTransport({
    command,
    args: [...args],
    stderr: "pipe",
    ...(cwd !== undefined && { cwd }),
    // Not the whole environment: it has the keys of models, and a server gets only those in its entry.
    env: { ...getDefaultEnvironment(), ...env },
  });
  transport.stderr?.on("data", (chunk) => {
    stderr = (stderr + String(chunk)).slice(-STDERR_KEPT);
  });
  const said = (): string => (stderr.trim() ? `\n${stderr.trim()}` : "");
  try {
    return await connect(transport, { ...options, onEnd: (text) => options.onEnd(text + said()) });
  } catch (error) {
    if ((error as { code?: unknown }).code === "ENOENT")
      throw new Error(`The program "${command}" isn't installed.`, { cause: error });
    throw new Error(
      `"${command}" didn't answer as an MCP server: ${(error as Error).message}${said()}`,
      { cause: error },
    );
  }
}

async function linkAddress(
  { url, headers }: Extract<ServerEntry, { kind: "url" }>,
  kind: "http" | "sse",
  options: LinkOptions,
): Promise<ServerLink> {
  // Not as `requestInit`: that would send the headers to the authorization server too.
  const given = options.logins?.connection(url, new Headers(headers)) ?? {
    requestInit: { headers: { ...headers } },
  };
  const transport =
    kind === "http"
      ? new StreamableHTTPClientTransport(url, given)
      : new SSEClientTransport(url, given);
  try {
    return await connect(transport, options);
  } catch (error) {
    if (loginNeededOf(error))
      throw new LoginNeeded("This server wants you to log in.", { cause: error });
    throw new Error(
      `${url.origin}${url.pathname} didn't answer as an MCP server: ${(error as Error).message}`,
      { cause: error },
    );
  }
}

async function connect(transport: Transport, options: LinkOptions): Promise<ServerLink> {
  const client = new Client(
    { name: "vitrine-chat", version: "0.1.0" },
    {
      capabilities: appsExtension({ elicitation: { form: {} } }),
      versionNegotiation: { mode: "auto" },
    },
  );
  client.onerror = () => {};
  client.setRequestHandler("elicitation/create", ({ params }, { mcpReq }) =>
    options.elicit(params, mcpReq.signal),
  );
  let isClosing = false;
  try {
    await client.connect(transport, { timeout: TIMEOUT });
  } catch (error) {
    isClosing = true;
    await client.close().catch(() => {});
    throw error;
  }
  client.onclose = () => {
    if (!isClosing) options.onEnd("The server has stopped.");
    isClosing = true;
  };
  return {
    client,
    close: async () => {
      isClosing = true;
      await client.close().catch(() => {});
    },
  };
}
