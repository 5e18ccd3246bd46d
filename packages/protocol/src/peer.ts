import type { Channel } from "./channel.ts";
import { LocalError, RpcError } from "./errors.ts";
import { INTERNAL_ERROR, METHOD_NOT_FOUND, type RequestId } from "./json-rpc.ts";
import type { AnyTraffic, Notifies, ParamsOf, ResultOf, Serves, Traffic } from "./traffic.ts";

/** How far a request has come, as the other side reports it. */
export interface Progress {
  progress: number;
  total?: number;
  message?: string;
}

/** How one request is made. */
export interface RequestOptions {
  /** Cancels the request on both sides and rejects with the signal's reason, as `fetch` does. */
  signal?: AbortSignal | undefined;
  /** Milliseconds without a response or progress; default 60,000. */
  timeout?: number | undefined;
  /**
   * Whether progress restarts the timeout; default true. To limit the total time, pass a signal:
   * `AbortSignal.timeout(ms)`.
   */
  resetTimeoutOnProgress?: boolean | undefined;
  /** Requests progress reports from the other side. */
  onprogress?: ((progress: Progress) => void) | undefined;
}

/** The context of a request, passed to its handler after the params. */
export interface RequestContext {
  readonly id: RequestId;
  readonly method: string;
  /** Aborted when the other side cancels or the channel closes; no response is sent then. */
  readonly signal: AbortSignal;
}

/** How a peer behaves. */
export interface PeerOptions {
  /** Called for errors without a caller to reject: malformed messages, errors of listeners. */
  onError?: (error: unknown) => void;
  /** Called once whenever the channel closes, whichever side closed it. */
  onClose?: () => void;
  /** Notifications to keep for a late listener: the newest of each without a listener. */
  keep?: readonly string[];
  /** Receives every notification first; returns the method to deliver it as. */
  intercept?: (method: string, params: unknown) => string;
}

interface Pending {
  resolve(result: unknown): void;
  reject(error: unknown): void;
  progress(params: Progress): void;
}

// The fields read from progress and cancellation notifications; hostile like everything received.
type Plumbing = Progress & { progressToken?: unknown; requestId?: unknown; reason?: unknown };
type Handler = (params: unknown, context: RequestContext) => unknown;
type Listener = (params: unknown) => void;

/**
 * Both ends of JSON-RPC 2.0 over one channel, with MCP's progress and cancellation.
 *
 * Handlers and listeners belong to the peer, channels come and go: register first, then `connect`.
 * Every received message is hostile: it can't make the channel throw, and its names are never looked
 * up in an object with a prototype.
 */
export class Peer<Sends extends Traffic = AnyTraffic, Receives extends Traffic = AnyTraffic> {
  readonly #options: PeerOptions;
  readonly #handlers = new Map<string, Handler>();
  readonly #listeners = new Map<string, Set<Listener>>();
  readonly #kept = new Map<string, unknown>();
  readonly #pending = new Map<unknown, Pending>();
  readonly #serving = new Map<unknown, AbortController>();
  /** The channel in use. */
  channel: Channel | undefined;
  // From 1: some hosts test an id for truthiness and never answer 0.
  #lastId = 0;

  constructor(options: PeerOptions = {}) {
    this.#options = options;
  }

  /** Starts to receive and send on the channel; closes the previous channel. */
  connect(channel: Channel): void {
    // Checked first, so that a View's start doesn't compile code it doesn't need.
    if (this.channel) this.close();
    this.channel = channel;
    channel.onmessage = (message) => {
      if (this.channel === channel) this.#guard(() => this.#receive(message));
    };
    channel.onclose = () => {
      if (this.channel === channel) this.close();
    };
    channel.start?.();
  }

  /** Rejects pending requests, aborts running handlers, closes the channel. Idempotent. */
  close(): void {
    const channel = this.channel;
    if (!channel) return;
    this.channel = undefined;
    for (const { reject } of this.#pending.values()) reject(new LocalError("closed", "channel"));
    for (const controller of this.#serving.values()) controller.abort();
    this.#serving.clear();
    this.#guard(() => channel.close());
    this.#guard(() => this.#options.onClose?.());
  }

  /** Sets the handler of a method; `*` handles all others. A later handler replaces an earlier one. */
  handle<M extends Serves<Receives>>(
    method: M,
    handler: (
      params: ParamsOf<Receives["requests"], M>,
      context: RequestContext,
    ) => ResultOf<Receives["requests"], M> | Promise<ResultOf<Receives["requests"], M>>,
  ): void {
    this.#handlers.set(method, handler as Handler);
  }

  /** Adds a listener for a notification. Returns an unsubscribe function. */
  on<M extends Notifies<Receives>>(
    method: M,
    listener: (params: ParamsOf<Receives["notifications"], M>) => void,
  ): () => void {
    const listeners = this.#listeners.get(method) ?? new Set();
    this.#listeners.set(method, listeners.add(listener as Listener));
    // A microtask later, so that all listeners added now receive the kept notification, in order.
    if (this.#kept.size) {
      queueMicrotask(() => {
        for (const [kept, params] of this.#kept) {
          if (this.#deliver(kept, params)) this.#kept.delete(kept);
        }
      });
    }
    return () => this.off(method, listener);
  }

  /** Removes a listener, like the function that `on` returned. */
  off(method: string, listener: (params: never) => void): void {
    this.#listeners.get(method)?.delete(listener as Listener);
  }

  /** Sends a notification; throws if there is no channel or sending fails. */
  notify<M extends Notifies<Sends>>(method: M, params?: ParamsOf<Sends["notifications"], M>): void;
  notify(method: string, params: unknown = {}): void {
    this.#send({ method, params });
  }

  /** Sends a request; rejects with an `RpcError` (the other side's error) or a `LocalError` (ours). */
  request<M extends Serves<Sends>>(
    method: M,
    params?: ParamsOf<Sends["requests"], M>,
    options?: RequestOptions,
  ): Promise<ResultOf<Sends["requests"], M>>;
  request(method: string, params: unknown = {}, options: RequestOptions = {}): Promise<unknown> {
    const { signal, timeout = 60_000, resetTimeoutOnProgress = true, onprogress } = options;
    const id = ++this.#lastId;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const giveUp = (error: unknown): void => {
      this.#pending.get(id)?.reject(error);
      // MCP forbids cancelling an initialisation, and nothing may be sent before it (VEW-02).
      if (method.endsWith("initialize")) return;
      const params = { requestId: id, reason: `${error}` };
      this.#guard(() => this.#send({ method: "notifications/cancelled", params }));
    };
    const abort = (): void => giveUp(signal?.reason);
    const wait = (): void => {
      clearTimeout(timer);
      // Browsers turn a longer delay into zero; such a timeout is meant as "never".
      if (timeout < 2 ** 31)
        timer = setTimeout(() => giveUp(new LocalError("timeout", method)), timeout);
    };
    return new Promise((resolve, reject) => {
      const progress = (params: Progress): void => {
        if (resetTimeoutOnProgress) wait();
        onprogress?.(params);
      };
      const { _meta } = params as { _meta?: object };
      const asking = onprogress && {
        ...(params as object),
        _meta: { ..._meta, progressToken: id },
      };
      signal?.throwIfAborted();
      signal?.addEventListener("abort", abort);
      this.#pending.set(id, { resolve, reject, progress });
      wait();
      this.#send({ id, method, params: asking ?? params });
    }).finally(() => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", abort);
      this.#pending.delete(id);
    });
  }

  #send(message: { method?: string; [member: string]: unknown }): unknown {
    if (!this.channel) throw new LocalError("closed", message.method);
    return this.channel.send({ jsonrpc: "2.0", ...message } as never);
  }

  #receive(raw: unknown): void {
    // Some hosts send text, which is faster for a large result. Other text is noise.
    const message = (raw as string | null)?.[0] === "{" ? JSON.parse(raw as string) : raw;
    // Not JSON-RPC: browser extensions and developer tools post to windows too.
    if (message?.jsonrpc !== "2.0") return;
    const { id, method, result, error } = message;
    // Null is invalid, but must not throw.
    const params = message.params ?? {};
    if (typeof method === "string") {
      if (id === undefined) this.#notified(method, params);
      else void this.#serve(id, method, params);
      return;
    }
    // A response without a request is late or forged; drop it.
    const pending = this.#pending.get(id);
    if (error === undefined) pending?.resolve(result);
    else pending?.reject(new RpcError(error?.code, `${error?.message}`, error?.data));
  }

  #notified(method: string, params: Plumbing): void {
    if (method === "notifications/progress") {
      this.#pending.get(params.progressToken)?.progress(params);
    } else if (method === "notifications/cancelled") {
      this.#serving.get(params.requestId)?.abort(params.reason);
      this.#serving.delete(params.requestId);
    } else {
      const known = this.#options.intercept?.(method, params) ?? method;
      this.#kept.delete(known);
      if (!this.#deliver(known, params) && this.#options.keep?.includes(known)) {
        this.#kept.set(known, params);
      }
    }
  }

  #deliver(method: string, params: unknown): boolean {
    const listeners = [...(this.#listeners.get(method) ?? [])];
    for (const listener of listeners) this.#guard(() => listener(params));
    return !!listeners[0];
  }

  async #serve(id: RequestId, method: string, params: unknown): Promise<void> {
    // The id is in use: a response would settle the other request with that id.
    if (this.#serving.has(id)) return;
    const handler = this.#handlers.get(method) ?? this.#handlers.get("*");
    const controller = new AbortController();
    const { signal } = controller;
    const answer = (body: object): void => {
      // Cancelled: MCP requires no response. Closed: another request may have this id by now.
      if (signal.aborted) return;
      this.#serving.delete(id);
      this.#send({ id, ...body });
    };
    try {
      if (!handler) throw new RpcError(METHOD_NOT_FOUND, "Method not found");
      this.#serving.set(id, controller);
      answer({ result: (await handler(params, { id, method, signal })) ?? {} });
    } catch (thrown) {
      this.#guard(() => {
        // By name, not `instanceof`: one page may have two copies of this package. Other errors of a
        // handler stay on this side.
        const known = (thrown as Error | null)?.name === "RpcError";
        const error = (
          known ? thrown : { code: INTERNAL_ERROR, message: "Internal error" }
        ) as RpcError;
        const { code, message, data } = error;
        answer({ error: { code, message, data } });
        if (!known) throw thrown;
      });
    }
  }

  /** Runs code that may throw because of a message or a listener, and reports to `onError` instead. */
  #guard(action: () => void): void {
    try {
      action();
    } catch (error) {
      try {
        this.#options.onError?.(error);
      } catch {
        // `onError` failed too; there is nowhere left to report.
      }
    }
  }
}
