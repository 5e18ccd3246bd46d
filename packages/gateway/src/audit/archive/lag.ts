// How far an archive is behind what the processes have stored, by the heads that each leaves once a second.

import type { Kv } from "../../engine/engine.ts";
import type { ChainHead } from "../sealed-head.ts";

interface Waiting {
  record: number;
  place: number;
  /** When the first of what waits was seen, by a clock that nobody sets. */
  since: number | undefined;
}

/** What is archived. */
interface Archived {
  readonly heads: ReadonlyMap<string, ChainHead>;
  readonly place: number;
}

/** Compares heads with what is archived. */
export class ArchiveLag {
  readonly #chains = new Map<string, Waiting>();
  readonly #archived: () => Archived | undefined;
  readonly #now: () => number;
  readonly #stop: () => void;

  constructor(
    heads: Pick<Kv, "watch">,
    archived: () => Archived | undefined,
    { now = () => performance.now(), onHead }: { now?: () => number; onHead(): void },
  ) {
    this.#archived = archived;
    this.#now = now;
    this.#stop = heads.watch(({ key, entry }) => {
      if (!entry) return void this.#chains.delete(key);
      const { record, place } = JSON.parse(Buffer.from(entry.value).toString()) as ChainHead;
      this.#chains.set(key, { record, place, since: this.#chains.get(key)?.since });
      this.settle();
      onHead();
    });
  }

  /** Records that are stored and not archived. */
  get records(): number {
    let sum = 0;
    for (const [name, chain] of this.#chains) sum += this.#missing(name, chain);
    return sum;
  }

  /** Seconds that the oldest of them has waited. */
  get seconds(): number {
    const now = this.#now();
    const since = [...this.#chains.values()].map((chain) => chain.since ?? now);
    return (now - Math.min(now, ...since)) / 1000;
  }

  /** Something was archived. */
  settle(): void {
    for (const [name, chain] of this.#chains) {
      if (this.#missing(name, chain) === 0) chain.since = undefined;
      else chain.since ??= this.#now();
    }
  }

  close(): void {
    this.#stop();
  }

  #missing(name: string, { record, place }: Waiting): number {
    const archived = this.#archived();
    const known = archived?.heads.get(name);
    if (known) return Math.max(0, record - known.record);
    // A life that ended before there was an archive is not waited for.
    return place > (archived?.place ?? 0) ? record : 0;
  }
}
