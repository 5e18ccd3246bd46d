// One connection to a server, with everything that went over it kept: the dev Host shows it, `check`
// looks for reasons in it. The official client negotiates the era.

import {
  Client,
  type JSONRPCMessage,
  StreamableHTTPClientTransport,
  type Transport,
} from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { appsExtension, mcpClientUpstream, type Upstream } from "@vitrine/host";
import { Failure } from "../failure.ts";
import { nameOf, type Target } from "./target.ts";

/** A message between client and server. */
export interface Frame {
  /** Milliseconds of `performance.now()`. */
  at: number;
  direction: "to-server" | "from-server";
  message: JSONRPCMessage;
}

/** How to connect. */
export interface ConnectOptions {
  /** The Host's name for the server; what the target is called by default. */
  name?: string;
  /** Whether the client says that it shows Views; default true. */
  ui?: boolean;
  /** Hears every message as it passes. */
  onFrame?: (frame: Frame) => void;
  /** Hears what the server's program writes to stderr. */
  onStderr?: (text: string) => void;
  /** Told once when the server goes away by itself. */
  onExit?: () => void;
  /** Longest time until the server has answered; by default a minute: `npx` and `uvx` install it first. */
  timeout?: number;
  /** What it spoke the last time; by default it is asked, and a program is started twice for that. */
  era?: "modern" | "legacy";
}

/** A server that answered. */
export interface ServerConnection {
  readonly client: Client;
  /** The same server as a Host sees it. */
  readonly upstream: Upstream;
  /** `modern` is 2026-07-28 and later. */
  readonly era: "modern" | "legacy";
  /** The last words of its stderr. */
  readonly stderr: string;
  close(): Promise<void>;
}

const STDERR_KEPT = 8_000;

/** Connects; what goes wrong is a `Failure` that says how to see more. */
export async function connectServer(
  target: Target,
  options: ConnectOptions = {},
): Promise<ServerConnection> {
  const { ui = true, timeout = 60_000 } = options;
  let stderr = "";
  const transport = createTransport(target, {
    isKnown: options.era !== undefined,
    onStderr: (text) => {
      stderr = (stderr + text).slice(-STDERR_KEPT);
      options.onStderr?.(text);
    },
  });
  tap(transport, options.onFrame);
  const client = new Client(
    { name: "vitrine", version: "0.1.0" },
    {
      capabilities: ui ? appsExtension() : {},
      versionNegotiation: { mode: options.era === "legacy" ? "legacy" : "auto" },
    },
  );
  client.onerror = () => {};
  let isClosing = false;
  try {
    await client.connect(transport, { timeout });
  } catch (error) {
    isClosing = true;
    await client.close().catch(() => {});
    throw failureOf(target, error, stderr);
  }
  client.onclose = () => {
    if (!isClosing) options.onExit?.();
    isClosing = true;
  };
  return {
    client,
    upstream: mcpClientUpstream(client, { server: options.name ?? nameOf(target) }),
    era: client.getProtocolEra() === "modern" ? "modern" : "legacy",
    get stderr() {
      return stderr;
    },
    close: async () => {
      isClosing = true;
      await client.close();
    },
  };
}

/** To the client no transport of its own: it asks on this one, and starts no second program to ask. */
class KnownTransport extends StdioClientTransport {}

function createTransport(
  target: Target,
  { isKnown, onStderr }: { isKnown: boolean; onStderr(text: string): void },
): Transport {
  if (target.kind === "url") return new StreamableHTTPClientTransport(target.url);
  const { program, args, cwd, env } = target;
  const transport = new (isKnown ? KnownTransport : StdioClientTransport)({
    command: program,
    args: [...args],
    stderr: "pipe",
    ...(cwd !== undefined && { cwd }),
    // As a shell would: most servers take their keys from there, and the person has typed the command.
    env: { ...(process.env as Record<string, string>), ...env },
  });
  transport.stderr?.on("data", (chunk) => onStderr(String(chunk)));
  return transport;
}

/** Sees what passes without being in its way. */
function tap(transport: Transport, onFrame: ConnectOptions["onFrame"]): void {
  if (!onFrame) return;
  const send = transport.send.bind(transport);
  transport.send = (message, options) => {
    onFrame({ at: performance.now(), direction: "to-server", message });
    return send(message, options);
  };
  // The client sets `onmessage` when it connects; whatever it sets is called after us. An upstream sets it
  // again, around what it found there, and a message is still one message.
  let receive: Transport["onmessage"];
  const seen = new WeakSet<object>();
  Object.defineProperty(transport, "onmessage", {
    configurable: true,
    get: () => receive,
    set: (handler: Transport["onmessage"]) => {
      receive =
        handler &&
        ((message, extra) => {
          if (!seen.has(message)) {
            seen.add(message);
            onFrame({ at: performance.now(), direction: "from-server", message });
          }
          handler.call(transport, message, extra);
        });
    },
  });
}

function failureOf(target: Target, error: unknown, stderr: string): Failure {
  const reason = error instanceof Error ? error.message : String(error);
  const said = stderr.trim() ? `\nIts last words on stderr:\n${lastLines(stderr)}` : "";
  const name = nameOf(target);
  if (target.kind === "url") {
    return new Failure(
      "server-unreachable",
      `${name} did not answer as an MCP server: ${reason}. Is it running, and is this its endpoint (often /mcp)?`,
      { cause: error },
    );
  }
  if ((error as { code?: unknown }).code === "ENOENT") {
    return new Failure(
      "server-start",
      `There is no program "${target.program}" to start. Is it installed, and is the path right?`,
      { cause: error },
    );
  }
  return new Failure(
    "server-start",
    `\`${name}\` was started and did not answer as an MCP server: ${reason}.${said || "\nIt wrote nothing to stderr. A server that prints anything but MCP to stdout cannot be understood."}`,
    { cause: error },
  );
}

function lastLines(text: string): string {
  return text
    .trim()
    .split("\n")
    .slice(-8)
    .map((line) => `  ${line}`)
    .join("\n");
}
