// The server behind the dev host. It may be restarted at any time, and the page keeps the same
// upstream; if a server doesn't start, the last one keeps running, so that a typo doesn't end the
// session.

import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import type { GetPromptRequestParams, GetPromptResult } from "@modelcontextprotocol/client";
import type { ListName, Upstream } from "@vitrine/host";
import { resourceOf } from "../auth/login-file.ts";
import { loginNeededOf } from "../auth/login-needed.ts";
import type { ServerLogins } from "../auth/server-logins.ts";
import { launchChromium } from "../browser/chromium.ts";
import type { CheckReport } from "../check/check.ts";
import type { Picture } from "../check/render/picture.ts";
import { wordsOf } from "../failure.ts";
import {
  connectServer,
  type Frame,
  type ServerConnection,
  type ServerQuestions,
} from "../target/server-connection.ts";
import { nameOf, type Target } from "../target/target.ts";
import type { RunCheck } from "./dev-check.ts";
import { lockedConnection } from "./locked-connection.ts";
import type { ServerStatus } from "./page-protocol.ts";

/** A server that can be restarted. */
export interface DevServer {
  readonly upstream: Upstream;
  readonly status: ServerStatus;
  /** Requests `prompts/get`; a recording can't. */
  getPrompt?(params: GetPromptRequestParams, signal: AbortSignal): Promise<GetPromptResult>;
  /** Checks it, in another process of its own; a recording can't. */
  check?: RunCheck;
  /** Whether the server is ready now. */
  restart(): Promise<boolean>;
  onStatus(listener: (status: ServerStatus) => void): () => void;
  close(): Promise<void>;
}

/** The callbacks. */
export interface DevServerOptions {
  onFrame(frame: Frame): void;
  onStderr(text: string): void;
  /** Answers what the server asks of its user and of a model; by default it can't ask. */
  questions?: ServerQuestions;
  /** The log-ins; with them, a server that needs one can be started before it. */
  logins?: ServerLogins;
}

const LISTS: readonly ListName[] = ["tools", "resources", "prompts"];
const REVIVAL = 400;
const REVIVALS = 3;
const ATTEMPTS = 6;
// A server that has run for this long isn't in a crash loop.
const LIFE = 10_000;

/** Starts the server, or connects to it; the first failure is a `Failure`. */
export async function startDevServer(
  target: Target,
  options: DevServerOptions,
): Promise<DevServer> {
  const changes = new Set<(list: ListName) => void>();
  const listeners = new Set<(status: ServerStatus) => void>();
  let state: Pick<ServerStatus, "state" | "reason"> = { state: "ready" };
  let revivals = 0;
  let isClosed = false;
  let restarting: Promise<boolean> | undefined;

  const connect = async (era?: ServerConnection["era"]): Promise<ServerConnection> => {
    const began = Date.now();
    const opened: ServerConnection = await connectServer(inDevelopment(target), {
      ...(era && { era }),
      onFrame: options.onFrame,
      onStderr: options.onStderr,
      ...(options.questions && { questions: options.questions }),
      ...(options.logins && { logins: options.logins }),
      onExit: () => {
        if (opened !== connection || isClosed) return;
        if (Date.now() - began > LIFE) revivals = 0;
        setState({
          state: "gone",
          reason: `The server has exited.\n${opened.stderr.trim().slice(-600)}`,
        });
        if (++revivals <= REVIVALS)
          setTimeout(() => void server.restart(), REVIVAL * revivals).unref();
      },
    });
    return opened;
  };
  const setState = (next: typeof state): void => {
    state = next;
    for (const listener of [...listeners]) listener(server.status);
  };
  const announce = (list: ListName): void => {
    for (const listener of [...changes]) listener(list);
  };

  /** A server at an address may be restarting; we start programs ourselves. */
  const connectAgain = async (): Promise<ServerConnection> => {
    if (target.kind === "command") {
      const { era } = connection;
      // An edit may have changed its protocol version.
      return connect(era).catch(() => connect(era === "modern" ? "legacy" : "modern"));
    }
    for (let attempt = ATTEMPTS; ; attempt--) {
      try {
        return await connect();
      } catch (error) {
        if (attempt <= 1 || isClosed || loginNeededOf(error)) throw error;
        await new Promise((resolve) => setTimeout(resolve, REVIVAL));
      }
    }
  };

  let connection = await connect().catch((error: unknown) => {
    if (!options.logins || !loginNeededOf(error)) throw error;
    state = { state: "login" };
    return lockedConnection(target);
  });
  const stopLogins = options.logins?.onLogin((url) => {
    if (target.kind === "url" && resourceOf(target.url) === url.href) void server.restart();
  });
  let unhear = connection.upstream.onListChanged(announce);

  const replace = async (): Promise<boolean> => {
    setState({ state: "starting" });
    try {
      const next = await connectAgain();
      const last = connection;
      unhear();
      connection = next;
      unhear = next.upstream.onListChanged(announce);
      void last.close().catch(() => {});
      if (isClosed) await next.close();
    } catch (error) {
      setState(
        loginNeededOf(error) ? { state: "login" } : { state: "failed", reason: wordsOf(error) },
      );
      return false;
    }
    setState({ state: "ready" });
    for (const list of LISTS) announce(list);
    return true;
  };

  const server: DevServer = {
    get status() {
      const { client, era } = connection;
      const info = client.getServerVersion();
      return {
        ...state,
        target: nameOf(target),
        name: info?.title ?? info?.name ?? nameOf(target),
        ...(info?.version !== undefined && { version: info.version }),
        era,
        capabilities: connection.upstream.capabilities,
        canRestart: true,
      };
    },
    check: (onPicture) => checkTarget(target, onPicture),
    upstream: {
      get server() {
        return connection.client.getServerVersion()?.name ?? nameOf(target);
      },
      get capabilities() {
        return connection.upstream.capabilities;
      },
      request: (method, params, asked) =>
        connection.upstream.request(
          method,
          method === "tools/call" ? withLogging(params, connection) : params,
          asked,
        ),
      onListChanged: (listener) => {
        changes.add(listener);
        return () => changes.delete(listener);
      },
    },
    getPrompt: (params, signal) =>
      connection.client.getPrompt(params, { signal, timeout: 2 ** 31 - 1 }),
    restart: () => {
      // Files change in groups: a request during a start gets a start that began after the request.
      const next = (restarting ?? Promise.resolve(true)).then(replace);
      restarting = next;
      return next;
    },
    onStatus: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    close: async () => {
      isClosed = true;
      stopLogins?.();
      await connection.close().catch(() => {});
    },
  };
  return server;
}

/** Since 2026-07-28 a server logs only for requests that ask for it. */
function withLogging<Params>(params: Params, { client, era }: ServerConnection): Params {
  if (era === "legacy" || !client.getServerCapabilities()?.logging) return params;
  const { _meta } = Object(params) as { _meta?: object };
  return { ...params, _meta: { "io.modelcontextprotocol/logLevel": "debug", ..._meta } };
}

/** Loaded when it is wanted: a check needs parsers and a browser. */
async function checkTarget(
  target: Target,
  onPicture: (picture: Picture) => void,
): Promise<CheckReport> {
  const { checkServer } = await import("../check/check.ts");
  const browser = await launchChromium();
  try {
    return await checkServer(target, { browser, onPicture });
  } finally {
    await browser.close();
  }
}

/** The environment that we give a program; variables that are set already stay. */
function inDevelopment(target: Target): Target {
  if (target.kind === "url") return target;
  const modules = resolve(target.cwd ?? ".", "node_modules");
  const env: Record<string, string> = {
    // A server with @vitrine/server reads its view's file again; others ignore this.
    VITRINE_DEV: "1",
    // Node caches compiled code, so a restarted server is ready in half the time.
    ...(process.env.NODE_COMPILE_CACHE === undefined &&
      existsSync(modules) && { NODE_COMPILE_CACHE: join(modules, ".cache", "vitrine") }),
    ...target.env,
  };
  return { ...target, env };
}
