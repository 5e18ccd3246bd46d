// Requests between the processes of a cluster. Each process serves one address on the bus. Requests and
// responses travel in sealed envelopes, and a response names the request that it belongs to.

import { EngineError, type SharedEngine } from "@vitrine/gateway/engine";
import { type Member, type Membership, memberOf, nameOf } from "../membership/membership.ts";
import { Chunks } from "./chunks.ts";
import { EnvelopeError, type EnvelopeErrorCode, type Envelopes, type Head } from "./envelope.ts";
import { unpack } from "./payload.ts";
import {
  CANCEL,
  CHUNK,
  EVENT,
  FAILURE,
  LostResponseError,
  NEXT_CHUNK,
  NOTIFY,
  type PeerRequest,
  RESPONSE,
  RUNNING,
} from "./peer-protocol.ts";
import { type PendingRequest, PendingRequests } from "./pending-requests.ts";
import { type RequestHandler, RequestReceiver } from "./request-receiver.ts";

export interface RequestOptions {
  /** Cancels the request here and at the other process; the request rejects with its reason. */
  signal?: AbortSignal;
  /** Called with each notification that the other process sends before it responds. */
  onNotification?: ((text: string) => void) | undefined;
}

export interface PeerRpcOptions {
  membership: Membership;
  envelopes: Envelopes;
  /** Called for each message that can't be opened: an attack, or the processes have different secrets. */
  onRejected?: ((code: EnvelopeErrorCode, message: string) => void) | undefined;
}

/** Bytes of a message that are reserved for what surrounds its body. */
const SPARE = 8192;
const CANCEL_TIMEOUT = 30_000;
const PROBE_TIMEOUT = 3_000;

/** The RPC endpoint of one process. */
export class PeerRpc {
  readonly #engine: SharedEngine;
  readonly #options: PeerRpcOptions;
  readonly #pending: PendingRequests;
  readonly #receiver: RequestReceiver;
  readonly #chunks: Chunks;
  readonly #unsubscribe: (() => void)[];
  #address: string | undefined;
  #stopServing: (() => void) | undefined;

  constructor(engine: SharedEngine, options: PeerRpcOptions) {
    this.#engine = engine;
    this.#options = options;
    const { membership } = options;
    this.#chunks = new Chunks({ size: engine.caps.maxBytes - SPARE });
    this.#pending = new PendingRequests((pending) => this.#isRunning(pending));
    this.#receiver = new RequestReceiver({
      chunkSize: engine.caps.maxBytes - SPARE,
      notify: (to, call, texts) => this.#notify(to, call, texts),
    });
    this.#unsubscribe = [
      membership.onJoin((epoch) => this.#serve(nameOf({ node: membership.node, epoch }))),
      membership.onGone((member) => this.#pending.lose(nameOf(member))),
    ];
  }

  /** Handles requests about a server; replaces an earlier handler. Returns a function that removes it. */
  handle(server: string, handler: RequestHandler): () => void {
    return this.#receiver.handle(server, handler);
  }

  /**
   * Sends a request. Rejects with an `EngineError` of the bus, where `no-responders` means that nothing was
   * done, or with a `LostResponseError` when the outcome is unknown.
   */
  async request(
    to: Member,
    request: PeerRequest,
    { signal, onNotification }: RequestOptions = {},
  ): Promise<string> {
    const from = this.#address;
    if (from === undefined) throw notSentError();
    signal?.throwIfAborted();
    const pending = this.#pending.add({ from, to: nameOf(to), request, onNotification });
    const cancel = (): void => {
      pending.reject(signal?.reason);
      // If the message is lost, the deadline in the request ends the call.
      this.#exchange(pending, CANCEL, { deadline: CANCEL_TIMEOUT }).catch(() => {});
    };
    signal?.addEventListener("abort", cancel, { once: true });
    try {
      return await Promise.race([this.#send(pending), pending.failed]);
    } finally {
      signal?.removeEventListener("abort", cancel);
      this.#pending.delete(pending);
    }
  }

  /** Publishes to every subscriber of a subject. Delivery isn't guaranteed. */
  publish(subject: string, server: string, body: string): void {
    const from = this.#address;
    if (from === undefined) return;
    const head = { op: EVENT, server, key: "", revision: 0, call: 0, chunks: 0, deadline: 0 };
    const { envelopes, membership } = this.#options;
    // Everybody reads it, so its version is one that all of them support.
    const version = membership.wireWith();
    this.#publish(subject, envelopes.seal(from, { ...head, to: subject }, body, version));
  }

  /** Calls `fn` with what processes of the cluster publish. Returns an unsubscribe function. */
  subscribe(subject: string, fn: (body: string, from: string) => void): () => void {
    return this.#engine.bus.subscribe(subject, (sealed) => {
      const message = this.#open(sealed, subject);
      if (message) fn(message.body, message.head.from);
    });
  }

  close(): void {
    for (const unsubscribe of this.#unsubscribe) unsubscribe();
    this.#stopServing?.();
    this.#pending.close();
    this.#receiver.close();
  }

  /** Sends a request in as many messages as it needs, and collects the response. */
  async #send(pending: PendingRequest): Promise<string> {
    const { request } = pending;
    const chunks = this.#chunks.split(request.body);
    const last = chunks.pop() as string;
    try {
      for (const body of chunks) await this.#exchange(pending, CHUNK, { body });
    } catch (cause) {
      // Only the last message starts the call.
      throw new EngineError("no-responders", "A part of the request wasn't accepted.", { cause });
    }
    pending.isSent = true;
    const first = await this.#exchange(pending, request.op, { body: last, chunks: chunks.length });
    pending.isResponding = true;
    const bodies = [first.body];
    try {
      for (let place = 0; place < first.chunks; place++) {
        bodies.push((await this.#exchange(pending, NEXT_CHUNK, { body: `${place}` })).body);
      }
    } catch (cause) {
      // The call was carried out, so it must not be repeated, whatever error the bus returned.
      throw new LostResponseError(`The rest of the response of ${pending.to} was lost.`, { cause });
    }
    // The notifications that were not sent before the response.
    const { facts: notifications, text } = unpack<string[]>(bodies.join(""));
    for (const each of notifications) pending.onNotification?.(each);
    return text;
  }

  /** Sends one message and opens its response. */
  async #exchange(
    { from, to, call, request }: PendingRequest,
    op: string,
    { body = "", chunks = 0, deadline = request.deadline }: Partial<Head> & { body?: string },
  ): Promise<{ body: string; chunks: number }> {
    const { server, key, revision } = request;
    const time = Math.max(1, Math.ceil(deadline));
    const head = { op, server, key, revision, to, call, chunks, deadline: time };
    const version = this.#options.membership.wireWith(memberOf(to).node);
    // Nothing is sent that the other process can't read.
    if (version === undefined) throw new EngineError("no-responders", wireReason(to));
    const sealed = this.#options.envelopes.seal(from, head, body, version);
    const response = await this.#engine.bus.request(`n.${to}`, sealed, { deadline: time });
    const message = this.#open(response, from);
    // A response to another request, or of another process, is never accepted.
    if (message?.head.from !== to || message.head.call !== call) {
      throw new LostResponseError(`The response of ${to} was lost.`);
    }
    if (message.head.op !== RESPONSE)
      throw new EngineError("unavailable", `${to} failed to respond.`);
    return { body: message.body, chunks: message.head.chunks };
  }

  /** Whether the other process still works on a request; it no longer does if its response was lost. */
  async #isRunning(pending: PendingRequest): Promise<boolean> {
    try {
      return (await this.#exchange(pending, RUNNING, { deadline: PROBE_TIMEOUT })).body === "true";
    } catch (error) {
      return !(error instanceof EngineError && error.code === "no-responders");
    }
  }

  #serve(address: string): void {
    this.#stopServing?.();
    this.#address = address;
    const { bus } = this.#engine;
    const stops = [
      bus.serve(`n.${address}`, (sealed) => this.#receive(sealed, address)),
      bus.subscribe(`r.${address}`, (sealed) => {
        const message = this.#open(sealed, address);
        if (message?.head.op === NOTIFY) this.#pending.notify(message.head, message.body);
      }),
    ];
    this.#stopServing = () => {
      for (const stop of stops) stop();
    };
  }

  async #receive(sealed: Uint8Array, address: string): Promise<Uint8Array> {
    const message = this.#open(sealed, address);
    // Without the cluster's secret there is no response, not even a sealed one.
    if (!message) throw new EngineError("unavailable", "Rejected.");
    const { from: to, server, key, revision, call, deadline } = message.head;
    const head = { server, key, revision, to, call, deadline };
    const { envelopes } = this.#options;
    try {
      const { body, chunks } = await this.#receiver.respond(message);
      return envelopes.seal(address, { ...head, op: RESPONSE, chunks }, body, message.version);
    } catch {
      return envelopes.seal(address, { ...head, op: FAILURE, chunks: 0 }, "", message.version);
    }
  }

  #notify(to: string, call: number, texts: readonly string[]): void {
    const from = this.#address;
    if (from === undefined) return;
    const head = { op: NOTIFY, server: "", key: "", revision: 0, to, call, chunks: 0, deadline: 0 };
    const { envelopes, membership } = this.#options;
    const version = membership.wireWith(memberOf(to).node);
    this.#publish(`r.${to}`, envelopes.seal(from, head, JSON.stringify(texts), version));
  }

  #publish(subject: string, sealed: Uint8Array): void {
    try {
      this.#engine.bus.publish(subject, sealed);
    } catch {
      // Too large, or the engine is closed. Published messages may be lost.
    }
  }

  #open(sealed: Uint8Array, address: string): ReturnType<Envelopes["open"]> | undefined {
    try {
      return this.#options.envelopes.open(sealed, address);
    } catch (error) {
      if (!(error instanceof EnvelopeError)) throw error;
      this.#options.onRejected?.(error.code, error.message);
      return undefined;
    }
  }
}

function wireReason(to: string): string {
  return `The request wasn't sent: ${to} and this process share no wire version.`;
}

function notSentError(): EngineError {
  return new EngineError("no-responders", "The request wasn't sent: this process has no lease.");
}
