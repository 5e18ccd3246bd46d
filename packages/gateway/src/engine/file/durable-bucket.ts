// A bucket that outlives the process: its keys in memory, its writes in a journal. A write is visible once
// it is on the disk, so that nobody acts on what a crash would take back.

import type { EngineError } from "../errors.ts";
import type { Dispatch } from "../local/dispatch.ts";
import { KvTable, refusalOf, type Write } from "../local/kv-table.ts";
import type { Bucket } from "../local/local-kv.ts";
import { FrameFile, type ReadOptions, readFrameFile } from "./frame-file.ts";
import { GroupCommit, type Waiting } from "./group-commit.ts";
import { decodeOps, encodeOp, type KvOp } from "./kv-ops.ts";

/** A journal below this is not worth rewriting. */
const SMALL = 2 ** 20;
/** A journal this many times as long as what it says is rewritten. */
const WASTE = 4;
const OP_HEAD = 64;
const NEVER = Number.POSITIVE_INFINITY;

type WaitingWrite = Waiting<Write, number>;

export class DurableBucket implements Bucket {
  readonly table: KvTable;
  readonly options: Bucket["options"] = { ttl: NEVER, durable: true };
  readonly #path: string;
  readonly #commits = new GroupCommit<Write, number>((writes) => this.#write(writes));
  #file: FrameFile | undefined;
  #rewriteAt = SMALL;

  private constructor(path: string, table: KvTable, file: FrameFile | undefined) {
    this.#path = path;
    this.table = table;
    this.#file = file;
  }

  /** A bucket whose journal is not there yet; the first write makes it. */
  static begin(path: string, dispatch: Dispatch): DurableBucket {
    return new DurableBucket(path, new KvTable(dispatch), undefined);
  }

  static async open(
    path: string,
    dispatch: Dispatch,
    options: ReadOptions,
  ): Promise<DurableBucket> {
    const table = new KvTable(dispatch);
    const extent = await readJournal(path, table, options);
    return new DurableBucket(path, table, extent && (await FrameFile.reopen(path, extent)));
  }

  commit(write: Write): Promise<number> {
    const size = write.kind === "delete" ? 0 : write.value.length;
    return this.#commits.add(write, OP_HEAD + write.key.length + size);
  }

  async close(): Promise<void> {
    await this.#commits.close();
    await this.#file?.close();
    this.table.close();
  }

  async #write(writes: readonly WaitingWrite[]): Promise<void> {
    // The keys as they will be when this group is written; those who lose to a write of the group are told
    // after it, because if the disk fails they have lost to nobody.
    const ahead = new Map<string, number | undefined>();
    const done: { waiting: WaitingWrite; op: KvOp }[] = [];
    const lost: { waiting: WaitingWrite; refusal: EngineError }[] = [];
    let revision = this.table.revision;
    for (const waiting of writes) {
      const { item } = waiting;
      const current = ahead.has(item.key) ? ahead.get(item.key) : this.table.revisionOf(item.key);
      const refusal = refusalOf(item, current);
      if (refusal) lost.push({ waiting, refusal });
      else {
        revision += 1;
        const op = toOp(item, { revision, ttl: this.options.ttl });
        ahead.set(item.key, op.value && revision);
        done.push({ waiting, op });
      }
    }
    if (done.length > 0) {
      this.#file ??= await FrameFile.create(this.#path, "VTKV0001");
      await this.#file.append(done.map(({ op }) => encodeOp(op)));
      this.table.revision = revision;
    }
    for (const { waiting, op } of done) {
      applyOp(this.table, op);
      waiting.resolve(op.revision);
    }
    for (const { waiting, refusal } of lost) waiting.reject(refusal);
    await this.#rewriteIfLong();
  }

  async #rewriteIfLong(): Promise<void> {
    const length = this.#file?.length ?? 0;
    const live = this.table.bytes + this.table.size * OP_HEAD;
    if (length < this.#rewriteAt || length < live * WASTE) return;
    // Also when it fails: a full disk must not be asked again by every write.
    this.#rewriteAt = length + SMALL;
    try {
      await this.#rewrite();
      this.#rewriteAt = SMALL;
    } catch {
      // The long journal is as good.
    }
  }

  async #rewrite(): Promise<void> {
    const fresh = await FrameFile.create(`${this.#path}.new`, "VTKV0001");
    try {
      // Deleted keys leave nothing, and their revisions must not be given again.
      const none = { key: "", value: undefined, revision: this.table.revision, expires: NEVER };
      let ops = [encodeOp(none)];
      let bytes = 0;
      for (const key of this.table.keys()) {
        const entry = this.table.get(key);
        if (!entry) continue;
        const op = encodeOp({ ...entry, expires: Date.now() + this.table.timeLeft(key) });
        ops.push(op);
        bytes += op.length;
        if (bytes < SMALL) continue;
        await fresh.append(ops);
        ops = [];
        bytes = 0;
      }
      if (ops.length > 0) await fresh.append(ops);
      const old = this.#file;
      this.#file = await fresh.replace(this.#path);
      await old?.close({ seal: false });
    } catch (error) {
      await fresh.discard();
      throw error;
    }
  }
}

/** Fills a table from a journal. */
export async function readJournal(
  path: string,
  table: KvTable,
  options: ReadOptions,
): Promise<{ seed: number; end: number } | undefined> {
  const newest = new Map<string, KvOp>();
  const extent = await readFrameFile(path, "VTKV0001", {
    ...options,
    onFrame: ({ payload }) => {
      for (const op of decodeOps(payload)) {
        table.revision = Math.max(table.revision, op.revision);
        if (op.value) newest.set(op.key, op);
        else newest.delete(op.key);
      }
    },
  });
  const now = Date.now();
  for (const op of newest.values()) if (op.expires > now) applyOp(table, op);
  return extent;
}

function toOp(write: Write, { revision, ttl }: { revision: number; ttl: number }): KvOp {
  const { kind, key } = write;
  if (kind === "delete") return { key, value: undefined, revision, expires: NEVER };
  const own = kind === "create" ? write.ttl : undefined;
  return { key, value: write.value, revision, expires: Date.now() + (own ?? ttl) };
}

function applyOp(table: KvTable, { key, value, revision, expires }: KvOp): void {
  if (value) table.set(key, value, { revision, ttl: expires - Date.now() });
  else table.remove(key, "deleted");
}
