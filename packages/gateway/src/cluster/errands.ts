// A call on its way to whoever owns what it needs: found, asked, asked again where nothing can have happened,
// and given up where something can.

import { CallLifetime } from "../upstreams/call-lifetime.ts";
import type { CallSignal } from "../upstreams/cancellation.ts";
import { type OwnableUpstream, UpstreamError } from "../upstreams/upstream.ts";
import { LostAnswerError } from "./asked.ts";
import type { ClusterParts } from "./cluster.ts";
import type { Claim, Directory } from "./directory.ts";
import { type Holding, NotOwnerError, type Owner } from "./owner.ts";
import { runnerFor } from "./placement.ts";
import { Probes } from "./probes.ts";
import { type Ends, type Inquiry, RoutedCall } from "./routed-call.ts";

/** What is asked of an owner, and done by this process where it is the owner. */
export interface Errand<T> extends Inquiry<T> {
  method: string;
  /** Whether asking twice does nothing twice. */
  isSafe: boolean;
  here(signal: CallSignal, deadline: number): Promise<T>;
}

/** How errands are run. */
export interface ErrandsOptions {
  owner: Owner;
  directory: Directory;
  /** Milliseconds that a caller waits until what a dead process owned has another owner. */
  patience: number;
}

interface Trip<T> {
  readonly holding: Holding;
  readonly errand: Errand<T>;
  readonly lifetime: CallLifetime;
  readonly signal: CallSignal | undefined;
  /** It was asked once before, and the answer was lost. */
  isRepeated: boolean;
}

const PAUSE = 100;

/** The calls of one server that need an owner. */
export class Errands {
  readonly #local: OwnableUpstream;
  readonly #parts: ClusterParts;
  readonly #options: ErrandsOptions;
  /** The last claim of another's that was seen, by key. */
  readonly #others = new Map<string, number>();
  readonly #probes: Probes;

  constructor(local: OwnableUpstream, parts: ClusterParts, options: ErrandsOptions) {
    this.#local = local;
    this.#parts = parts;
    this.#options = options;
    this.#probes = new Probes(local.id, parts);
  }

  run<T>(
    holding: Holding,
    errand: Errand<T>,
    wait: { signal?: CallSignal; deadline: number },
  ): Promise<T> {
    const { signal } = wait;
    const lifetime = new CallLifetime(wait);
    const trip: Trip<T> = { holding, errand, lifetime, signal, isRepeated: false };
    const claim = this.#known(holding.key);
    if (!claim || this.#isHere(claim)) return this.#travel(trip);
    // Most calls: who owns it is known, and answers. One promise, where the whole way would make five.
    return new Promise((resolve) => {
      this.#ask(claim, trip, {
        resolve: (answer) => {
          lifetime.dispose();
          resolve(answer);
        },
        reject: (error) => resolve(this.#travel(trip, { error, claim })),
      });
    });
  }

  /** Goes on until it is done or cannot be; `lost` is what became of an attempt before. */
  async #travel<T>(trip: Trip<T>, lost?: { error: unknown; claim: Claim }): Promise<T> {
    try {
      if (lost) await this.#recover(lost.error, lost.claim, trip);
      for (;;) {
        const claim = this.#known(trip.holding.key) ?? (await this.#claim(trip));
        try {
          return await this.#go(claim, trip);
        } catch (error) {
          await this.#recover(error, claim, trip);
        }
      }
    } finally {
      trip.lifetime.dispose();
    }
  }

  #go<T>(claim: Claim, trip: Trip<T>): Promise<T> {
    if (!this.#isHere(claim)) {
      return new Promise((resolve, reject) => this.#ask(claim, trip, { resolve, reject }));
    }
    const { holding, errand, lifetime, signal } = trip;
    const { method, repeatable = false } = errand;
    const wish = { method, repeatable, ...(signal && { signal }) };
    return this.#options.owner.run(holding, (own) => errand.here(own, lifetime.rest), wish);
  }

  #isHere({ node }: Claim): boolean {
    return node === this.#parts.membership.node;
  }

  /** Whether it may be tried again; throws if not. */
  async #recover(error: unknown, { revision }: Claim, trip: Trip<unknown>): Promise<void> {
    const { directory, patience } = this.#options;
    const { holding, errand, lifetime } = trip;
    const isUndone = error instanceof NotOwnerError;
    if (!isUndone && !(error instanceof LostAnswerError)) throw error;
    directory.doubt(holding.key, revision);
    if (!isUndone) {
      if (!errand.isSafe) throw this.#lost("outcome-unknown");
      if (trip.isRepeated) throw this.#lost("unreachable");
      trip.isRepeated = true;
      return;
    }
    if (lifetime.age > patience) throw this.#ownerless(PAUSE);
    // The entry may be as it was, and its owner on the way out.
    if (directory.known(holding.key) === undefined) await rest(PAUSE, lifetime);
  }

  /** The owner, where nobody has to be asked; who has lost touch does not know any more who lives. */
  #known(key: string): Claim | undefined {
    if (this.#parts.membership.epoch === undefined) return undefined;
    return this.#options.directory.known(key);
  }

  /** The owner, as soon as there is one. */
  async #claim({ holding: { key }, lifetime }: Trip<unknown>): Promise<Claim> {
    const { membership } = this.#parts;
    for (;;) {
      // While out of touch: a question might wait for its deadline.
      const isIn = membership.epoch !== undefined;
      const finding = isIn ? await lifetime.race(this.#find(key)) : { wait: PAUSE };
      if (finding && "claim" in finding) return finding.claim;
      const runner = finding ? undefined : runnerFor(key, membership.members("runner"));
      if (runner) return { ...runner, revision: 0 };
      const wait = Math.max(1, finding?.wait ?? PAUSE);
      if (lifetime.age + wait > this.#options.patience) throw this.#ownerless(wait);
      await rest(wait, lifetime);
    }
  }

  async #find(key: string): ReturnType<Directory["find"]> {
    const take = this.#parts.membership.roles.includes("runner");
    try {
      return await this.#options.directory.find(key, { take });
    } catch (cause) {
      const message = `It cannot be told who runs ${this.#local.id}: the engine does not answer.`;
      throw new UpstreamError("unreachable", message, { cause });
    }
  }

  #ask<T>(claim: Claim, trip: Trip<T>, ends: Ends<T>): void {
    const { holding, errand, lifetime } = trip;
    const { key, stateKey } = holding;
    const server = this.#local.id;
    this.#endStray(key, stateKey, claim);
    const call = new RoutedCall(this.#parts, { server, key, claim, errand, lifetime, ends });
    this.#probes.add({ call: call.ask(), owner: claim, key });
  }

  /** To find out what a server speaks a session may have been opened here, which is another's to have. */
  #endStray(key: string, stateKey: string, { revision }: Claim): void {
    if (this.#others.get(key) === revision) return;
    this.#others.set(key, revision);
    void this.#local.end(stateKey);
  }

  #lost(code: "outcome-unknown" | "unreachable"): UpstreamError {
    const message = `The process that runs ${this.#local.id} was lost during the call.`;
    return new UpstreamError(code, message, { sent: true });
  }

  #ownerless(wait: number): UpstreamError {
    const message = `No process runs ${this.#local.id} at the moment.`;
    return new UpstreamError("unreachable", message, { retryAfter: Math.ceil(wait) });
  }
}

function rest(time: number, lifetime: CallLifetime): Promise<void> {
  return lifetime.race(new Promise((resolve) => setTimeout(resolve, time)));
}
