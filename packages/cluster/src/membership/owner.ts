// Everything of one server that this process owns, and all work with it. Only the current owner does any work,
// and work in progress is aborted when the process stops being the owner.

import {
  isRepeatable,
  type OwnableUpstream,
  type UpstreamCall,
  UpstreamError,
} from "@vitrine/gateway/upstreams";
import type { Directory } from "./directory.ts";

/** Something that can be owned: its key in the directory, and its key in the upstream. */
export interface Owned {
  readonly key: string;
  readonly stateKey: string;
}

/** This process isn't the owner. The call wasn't carried out, or can be repeated safely. */
export class NotOwnerError extends Error {
  override name = "NotOwnerError";
}

/** The options of the call, as far as they are known. */
export type CallOptions = { method?: string } & Partial<Pick<UpstreamCall, "signal">>;

interface Use {
  stateKey: string;
  runs: Set<AbortController>;
  usedAt: number;
}

/** Times in milliseconds. */
export interface OwnerOptions {
  /** After this time an unused process or session is ended. */
  idle?: number;
  /** How long `close` waits for the calls of other processes. They wait longer than that for the next owner. */
  drainTime?: number;
}

/** The owner's side of one server. */
export class Owner {
  readonly #local: OwnableUpstream;
  readonly #directory: Directory;
  readonly #idle: number;
  readonly #drainTime: number;
  #runs = 0;
  #isClosing = false;
  #onIdle: () => void = () => {};
  readonly #uses = new Map<string, Use>();
  readonly #sweeper: NodeJS.Timeout;

  constructor(local: OwnableUpstream, options: OwnerOptions & { directory: Directory }) {
    const { directory, idle = 1_800_000, drainTime = 5_000 } = options;
    this.#drainTime = drainTime;
    this.#local = local;
    this.#directory = directory;
    this.#idle = idle;
    this.#sweeper = setInterval(() => this.#sweep(), Math.max(10, Math.min(30_000, idle / 2)));
    this.#sweeper.unref();
  }

  /** Runs `work` as the owner. Rejects with a `NotOwnerError` if another process is the owner. */
  async run<T>(
    { key, stateKey }: Owned,
    work: (signal: AbortSignal) => Promise<T>,
    { signal, method = "" }: CallOptions = {},
  ): Promise<T> {
    if (!this.#directory.isMine(key))
      throw new NotOwnerError(`${this.#local.id} belongs to another process.`);
    const use = this.#use(key, stateKey);
    const run = new AbortController();
    const ended = signal ? AbortSignal.any([signal, run.signal]) : run.signal;
    use.runs.add(run);
    this.#runs += 1;
    try {
      return await work(ended);
    } catch (error) {
      if (ended.reason !== FENCED || !(error instanceof UpstreamError)) throw error;
      if (error.sent && !isRepeatable(method)) throw error.with({}, "outcome-unknown");
      // The call wasn't carried out, or is safe to repeat: the next owner may do it.
      throw new NotOwnerError(`This process lost ${this.#local.id} to the cluster.`);
    } finally {
      use.runs.delete(run);
      use.usedAt = performance.now();
      this.#runs -= 1;
      if (this.#runs === 0) this.#onIdle();
    }
  }

  /** Keeps something in use until the returned function is called, for a subscription. */
  hold({ key, stateKey }: Owned): () => void {
    const { runs } = this.#use(key, stateKey);
    const run = new AbortController();
    runs.add(run);
    return () => runs.delete(run);
  }

  /** Ends everything at once, because the cluster no longer counts this process as the owner. */
  async fence(): Promise<void> {
    for (const { runs } of this.#uses.values()) for (const run of runs) run.abort(FENCED);
    this.#uses.clear();
    await this.#local.end();
    // Everything has ended, so the entries can be deleted. If that fails, they are void anyway.
    for (const key of this.#directory.claims()) void this.#directory.release(key, async () => {});
  }

  /** Whether another process is to take over. Calls that haven't started yet belong to that one. */
  get isClosing(): boolean {
    return this.#isClosing;
  }

  /** Lets the calls in progress end, closes the upstream, then releases all claims. */
  async close(): Promise<void> {
    this.#isClosing = true;
    clearInterval(this.#sweeper);
    await this.#drained();
    const closed = this.#local.close();
    const claims = this.#directory.claims();
    await Promise.all(claims.map((key) => this.#directory.release(key, () => closed)));
    await closed;
  }

  /** Resolves when no call is in progress, or after the time for that. */
  async #drained(): Promise<void> {
    if (this.#runs === 0) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#onIdle = resolve;
    const timer = setTimeout(resolve, this.#drainTime);
    await promise;
    clearTimeout(timer);
  }

  #use(key: string, stateKey: string): Use {
    const known = this.#uses.get(key);
    if (known) return known;
    const use = { stateKey, runs: new Set<AbortController>(), usedAt: performance.now() };
    this.#uses.set(key, use);
    return use;
  }

  #sweep(): void {
    const before = performance.now() - this.#idle;
    for (const [key, { runs, usedAt, stateKey }] of this.#uses) {
      if (runs.size > 0 || usedAt > before) continue;
      this.#uses.delete(key);
      void this.#directory.release(key, () => this.#local.end(stateKey));
    }
  }
}

const FENCED = new Error("This process is no longer the owner.");
