// What this process owns of one server, and everything that is done with it. Nothing is done by who is not
// the owner at that moment, and what is under way when it stops being the owner is broken off.

import { now } from "../monotonic-clock.ts";
import { type CallSignal, Cancellation } from "../upstreams/cancellation.ts";
import { isRepeatable } from "../upstreams/leg.ts";
import { type OwnableUpstream, type UpstreamCall, UpstreamError } from "../upstreams/upstream.ts";
import type { Directory } from "./directory.ts";

/** What is owned: by its key in the directory, and by that of the upstream. */
export interface Holding {
  readonly key: string;
  readonly stateKey: string;
}

/** This process does not own it: nothing was done that could not be done again. */
export class NotOwnerError extends Error {
  override name = "NotOwnerError";
}

/** What is known of the caller's wish. */
export type Wish = { method?: string } & Partial<Pick<UpstreamCall, "repeatable" | "signal">>;

interface Use {
  stateKey: string;
  runs: Set<Cancellation>;
  usedAt: number;
}

/** How long what is not used is kept, in milliseconds. */
export interface OwnerOptions {
  idle?: number;
}

/** The owner's side of one server. */
export class Owner {
  readonly #local: OwnableUpstream;
  readonly #directory: Directory;
  readonly #idle: number;
  readonly #uses = new Map<string, Use>();
  readonly #sweeper: NodeJS.Timeout;

  constructor(
    local: OwnableUpstream,
    { directory, idle = 1_800_000 }: OwnerOptions & { directory: Directory },
  ) {
    this.#local = local;
    this.#directory = directory;
    this.#idle = idle;
    this.#sweeper = setInterval(() => this.#sweep(), Math.max(10, Math.min(30_000, idle / 2)));
    this.#sweeper.unref();
  }

  /** Does something with what this process owns; rejects with a `NotOwnerError` if it does not. */
  async run<T>(
    { key, stateKey }: Holding,
    work: (signal: CallSignal) => Promise<T>,
    { signal, method = "", repeatable = false }: Wish = {},
  ): Promise<T> {
    if (!this.#directory.isMine(key)) throw new NotOwnerError(`${this.#local.id} is another's.`);
    const use = this.#use(key, stateKey);
    const run = new Cancellation();
    const forward = (): void => run.abort(signal?.reason);
    if (signal?.aborted) forward();
    signal?.addEventListener("abort", forward, { once: true });
    use.runs.add(run);
    try {
      return await work(run);
    } catch (error) {
      if (run.reason !== FENCED || !(error instanceof UpstreamError)) throw error;
      if (error.sent && !isRepeatable(method, { repeatable })) {
        throw error.with({}, "outcome-unknown");
      }
      // Not done, or done without harm: whoever owns it next may do it.
      throw new NotOwnerError(`${this.#local.id} was lost to the cluster.`);
    } finally {
      signal?.removeEventListener("abort", forward);
      use.runs.delete(run);
      use.usedAt = now();
    }
  }

  /** Keeps what is owned for as long as its undo is not called: somebody listens. */
  hold({ key, stateKey }: Holding): () => void {
    const { runs } = this.#use(key, stateKey);
    const run = new Cancellation();
    runs.add(run);
    return () => runs.delete(run);
  }

  /** The cluster counts this process out: everything ends, at once. */
  async fence(): Promise<void> {
    for (const { runs } of this.#uses.values()) for (const run of runs) run.abort(FENCED);
    this.#uses.clear();
    await this.#local.end();
    // Ended, so that the entries may go, if the engine hears it; if not, they are void all the same.
    for (const key of this.#directory.claims()) void this.#directory.release(key, async () => {});
  }

  /** Closes the upstream, then gives everything back. */
  async close(): Promise<void> {
    clearInterval(this.#sweeper);
    const closed = this.#local.close();
    const claims = this.#directory.claims();
    await Promise.all(claims.map((key) => this.#directory.release(key, () => closed)));
    await closed;
  }

  #use(key: string, stateKey: string): Use {
    const known = this.#uses.get(key);
    if (known) return known;
    const use = { stateKey, runs: new Set<Cancellation>(), usedAt: now() };
    this.#uses.set(key, use);
    return use;
  }

  #sweep(): void {
    const before = now() - this.#idle;
    for (const [key, { runs, usedAt, stateKey }] of this.#uses) {
      if (runs.size > 0 || usedAt > before) continue;
      this.#uses.delete(key);
      void this.#directory.release(key, () => this.#local.end(stateKey));
    }
  }
}

const FENCED = new Error("This process was counted out of the cluster.");
