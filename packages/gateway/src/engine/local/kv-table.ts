// The keys of one bucket as a process sees them: what is there, when it goes, and who watches. Whether a
// write may be done is judged here too, so that memory and SQLite cannot differ in it.

import type { Change, Entry, WatchOptions } from "../engine.ts";
import { EngineError } from "../engine-error.ts";
import type { Dispatch } from "./dispatch.ts";

/** A requested write. */
export type Write =
  | { kind: "create"; key: string; value: Uint8Array }
  | { kind: "update"; key: string; value: Uint8Array; revision: number }
  | { kind: "put"; key: string; value: Uint8Array }
  | { kind: "delete"; key: string; revision?: number | undefined };

interface Cell {
  readonly value: Uint8Array;
  readonly revision: number;
  /** By the monotonic clock: setting back the wall clock must not extend a lease. */
  readonly expires: number;
  timer: NodeJS.Timeout | undefined;
}

interface Watcher {
  readonly fn: (change: Change) => void;
}

// The longest delay of a timer. Longer ones are restarted.
const LONGEST_TIMER = 2 ** 31 - 1;

export class KvTable {
  /** The last revision. */
  revision: number;
  readonly #cells = new Map<string, Cell>();
  readonly #watchers = new Set<Watcher>();
  readonly #dispatch: Dispatch;

  constructor(dispatch: Dispatch, { revision = 0 }: { revision?: number } = {}) {
    this.#dispatch = dispatch;
    this.revision = revision;
  }

  get(key: string): Entry | undefined {
    const cell = this.#current(key);
    return cell && { key, value: new Uint8Array(cell.value), revision: cell.revision };
  }

  revisionOf(key: string): number | undefined {
    return this.#current(key)?.revision;
  }

  keys(prefix = ""): string[] {
    const found: string[] = [];
    for (const key of this.#cells.keys()) if (key.startsWith(prefix)) found.push(key);
    return found;
  }

  set(key: string, value: Uint8Array, { revision, ttl }: { revision: number; ttl: number }): void {
    this.#drop(key);
    const cell: Cell = { value, revision, expires: performance.now() + ttl, timer: undefined };
    this.#cells.set(key, cell);
    if (ttl !== Number.POSITIVE_INFINITY) this.#expire(key, cell);
    this.#notify({ key, entry: { key, value, revision }, reason: "put" });
  }

  remove(key: string, reason: "deleted" | "expired"): void {
    if (this.#drop(key)) this.#notify({ key, entry: undefined, reason });
  }

  watch(fn: (change: Change) => void, { fromNow = false, onReady }: WatchOptions): () => void {
    const watcher: Watcher = { fn };
    this.#watchers.add(watcher);
    if (!fromNow) {
      for (const key of this.keys()) {
        const entry = this.get(key);
        if (entry) this.#deliver(watcher, { key, entry, reason: "put" });
      }
    }
    if (onReady) this.#dispatch.later(() => this.#watchers.has(watcher) && onReady());
    return () => this.#watchers.delete(watcher);
  }

  close(): void {
    this.#watchers.clear();
    for (const { timer } of this.#cells.values()) clearTimeout(timer);
    this.#cells.clear();
  }

  // An expired key is absent, even if its timer is late.
  #current(key: string): Cell | undefined {
    const cell = this.#cells.get(key);
    if (!cell || cell.expires > performance.now()) return cell;
    this.remove(key, "expired");
    return undefined;
  }

  #drop(key: string): boolean {
    const cell = this.#cells.get(key);
    if (!cell) return false;
    clearTimeout(cell.timer);
    return this.#cells.delete(key);
  }

  #expire(key: string, cell: Cell): void {
    const left = Math.ceil(cell.expires - performance.now());
    cell.timer = setTimeout(
      () => {
        if (this.#cells.get(key) !== cell) return;
        if (this.#current(key)) this.#expire(key, cell);
      },
      Math.min(Math.max(left, 0), LONGEST_TIMER),
    );
    cell.timer.unref();
  }

  #notify(change: Change): void {
    for (const watcher of this.#watchers) this.#deliver(watcher, change);
  }

  #deliver(watcher: Watcher, change: Change): void {
    const { key, entry } = change;
    const own = entry && { key, value: new Uint8Array(entry.value), revision: entry.revision };
    this.#dispatch.later(() => {
      if (this.#watchers.has(watcher)) watcher.fn({ ...change, entry: own });
    });
  }
}

/** Why a write isn't allowed, given the current revision of its key. */
export function refusalOf(write: Write, current: number | undefined): EngineError | undefined {
  const { kind, key } = write;
  if (kind === "put" || (kind === "delete" && write.revision === undefined)) return undefined;
  if (kind === "create") {
    if (current === undefined) return undefined;
    const text = `The key "${key}" exists at revision ${current}. Update it, or use another key.`;
    return new EngineError("exists", text);
  }
  if (current === write.revision) return undefined;
  const found = current === undefined ? "does not exist" : `is at revision ${current}`;
  const text = `The key "${key}" ${found}, not at ${write.revision}. Read it and try again.`;
  return new EngineError("conflict", text);
}
