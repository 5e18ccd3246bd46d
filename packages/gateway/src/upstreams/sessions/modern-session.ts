// 2026-07-28 over a pipe: the same bodies as over HTTP, but many callers share one stream.

import type { JsonRpcNotification } from "@vitrine/protocol";
import type { CallerMessage } from "../../json-rpc/message.ts";
import { serialize } from "../../json-rpc/serialize.ts";
import type { CallLifetime } from "../call-lifetime.ts";
import { discoverResult, readdressed } from "../frames/answer.ts";
import {
  type ClientIdentity,
  enveloped,
  metaOf,
  ownRequest,
  renumbered,
  SUBSCRIPTION_ID_KEY,
} from "../frames/envelope.ts";
import {
  isAnythingHonoured,
  type LegCall,
  type Listening,
  listenParams,
  type News,
  newsOf,
} from "../leg.ts";
import { type DiscoverResult, type UpstreamAnswer, UpstreamError } from "../upstream.ts";
import type { FloodLimits } from "./flood-gate.ts";
import { type Flight, Multiplexer } from "./multiplexer.ts";
import type { Session } from "./session.ts";
import type { Wire } from "./wire.ts";

/** What a session needs to know. */
export interface ModernSessionOptions {
  identity: ClientIdentity;
  flood?: FloodLimits | undefined;
  onNews(news: News): void;
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
      onNotification: (message) => this.#hear(message),
      // In this era a server does not ask, and a client does not answer.
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

  async send(call: LegCall): Promise<UpstreamAnswer> {
    const message = enveloped(call.message, this.#options.identity);
    const flight = this.#connection.open((id) => renumbered(message, id), call);
    return readdressed(call.message.id, await this.#wait(flight, call.lifetime));
  }

  notify(message: CallerMessage): Promise<void> {
    return this.#wire.send(serialize(enveloped(message, this.#options.identity)));
  }

  async discover(lifetime: CallLifetime): Promise<DiscoverResult> {
    const flight = this.#ask("server/discover");
    const found = discoverResult(await this.#wait(flight, lifetime));
    if (found) return found;
    throw new UpstreamError("malformed", "The server does not say what it can do.", { sent: true });
  }

  async listen(resources: readonly string[], lifetime: CallLifetime): Promise<Listening> {
    const flight = this.#ask("subscriptions/listen", listenParams(resources));
    const acknowledged = new Promise<unknown>((resolve) => {
      this.#acknowledgements.set(flight.id, resolve);
    });
    const over = flight.answer.then(
      () => this.#acknowledgements.delete(flight.id),
      () => this.#acknowledgements.delete(flight.id),
    );
    const stop = (): void => {
      this.#acknowledgements.delete(flight.id);
      this.#connection.cancel(flight, "Nobody listens any more.");
    };
    try {
      const params = await lifetime.race(Promise.race([acknowledged, refusal(flight)]));
      const isHeard = isAnythingHonoured(params);
      let end = (): void => {};
      const stopped = new Promise<void>((resolve) => {
        end = resolve;
      });
      const closed = Promise.race([over.then(() => {}), stopped]);
      return {
        closed,
        isHeard,
        stop: () => {
          stop();
          end();
        },
      };
    } catch (error) {
      stop();
      throw error;
    }
  }

  async close({ now = false }: { now?: boolean } = {}): Promise<void> {
    if (now) await this.#wire.kill?.();
    await this.#wire.close();
  }

  #ask(method: string, params?: Record<string, unknown>): Flight {
    return this.#connection.open((id) => ownRequest(id, method, this.#options.identity, params));
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

  #hear(notification: JsonRpcNotification): void {
    const { method, params } = notification;
    if (method === "notifications/subscriptions/acknowledged") {
      const id = metaOf(params)?.[SUBSCRIPTION_ID_KEY];
      this.#acknowledgements.get(Number(id))?.(params);
      return;
    }
    const news = newsOf(method, params);
    if (news) {
      this.#options.onNews(news);
      return;
    }
    // What belongs to one request but does not say to which can only be told when there is just one.
    const { audience } = this.#connection.only ?? {};
    audience?.onNotification?.(notification);
  }
}

/** Rejects when the answer comes, which for a stream of news is its end. */
async function refusal(flight: Flight): Promise<never> {
  const { message } = await flight.answer;
  const isRefused = "error" in message;
  // As HTTP would have put it: there is no such method.
  throw new UpstreamError("malformed", "The server does not tell its news.", {
    sent: true,
    ...(isRefused && { status: 404 }),
  });
}
