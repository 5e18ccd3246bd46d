import { linkedChannels } from "@vitrine/protocol";
import {
  findMethod,
  type Implementation,
  type McpUiHostCapabilities,
  type McpUiInitializeResult,
  validateNotification,
  validateRequest,
  validateResult,
} from "@vitrine/protocol/apps";
import { expect, onTestFinished } from "vitest";
import { AppBridge } from "../src/bridge/bridge.ts";
import type { AppBridgeOptions, BridgeDiagnostic } from "../src/bridge/bridge-options.ts";
import type { ViewChannel } from "../src/bridge/view-channel.ts";
import type { McpClientLike } from "../src/upstreams/official-client.ts";
import type { Upstream } from "../src/upstreams/upstream.ts";

/** Anything on the wire. */
export interface Message {
  jsonrpc?: string;
  id?: unknown;
  method?: string;
  params?: Record<string, unknown>;
  result?: Record<string, unknown>;
  error?: { code: number; message: string };
}

const HELLO = {
  protocolVersion: "2026-01-26",
  appInfo: { name: "raw", version: "1.0.0" },
  appCapabilities: {},
};

/**
 * A View without an SDK, on the bare wire. Messages from the Host are cloned as a browser does and
 * validated with the published schema; an invalid one fails the test.
 */
export class RawView {
  readonly hostEnd: ViewChannel;
  readonly received: Message[] = [];
  readonly illegal: string[] = [];
  /** The user's activity that the Sandbox reports with the next messages. */
  userActive: boolean | undefined;
  readonly #send: (message: unknown) => void;
  readonly #waiting = new Map<unknown, (message: Message) => void>();
  readonly #asked = new Map<unknown, string>();
  #lastId = 0;
  /** Answers to the Host's requests by method; nothing means silence. */
  answers: Record<string, (params: Record<string, unknown>) => unknown> = {};

  constructor() {
    const [near, far] = linkedChannels();
    const view = this;
    this.hostEnd = {
      start: () => {
        near.onmessage = (message) => this.hostEnd.onmessage?.(message);
        near.onclose = () => this.hostEnd.onclose?.();
      },
      send: (message) => near.send(structuredClone(message)),
      close: () => near.close(),
      get userActive() {
        return view.userActive;
      },
    };
    far.onmessage = (message: Message) => this.#receive(message);
    this.#send = (message) => far.send(message as never);
  }

  /** What the Host said of its own accord, in order. */
  get methods(): string[] {
    return this.received.flatMap(({ method }) => method ?? []);
  }

  all(method: string): Message[] {
    return this.received.filter((message) => message.method === method);
  }

  send(message: unknown): void {
    this.#send(message);
  }

  notify(method: string, params?: unknown): void {
    this.send({ jsonrpc: "2.0", method, ...(params !== undefined && { params }) });
  }

  /** Sends a request and resolves with the whole answer. */
  ask(method: string, params?: unknown, id: unknown = ++this.#lastId): Promise<Message> {
    this.#asked.set(id, method);
    const answer = new Promise<Message>((resolve) => this.#waiting.set(id, resolve));
    this.send({ jsonrpc: "2.0", id, method, ...(params !== undefined && { params }) });
    return answer;
  }

  /** Sends a request and resolves with its result, or rejects with the error's code and message. */
  async get(method: string, params?: unknown): Promise<Record<string, unknown>> {
    const { error, result } = await this.ask(method, params);
    if (error) throw Object.assign(new Error(error.message), error);
    return result as Record<string, unknown>;
  }

  async hello(hello: object = {}): Promise<McpUiInitializeResult> {
    return (await this.get("ui/initialize", { ...HELLO, ...hello })) as McpUiInitializeResult;
  }

  /** The whole handshake. */
  async start(appCapabilities: object = {}): Promise<McpUiInitializeResult> {
    const result = await this.hello({ appCapabilities });
    this.notify("ui/notifications/initialized");
    await turn();
    return result;
  }

  #receive(message: Message): void {
    this.received.push(message);
    const { id, method, params, result } = message;
    if (method === undefined) {
      if (result) this.#judge(this.#asked.get(id) ?? "", result);
      this.#waiting.get(id)?.(message);
      return;
    }
    const validate = id === undefined ? validateNotification : validateRequest;
    // The prose has a reason for teardown, the schema none; official Views take both.
    const judged = method === "ui/resource-teardown" ? {} : params;
    const checked = validate("host", method, judged, { strict: true });
    if (findMethod("host", method) && !checked.ok) {
      this.illegal.push(`${method} ${checked.path} ${checked.expected} ${checked.received}`);
    }
    if (id !== undefined) this.#answer(message);
  }

  #judge(method: string, result: unknown): void {
    // A Server's answer is passed on as it is.
    if (!method.startsWith("ui/")) return;
    const checked = validateResult(method, result, { strict: true });
    if (!checked.ok) this.illegal.push(`${method} ${checked.path} ${checked.expected}`);
  }

  #answer({ id, method = "", params = {} }: Message): void {
    const answer = this.answers[method];
    if (!answer) return;
    try {
      this.send({ jsonrpc: "2.0", id, result: answer(params) });
    } catch (error) {
      this.send({ jsonrpc: "2.0", id, error });
    }
  }
}

/** What a test wants of its bridge. */
export interface Setup extends AppBridgeOptions {
  client?: Upstream | McpClientLike | null;
  capabilities?: McpUiHostCapabilities;
  hostInfo?: Implementation;
  /** Runs before the bridge is connected. */
  prepare?: (bridge: AppBridge) => void;
}

/** A bridge and the View at its other end. */
export interface Scene {
  bridge: AppBridge;
  view: RawView;
  diagnostics: BridgeDiagnostic[];
  /** Details of diagnostics of one code. */
  said(code: string): (string | undefined)[];
}

/** Connects a bridge to a View that has said nothing yet. */
export async function connect(setup: Setup = {}): Promise<Scene> {
  const { client = null, capabilities, hostInfo, prepare, ...options } = setup;
  const view = new RawView();
  const diagnostics: BridgeDiagnostic[] = [];
  const onDiagnostic = (diagnostic: BridgeDiagnostic): void => {
    diagnostics.push(diagnostic);
    options.onDiagnostic?.(diagnostic);
  };
  const info = hostInfo ?? { name: "test-host", version: "1.0.0" };
  const bridge = new AppBridge(client, info, capabilities, { ...options, onDiagnostic });
  prepare?.(bridge);
  await bridge.connect(view.hostEnd);
  onTestFinished(async () => {
    expect(view.illegal).toEqual([]);
    await bridge.close();
  });
  const said: Scene["said"] = (code) =>
    diagnostics.filter((diagnostic) => diagnostic.code === code).map(({ detail }) => detail);
  return { bridge, view, diagnostics, said };
}

/** Connects a bridge and completes the handshake. */
export async function start(setup: Setup = {}, appCapabilities: object = {}): Promise<Scene> {
  const scene = await connect(setup);
  await scene.view.start(appCapabilities);
  return scene;
}

/** Lets everything that is under way in microtasks happen. */
export async function turn(): Promise<void> {
  for (let i = 0; i < 40; i++) await Promise.resolve();
}
