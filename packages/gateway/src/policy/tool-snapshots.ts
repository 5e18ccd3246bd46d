import { hashOf } from "../crypto/stable-hash.ts";

/** The tools that a View may call, as they were when it was opened. */
export interface ToolSnapshot {
  /** The hash that a ticket contains. */
  readonly hash: string;
  /** The hash of each definition, by tool name. */
  readonly tools: ReadonlyMap<string, string>;
}

const MOST = 256;

/**
 * The latest snapshots of one server's tools. A ticket contains only the snapshot's hash. While the snapshot
 * is remembered, a View keeps working if its server changes another tool. Otherwise the View has to be opened
 * again.
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
