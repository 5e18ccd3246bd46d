import type { CallerMessage } from "../json-rpc/message.ts";
import { Breaker, type BreakerOptions, type Pass } from "./breaker.ts";
import { CallLifetime } from "./call-lifetime.ts";
import { ChangeFeed } from "./change-feed.ts";
import { FairSlots, type SlotLimits } from "./fair-slots.ts";
import { resultAnswer } from "./frames/answer.ts";
import { isRepeatable, type KeyedTransport, type TransportCall } from "./transport.ts";
import {
  type DiscoverResult,
  type ListenOptions,
  type OwnableUpstream,
  type Upstream,
  type UpstreamAnswer,
  type UpstreamCall,
  UpstreamError,
  type UpstreamErrorCode,
  type UpstreamEvent,
  type UpstreamScope,
} from "./upstream.ts";

/** Options that apply to every server, whatever its transport. */
export interface GuardOptions {
  breaker?: BreakerOptions;
  /** Concurrent and waiting calls. */
  slots?: Partial<SlotLimits>;
  /** Milliseconds for requests of the gateway itself. */
  ownDeadline?: number;
  /** Milliseconds before a lost stream of changes is reopened. Doubles up to a minute. */
  relisten?: number;
}

// Failures that concern the server, not one caller or one response.
const FAILURES: ReadonlySet<UpstreamErrorCode> = new Set([
  "outcome-unknown",
  "unreachable",
  "timeout",
  "malformed",
  "crashed",
]);
// A response that was lost on the way.
const LOSSES: ReadonlySet<UpstreamErrorCode> = new Set(["unreachable", "crashed", "closed"]);

/** Wraps a transport with deadline, queue, circuit breaker and the handling of lost responses. */
export class GuardedUpstream implements OwnableUpstream {
  readonly id: string;
  readonly kind: Upstream["kind"];
  readonly #transport: KeyedTransport;
  readonly #breaker: Breaker;
  readonly #slots: FairSlots;
  readonly #changes: ChangeFeed;
  readonly #ownDeadline: number;
  #isClosed = false;

  constructor(
    transport: KeyedTransport,
    { id, kind, ...options }: { id: string; kind: Upstream["kind"] } & GuardOptions,
  ) {
    this.id = id;
    this.kind = kind;
    this.#transport = transport;
    this.#breaker = new Breaker(options.breaker);
    this.#slots = new FairSlots({ limit: 64, queue: 256, ...options.slots });
    this.#ownDeadline = options.ownDeadline ?? 30_000;
    this.#changes = new ChangeFeed(transport, { server: id, wait: options.relisten ?? 1000 });
  }

  async send(call: UpstreamCall): Promise<UpstreamAnswer> {
    const { id, method } = call.message;
    // Servers of 2026-07-28 don't have `ping`; a host that sends it asks about the gateway.
    if (method === "ping") return resultAnswer(id, { resultType: "complete" });
    const { onNotification } = call;
    return this.#guarded(call, async (lifetime) => {
      const transportCall: TransportCall = {
        ...call,
        lifetime,
        ...(onNotification && { onNotification: unfailing(onNotification) }),
      };
      try {
        return await this.#transport.send(transportCall);
      } catch (thrown) {
        return await this.#afterLoss(transportCall, thrown);
      }
    });
  }

  async notify(message: CallerMessage, scope: UpstreamScope): Promise<void> {
    const { method } = message;
    // Ids are renumbered and the gateway does the handshake, so these mean nothing to the server.
    if (method === "notifications/cancelled" || method === "notifications/initialized") return;
    await this.#guarded({ deadline: this.#ownDeadline, scope }, (lifetime) =>
      lifetime.race(this.#transport.notify(message, scope)),
    );
  }

  discover(scope: UpstreamScope): Promise<DiscoverResult> {
    return this.#guarded({ deadline: this.#ownDeadline, scope }, (lifetime) =>
      this.#transport.discover(scope, lifetime),
    );
  }

  listen(
    scope: UpstreamScope,
    fn: (event: UpstreamEvent) => void,
    { resources = [] }: ListenOptions = {},
  ): () => void {
    return this.#isClosed ? () => {} : this.#changes.join(scope, resources, fn);
  }

  changeKey(scope: UpstreamScope): string {
    return this.#transport.changeKey(scope);
  }

  stateKey(scope: UpstreamScope): string | undefined | Promise<string | undefined> {
    const key = this.#transport.stateKey(scope);
    if (!(key instanceof Promise)) return key;
    // If the breaker is open, nobody awaits this promise, and an unhandled rejection would end the process.
    key.catch(() => {});
    // Detecting the era is a call to the server like any other.
    return this.#guarded({ deadline: this.#ownDeadline, scope }, (lifetime) => lifetime.race(key));
  }

  end(key?: string): Promise<void> {
    return this.#transport.end(key);
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#changes.close();
    await this.#transport.close();
  }

  async #guarded<T>(
    wait: { signal?: AbortSignal; deadline: number; scope: UpstreamScope },
    run: (lifetime: CallLifetime) => Promise<T>,
  ): Promise<T> {
    if (this.#isClosed) throw new UpstreamError("closed", `The upstream ${this.id} was closed.`);
    const lifetime = new CallLifetime(wait);
    let leave: (() => void) | undefined;
    let pass: Pass | undefined;
    try {
      pass = this.#breaker.enter();
      leave = await this.#slots.take(wait.scope, lifetime);
      const answer = await run(lifetime);
      pass.succeed();
      return answer;
    } catch (error) {
      const known = error instanceof UpstreamError ? error : unexpected(error);
      // A process that waits for its restart wasn't tried. Its crash has already been counted.
      const isOld = known.code === "crashed" && known.facts.retryAfter !== undefined;
      if (FAILURES.has(known.code) && !isOld) pass?.fail();
      // The server works: it responded, or it rejected a single caller.
      else if (known.code === "unauthorized" || known.code === "too-large") pass?.succeed();
      else pass?.drop();
      throw known;
    } finally {
      leave?.();
      lifetime.dispose();
    }
  }

  #afterLoss(call: TransportCall, thrown: unknown): Promise<UpstreamAnswer> {
    const error = thrown instanceof UpstreamError ? thrown : unexpected(thrown);
    if (!LOSSES.has(error.code) || !error.sent) throw error;
    if (!isRepeatable(call.message.method)) throw error.with({}, "outcome-unknown");
    // If the server reported a failure, don't retry. If the connection broke, retry once.
    if (call.lifetime.reason || error.facts.status !== undefined) throw error;
    return this.#transport.send(call);
  }
}

/** A listener that throws must not break the connection. */
function unfailing(
  onNotification: NonNullable<UpstreamCall["onNotification"]>,
): NonNullable<UpstreamCall["onNotification"]> {
  return (notification) => {
    try {
      onNotification(notification);
    } catch {
      // Only the listener itself is affected.
    }
  };
}

function unexpected(cause: unknown): UpstreamError {
  return new UpstreamError("unreachable", "The call failed inside the gateway.", {
    sent: true,
    cause,
  });
}
