// One connection to a server that keeps all its messages: the dev host shows them, `check` searches
// them for causes. The official client negotiates the protocol era.

import {
  Client,
  type ClientCapabilities,
  type CreateMessageRequestParams,
  type CreateMessageResult,
  type ElicitRequestParams,
  type ElicitResult,
  type JSONRPCMessage,
  StreamableHTTPClientTransport,
  type Transport,
  UnauthorizedError,
} from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { appsExtension, mcpClientUpstream, type Upstream } from "@vitrine/host";
import { createServerLogins, type ServerLogins } from "../auth/server-logins.ts";
import { Failure } from "../failure.ts";
import { nameOf, type Target } from "./target.ts";

/** A message between client and server. */
export interface Frame {
  /** Milliseconds of `performance.now()`. */
  at: number;
  direction: "to-server" | "from-server";
  message: JSONRPCMessage;
}

/** Answers requests of a server to its user and to a model. */
export interface ServerQuestions {
  elicit(params: ElicitRequestParams, signal: AbortSignal): Promise<ElicitResult>;
  sample(params: CreateMessageRequestParams, signal: AbortSignal): Promise<CreateMessageResult>;
}

/** How to connect. */
export interface ConnectOptions {
  /** The host's name for the server; the target's name by default. */
  name?: string;
  /** Whether the client declares that it shows views; default true. */
  ui?: boolean;
  /** Called with every message. */
  onFrame?: (frame: Frame) => void;
  /** Called with the server's output on stderr. */
  onStderr?: (text: string) => void;
  /** Called once when the server exits by itself. */
  onExit?: () => void;
  /** Answers the server's questions; by default the client doesn't support them. */
  questions?: ServerQuestions;
  /** Longest time until the server has answered; by default a minute: `npx` and `uvx` install it first. */
  timeout?: number;
  /** The log-ins; by default stored ones are used. */
  logins?: ServerLogins;
  /** Its era last time; by default it is detected, for which a program is started twice. */
  era?: "modern" | "legacy";
}

/** A connected server. */
export interface ServerConnection {
  readonly client: Client;
  /** The same server as a host sees it. */
  readonly upstream: Upstream;
  /** `modern` is 2026-07-28 and later. */
  readonly era: "modern" | "legacy";
  /** The end of its stderr output. */
  readonly stderr: string;
  close(): Promise<void>;
}

const STDERR_KEPT = 8_000;

/** Connects. Throws a `Failure` that explains how to find out more. */
export async function connectServer(
  target: Target,
  options: ConnectOptions = {},
): Promise<ServerConnection> {
  const { timeout = 60_000 } = options;
  const { logins = createServerLogins() } = options;
  let stderr = "";
  const transport = createTransport(target, {
    isKnown: options.era !== undefined,
    logins,
    onStderr: (text) => {
      stderr = (stderr + text).slice(-STDERR_KEPT);
      options.onStderr?.(text);
    },
  });
  tap(transport, options.onFrame);
  const client = new Client(
    { name: "vitrine", version: "0.1.0" },
    {
      capabilities: capabilitiesOf(options),
      versionNegotiation: { mode: options.era === "legacy" ? "legacy" : "auto" },
    },
  );
  client.onerror = () => {};
  if (options.questions) attend(client, options.questions);
  let isClosing = false;
  try {
    await client.connect(transport, { timeout });
  } catch (error) {
    isClosing = true;
    await client.close().catch(() => {});
    throw failureOf(target, error, { stderr, redact: logins.redact });
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

function capabilitiesOf({ ui = true, questions }: ConnectOptions): ClientCapabilities {
  const asked = questions ? { elicitation: { form: {}, url: {} }, sampling: {} } : {};
  return ui ? appsExtension(asked) : asked;
}

/** The client uses the same handlers for requests of the server and for results that need input. */
function attend(client: Client, { elicit, sample }: ServerQuestions): void {
  client.setRequestHandler("elicitation/create", ({ params }, { mcpReq }) =>
    elicit(params, mcpReq.signal),
  );
  client.setRequestHandler("sampling/createMessage", ({ params }, { mcpReq }) =>
    sample(params, mcpReq.signal),
  );
}

/**
 * Hides the transport's type from the client: it then detects the era on this one, and starts no
 * second program.
 */
class KnownTransport extends StdioClientTransport {}

function createTransport(
  target: Target,
  {
    isKnown,
    logins,
    onStderr,
  }: { isKnown: boolean; logins: ServerLogins; onStderr(text: string): void },
): Transport {
  if (target.kind === "url")
    return new StreamableHTTPClientTransport(
      target.url,
      logins.connection(target.url, target.headers),
    );
  const { program, args, cwd, env } = target;
  const transport = new (isKnown ? KnownTransport : StdioClientTransport)({
    command: program,
    args: [...args],
    stderr: "pipe",
    ...(cwd !== undefined && { cwd }),
    // As a shell would: most servers take their keys from the environment, and the user has typed the
    // command.
    env: { ...(process.env as Record<string, string>), ...env },
  });
  transport.stderr?.on("data", (chunk) => onStderr(String(chunk)));
  return transport;
}

/** Observes messages without changing them. */
function tap(transport: Transport, onFrame: ConnectOptions["onFrame"]): void {
  if (!onFrame) return;
  const send = transport.send.bind(transport);
  transport.send = (message, options) => {
    onFrame({ at: performance.now(), direction: "to-server", message });
    return send(message, options);
  };
  // The client sets `onmessage` when it connects; its handler is called after ours. An upstream wraps
  // it again, and a message still counts once.
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

function failureOf(target: Target, error: unknown, { stderr, redact }: FailureFacts): Failure {
  const own = failureIn(error);
  if (own) return own;
  // A server may repeat the token that it was sent.
  const reason = redact(error instanceof Error ? error.message : String(error));
  if (target.kind === "url") return addressFailure(target, error, reason);
  const said = stderr.trim() ? `\nThe end of its stderr output:\n${lastLines(stderr)}` : "";
  if ((error as { code?: unknown }).code === "ENOENT") {
    return new Failure(
      "server-start",
      `The program "${target.program}" doesn't exist. Check that it is installed and that the path is right.`,
      { cause: error },
    );
  }
  return new Failure(
    "server-start",
    `\`${nameOf(target)}\` started but did not answer as an MCP server: ${reason}.${said || "\nIt wrote nothing to stderr. A server must not print anything except MCP messages to stdout."}`,
    { cause: error },
  );
}

interface FailureFacts {
  stderr: string;
  redact(text: string): string;
}

function addressFailure(
  target: Extract<Target, { kind: "url" }>,
  error: unknown,
  reason: string,
): Failure {
  const name = nameOf(target);
  const status = statusOf(error);
  if (status !== 401 && status !== 403)
    return new Failure(
      "server-unreachable",
      `${name} did not answer as an MCP server: ${reason}. Check that it is running and that this is its endpoint (often /mcp).`,
      { cause: error },
    );
  const hasHeaders = target.headers !== undefined && [...target.headers].length > 0;
  const remedy = hasHeaders
    ? "Check the headers that you pass."
    : `Run \`vitrine login ${name}\`, or pass a key with --header "Authorization: …".`;
  const what = status === 401 ? "unauthorized (401)" : "forbidden (403)";
  return new Failure("server-unreachable", `${name} rejected the request as ${what}. ${remedy}`, {
    cause: error,
  });
}

/** Our own failure among an error and its causes, such as a log-in that is needed. */
function failureIn(error: unknown): Failure | undefined {
  for (let one = error, depth = 0; one instanceof Error && depth < 8; one = one.cause, depth++)
    if (one instanceof Failure) return one;
  return undefined;
}

/** The status of the response that the error is about, if there is one. */
function statusOf(error: unknown): number | undefined {
  if (error instanceof UnauthorizedError) return 401;
  for (let one = error, depth = 0; one instanceof Error && depth < 8; one = one.cause, depth++) {
    const { status, data } = one as { status?: unknown; data?: { status?: unknown } };
    const found = status ?? data?.status;
    if (typeof found === "number") return found;
  }
  return undefined;
}

function lastLines(text: string): string {
  return text
    .trim()
    .split("\n")
    .slice(-8)
    .map((line) => `  ${line}`)
    .join("\n");
}
