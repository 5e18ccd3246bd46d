// How far an archive is behind the stored records, by the heads that each process writes once a second.

import type { Kv } from "../../engine/engine.ts";
import type { ChainHead } from "../sealed-head.ts";

interface Waiting {
  record: number;
  place: number;
  /** When the first waiting record was seen, by the monotonic clock. */
  since: number | undefined;
}

/** The archived part of a chain. */
interface Archived {
  readonly heads: ReadonlyMap<string, ChainHead>;
  readonly place: number;
}

/** Compares heads with the archive. */
export class ArchiveLag {
  readonly #chains = new Map<string, Waiting>();
  readonly #archived: () => Archived | undefined;
  readonly #stop: () => void;

  constructor(heads: Pick<Kv, "watch">, archived: () => Archived | undefined) {
    this.#archived = archived;
    this.#stop = heads.watch(({ key, entry }) => {
      if (!entry) return void this.#chains.delete(key);
      const { record, place } = JSON.parse(Buffer.from(entry.value).toString()) as ChainHead;
      this.#chains.set(key, { record, place, since: this.#chains.get(key)?.since });
      this.settle();
    });
  }

  /** Records that are stored but not archived. */
  get records(): number {
    let sum = 0;
    for (const [name, chain] of this.#chains) sum += this.#missing(name, chain);
    return sum;
  }

  /** Age of the oldest of them in seconds. */
  get seconds(): number {
    const now = performance.now();
    const since = [...this.#chains.values()].map((chain) => chain.since ?? now);
    return (now - Math.min(now, ...since)) / 1000;
  }

  /** Called after steps were archived. */
  settle(): void {
    for (const [name, chain] of this.#chains) {
      if (this.#missing(name, chain) === 0) chain.since = undefined;
      else chain.since ??= performance.now();
    }
  }

  close(): void {
    this.#stop();
  }

  #missing(name: string, { record, place }: Waiting): number {
    const archived = this.#archived();
    const known = archived?.heads.get(name);
    if (known) return Math.max(0, record - known.record);
    // A run that ended before the archive existed doesn't count.
    return place > (archived?.place ?? 0) ? record : 0;
  }
}
