import type { CallerMessage } from "../json-rpc/message.ts";
import { Breaker, type BreakerOptions, type Pass } from "./breaker.ts";
import { CallLifetime } from "./call-lifetime.ts";
import type { CallSignal } from "./cancellation.ts";
import { FairSlots, type SlotLimits } from "./fair-slots.ts";
import { resultAnswer } from "./frames/answer.ts";
import { isRepeatable, type KeyedLeg, type LegCall } from "./leg.ts";
import { NewsRoom } from "./news-room.ts";
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

/** What holds for every server, however it is spoken to. */
export interface GuardOptions {
  breaker?: BreakerOptions;
  /** Calls at once, and calls that wait. */
  slots?: Partial<SlotLimits>;
  /** Milliseconds for a request of the gateway's own. */
  ownDeadline?: number;
  /** Milliseconds before a lost stream of news is opened again; doubles up to a minute. */
  relisten?: number;
}

// Failures that say something about the server, not about one caller or one answer.
const FAILURES: ReadonlySet<UpstreamErrorCode> = new Set([
  "outcome-unknown",
  "unreachable",
  "timeout",
  "malformed",
  "crashed",
]);
// An answer that was lost on its way.
const LOSSES: ReadonlySet<UpstreamErrorCode> = new Set(["unreachable", "crashed", "closed"]);

/** An upstream around a leg: deadline, queue, breaker, and what the loss of an answer means. */
export class GuardedUpstream implements OwnableUpstream {
  readonly id: string;
  readonly kind: Upstream["kind"];
  readonly #leg: KeyedLeg;
  readonly #breaker: Breaker;
  readonly #slots: FairSlots;
  readonly #news: NewsRoom;
  readonly #ownDeadline: number;
  #isClosed = false;

  constructor(
    leg: KeyedLeg,
    { id, kind, ...options }: { id: string; kind: Upstream["kind"] } & GuardOptions,
  ) {
    this.id = id;
    this.kind = kind;
    this.#leg = leg;
    this.#breaker = new Breaker(options.breaker);
    this.#slots = new FairSlots({ limit: 64, queue: 256, ...options.slots });
    this.#ownDeadline = options.ownDeadline ?? 30_000;
    this.#news = new NewsRoom(leg, { server: id, wait: options.relisten ?? 1000 });
  }

  // Not async, here and below where nothing is awaited: each promise more is half a hundredth of the hop.
  send(call: UpstreamCall): Promise<UpstreamAnswer> {
    // Hosts ping, and servers of 2026-07-28 know no ping: the gateway is what they want to know about.
    const { id, method } = call.message;
    if (method === "ping") {
      return Promise.resolve(resultAnswer(id, { resultType: "complete" }));
    }
    const { onNotification } = call;
    let legCall: LegCall;
    return this.#guarded(
      call,
      (lifetime) => {
        legCall = { ...call, lifetime };
        if (onNotification) legCall.onNotification = unfailing(onNotification);
        return this.#leg.send(legCall);
      },
      (thrown) => this.#afterLoss(legCall, thrown),
    );
  }

  async notify(message: CallerMessage, scope: UpstreamScope): Promise<void> {
    const { method } = message;
    // Ids are renumbered and the handshake is ours: these mean nothing to the server.
    if (method === "notifications/cancelled" || method === "notifications/initialized") return;
    await this.#guarded({ deadline: this.#ownDeadline, scope }, (lifetime) =>
      lifetime.race(this.#leg.notify(message, scope)),
    );
  }

  discover(scope: UpstreamScope): Promise<DiscoverResult> {
    return this.#guarded({ deadline: this.#ownDeadline, scope }, (lifetime) =>
      this.#leg.discover(scope, lifetime),
    );
  }

  listen(
    scope: UpstreamScope,
    fn: (event: UpstreamEvent) => void,
    { resources = [] }: ListenOptions = {},
  ): () => void {
    return this.#isClosed ? () => {} : this.#news.join(scope, resources, fn);
  }

  newsKey(scope: UpstreamScope): string {
    return this.#leg.newsKey(scope);
  }

  stateKey(scope: UpstreamScope): string | undefined | Promise<string | undefined> {
    const key = this.#leg.stateKey(scope);
    if (!(key instanceof Promise)) return key;
    // Where the breaker is open nobody waits for it, and a failure that nobody hears ends the process.
    key.catch(() => {});
    // To find out what a server speaks it has to be asked, which is a call like any other.
    return this.#guarded({ deadline: this.#ownDeadline, scope }, (lifetime) => lifetime.race(key));
  }

  end(key?: string): Promise<void> {
    return this.#leg.end(key);
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#news.close();
    await this.#leg.close();
  }

  async #guarded<T>(
    wait: { signal?: CallSignal; deadline: number; scope: UpstreamScope },
    run: (lifetime: CallLifetime) => Promise<T>,
    recover: (thrown: unknown) => Promise<T> = rethrow,
  ): Promise<T> {
    if (this.#isClosed) throw new UpstreamError("closed", `The upstream ${this.id} was closed.`);
    const lifetime = new CallLifetime(wait);
    let leave: (() => void) | undefined;
    let pass: Pass | undefined;
    try {
      pass = this.#breaker.enter();
      const slot = this.#slots.take(wait.scope, lifetime);
      leave = slot instanceof Promise ? await slot : slot;
      let answer: T;
      try {
        answer = await run(lifetime);
      } catch (thrown) {
        answer = await recover(thrown);
      }
      pass.succeed();
      return answer;
    } catch (error) {
      const known = error instanceof UpstreamError ? error : unexpected(error);
      // A process that is not started yet was not tried: that it crashed has been counted.
      const isOld = known.code === "crashed" && known.facts.retryAfter !== undefined;
      if (FAILURES.has(known.code) && !isOld) pass?.fail();
      // The server is well: it answered, or turned a single caller away.
      else if (known.code === "unauthorized" || known.code === "too-large") pass?.succeed();
      else pass?.drop();
      throw known;
    } finally {
      leave?.();
      lifetime.dispose();
    }
  }

  #afterLoss(call: LegCall, thrown: unknown): Promise<UpstreamAnswer> {
    const error = thrown instanceof UpstreamError ? thrown : unexpected(thrown);
    if (!LOSSES.has(error.code) || !error.sent) throw error;
    if (!isRepeatable(call.message.method, call)) throw error.with({}, "outcome-unknown");
    // A server that said it failed is not asked again; a connection that broke is, once.
    if (call.lifetime.reason || error.facts.status !== undefined) throw error;
    return this.#leg.send(call);
  }
}

/** A caller that fails to listen must not cost the others, or itself, the connection. */
function unfailing(
  onNotification: NonNullable<UpstreamCall["onNotification"]>,
): NonNullable<UpstreamCall["onNotification"]> {
  return (notification) => {
    try {
      onNotification(notification);
    } catch {
      // Its own loss.
    }
  };
}

function rethrow(thrown: unknown): never {
  throw thrown;
}

function unexpected(cause: unknown): UpstreamError {
  return new UpstreamError("unreachable", "The call failed within the gateway.", {
    sent: true,
    cause,
  });
}
