// 2026-07-28 over a pipe: the same bodies as over HTTP, but many callers share one stream.

import type { JsonRpcNotification } from "@vitrine/protocol";
import type { CallerMessage } from "../../json-rpc/message.ts";
import { serialize } from "../../json-rpc/serialize.ts";
import type { CallLifetime } from "../call-lifetime.ts";
import { discoverResult, readdressed } from "../frames/answer.ts";
import {
  enveloped,
  metaOf,
  ownRequest,
  renumbered,
  SUBSCRIPTION_ID_KEY,
} from "../frames/request-meta.ts";
import {
  changeOf,
  isAnythingHonoured,
  type Listening,
  listenParams,
  type ServerChange,
  type TransportCall,
} from "../transport.ts";
import { type DiscoverResult, type UpstreamAnswer, UpstreamError } from "../upstream.ts";
import type { FloodLimits } from "./flood-gate.ts";
import { type Flight, Multiplexer } from "./multiplexer.ts";
import type { Session } from "./session.ts";
import type { Wire } from "./wire.ts";

/** The options of a session. */
export interface ModernSessionOptions {
  flood?: FloodLimits | undefined;
  onChange(change: ServerChange): void;
}

/** A server of 2026-07-28 over a wire. */
export class ModernSession implements Session {
  readonly #wire: Wire;
  readonly #options: ModernSessionOptions;
  readonly #connection: Multiplexer;
  readonly #acknowledgements = new Map<number, (params: unknown) => void>();

  constructor(wire: Wire, options: ModernSessionOptions) {
    this.#wire = wire;
    this.#options = options;
    this.#connection = new Multiplexer(wire, {
      onNotification: (message) => this.#handleNotification(message),
      // In this era, servers don't send requests.
      onRequest: () => {},
      flood: options.flood,
    });
  }

  get size(): number {
    return this.#connection.size - this.#acknowledgements.size;
  }

  onEnd(fn: () => void): () => boolean {
    return this.#connection.onEnd(fn);
  }

  async send(call: TransportCall): Promise<UpstreamAnswer> {
    const message = enveloped(call.message);
    const flight = this.#connection.open((id) => renumbered(message, id), call);
    return readdressed(call.message.id, await this.#wait(flight, call.lifetime));
  }

  notify(message: CallerMessage): Promise<void> {
    return this.#wire.send(serialize(enveloped(message)));
  }

  async discover(lifetime: CallLifetime): Promise<DiscoverResult> {
    const flight = this.#request("server/discover");
    const found = discoverResult(await this.#wait(flight, lifetime));
    if (found) return found;
    throw new UpstreamError("malformed", "The server doesn't report its capabilities.", {
      sent: true,
    });
  }

  async listen(resources: readonly string[], lifetime: CallLifetime): Promise<Listening> {
    const flight = this.#request("subscriptions/listen", listenParams(resources));
    const { promise: acknowledged, resolve: acknowledge } = Promise.withResolvers<unknown>();
    const { promise: closed, resolve: end } = Promise.withResolvers<void>();
    this.#acknowledgements.set(flight.id, acknowledge);
    const stop = (): void => {
      this.#acknowledgements.delete(flight.id);
      this.#connection.cancel(flight, "There are no subscribers left.");
      end();
    };
    flight.answer.then(stop, stop);
    try {
      const params = await lifetime.race(Promise.race([acknowledged, refusal(flight)]));
      return { closed, sendsChanges: isAnythingHonoured(params), stop };
    } catch (error) {
      stop();
      throw error;
    }
  }

  async close({ now = false }: { now?: boolean } = {}): Promise<void> {
    if (now) await this.#wire.kill?.();
    await this.#wire.close();
  }

  #request(method: string, params?: Record<string, unknown>): Flight {
    return this.#connection.open((id) => ownRequest(id, method, params));
  }

  #wait(flight: Flight, lifetime: CallLifetime): Promise<UpstreamAnswer> {
    const { promise, resolve, reject } = Promise.withResolvers<UpstreamAnswer>();
    const undo = lifetime.onEnd((reason) => {
      this.#connection.cancel(flight, reason.message);
      reject(reason.with({ sent: true }));
    });
    flight.answer.then(resolve, reject).then(undo);
    return promise;
  }

  #handleNotification(notification: JsonRpcNotification): void {
    const { method, params } = notification;
    if (method === "notifications/subscriptions/acknowledged") {
      const id = metaOf(params)?.[SUBSCRIPTION_ID_KEY];
      this.#acknowledgements.get(Number(id))?.(params);
      return;
    }
    const change = changeOf(method, params);
    if (change) {
      this.#options.onChange(change);
      return;
    }
    // A notification that doesn't name its request can only be delivered if there is exactly one.
    const { audience } = this.#connection.only ?? {};
    audience?.onNotification?.(notification);
  }
}

/** Rejects when the response comes, which ends a stream of changes. */
async function refusal(flight: Flight): Promise<never> {
  const { message } = await flight.answer;
  const isRefused = "error" in message;
  // The same as over HTTP: the method doesn't exist.
  throw new UpstreamError("malformed", "The server doesn't support subscriptions.", {
    sent: true,
    ...(isRefused && { status: 404 }),
  });
}
