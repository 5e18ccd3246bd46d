import { hashOf } from "./stable-hash.ts";

/** The tools that a View may call, as they were when it was opened. */
export interface ToolSnapshot {
  /** What a ticket holds. */
  readonly hash: string;
  /** By name, the hash of each definition. */
  readonly tools: ReadonlyMap<string, string>;
}

const MOST = 256;

/**
 * The latest snapshots of one server's tools. A ticket holds a snapshot's hash alone; while the snapshot is
 * here, a View whose server changed another tool goes on. Otherwise the View has to be opened again.
 */
export class ToolSnapshots {
  readonly #kept = new Map<string, ToolSnapshot>();

  get(hash: string): ToolSnapshot | undefined {
    return this.#kept.get(hash);
  }

  keep(tools: ReadonlyMap<string, string>): ToolSnapshot {
    const hash = hashOf([...tools].sort(([a], [b]) => (a < b ? -1 : 1)));
    const snapshot = this.#kept.get(hash) ?? { hash, tools };
    this.#kept.delete(hash);
    this.#kept.set(hash, snapshot);
    const [oldest] = this.#kept.keys();
    if (this.#kept.size > MOST && oldest !== undefined) this.#kept.delete(oldest);
    return snapshot;
  }
}
