import { mkdir, readdir, rm, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { Appended, LogRecord } from "../engine.ts";
import { EngineError } from "../errors.ts";
import { batchBytes } from "../local/batch.ts";
import { ConsumerGroup } from "../local/consumer-group.ts";
import type { Dispatch } from "../local/dispatch.ts";
import { RecentIds } from "../local/recent-ids.ts";
import { encodeGroupHead, type StoredGroup } from "./batch-codec.ts";
import { corruptError, diskError, isMissing } from "./disk-error.ts";
import { DurableBucket } from "./durable-bucket.ts";
import { type ReadOptions, syncFolder } from "./frame-file.ts";
import { FILE_HEADER } from "./frames.ts";
import { GroupCommit, type Waiting } from "./group-commit.ts";
import { breakError, firstOfName, Segment } from "./segment.ts";

export interface PartitionOptions {
  dispatch: Dispatch;
  segmentBytes: number;
  maxLogBytes: number;
  dedupeTime: number;
  onNotice: ReadOptions["onNotice"];
  onError(error: unknown): void;
}

/** A batch that waits to be written. */
export interface EncodedBatch {
  readonly id: string | undefined;
  readonly count: number;
  readonly parts: readonly Uint8Array[];
}

/** A file of the log; all but the newest are read when somebody asks. */
export interface Slot {
  readonly first: number;
  readonly path: string;
  readonly bytes: number;
  segment?: Segment | undefined;
}

/** One partition of the log in its folder. */
export class Partition {
  readonly #folder: string;
  readonly #options: PartitionOptions;
  readonly #groups = new Map<string, ConsumerGroup>();
  readonly #ids: RecentIds;
  readonly #offsets: DurableBucket;
  readonly #commits = new GroupCommit<EncodedBatch, Appended>((batches) => this.#write(batches));
  #closed: Slot[] = [];
  #active: Segment | undefined;
  #next = 1;

  private constructor(folder: string, offsets: DurableBucket, options: PartitionOptions) {
    this.#folder = folder;
    this.#options = options;
    this.#offsets = offsets;
    this.#ids = new RecentIds(options.dedupeTime);
  }

  static async open(folder: string, options: PartitionOptions): Promise<Partition> {
    const { dispatch, onNotice } = options;
    const journal = join(folder, "offsets.journal");
    const offsets = await DurableBucket.open(journal, dispatch, { mayBeTorn: true, onNotice });
    const partition = new Partition(folder, offsets, options);
    try {
      await partition.#load(await listSegments(folder));
      return partition;
    } catch (error) {
      await partition.close();
      throw error;
    }
  }

  /** Of all its files. */
  get bytes(): number {
    const closed = this.#closed.reduce((sum, slot) => sum + slot.bytes, 0);
    return closed + (this.#active?.bytes ?? 0);
  }

  append(batch: EncodedBatch): Promise<Appended> {
    return this.#commits.add(batch, batchBytes(batch.parts));
  }

  async *read(from: number): AsyncGenerator<LogRecord> {
    const before = this.#next;
    const active = this.#active;
    const closed = [...this.#closed];
    for (const [place, slot] of closed.entries()) {
      const next = closed[place + 1]?.first ?? active?.first ?? before;
      if (next <= from) continue;
      try {
        const segment = await loadSlot(slot, next);
        yield* segment.read(from, before);
      } catch (error) {
        // Trimmed while it was read: it is gone, and so would it be for who asks now.
        if (this.#closed.includes(slot)) throw error;
      }
    }
    if (active) yield* active.read(from, before);
  }

  bounds(): { first: number; last: number } | undefined {
    const first = this.#closed[0]?.first ?? this.#active?.first ?? this.#next;
    return first < this.#next ? { first, last: this.#next - 1 } : undefined;
  }

  consume(group: string, fn: (batch: readonly LogRecord[]) => Promise<void>): () => void {
    let consumers = this.#groups.get(group);
    if (!consumers) {
      const value = this.#offsets.table.get(group)?.value;
      const next = value ? Number(Buffer.from(value).toString("latin1")) : 0;
      consumers = new ConsumerGroup(
        {
          read: (from) => this.read(from),
          remember: async (after) => {
            const offset = Buffer.from(String(after), "latin1");
            await this.#offsets.commit({ kind: "put", key: group, value: offset });
          },
          onError: this.#options.onError,
        },
        next,
      );
      this.#groups.set(group, consumers);
    }
    return consumers.add(fn);
  }

  /** Removes whole files. */
  async trim(before: number): Promise<void> {
    for (const slot of [...this.#closed]) {
      const place = this.#closed.indexOf(slot);
      const next = this.#closed[place + 1]?.first ?? this.#active?.first ?? 0;
      if (place !== 0 || next > before) return;
      this.#closed.shift();
      await rm(slot.path, { force: true }).catch((error: unknown) => {
        throw diskError(slot.path, error);
      });
    }
  }

  async close(): Promise<void> {
    for (const group of this.#groups.values()) group.close();
    await this.#commits.close();
    await this.#active?.close();
    await this.#offsets.close();
  }

  async #write(batches: readonly Waiting<EncodedBatch, Appended>[]): Promise<void> {
    const time = Date.now();
    const payload: (readonly Uint8Array[])[] = [[encodeGroupHead(this.#next, time)]];
    const places: [Waiting<EncodedBatch, Appended>, Appended][] = [];
    const ahead = new Map<string, Appended>();
    let next = this.#next;
    let bytes = 0;
    for (const waiting of batches) {
      const { id, count, parts } = waiting.item;
      const known = this.#ids.find(id) ?? (id === undefined ? undefined : ahead.get(id));
      const place = known ?? { first: next, last: next + count - 1, duplicate: false };
      places.push([waiting, place]);
      if (known) continue;
      if (id !== undefined) ahead.set(id, { ...place, duplicate: true });
      payload.push(parts);
      bytes += waiting.bytes;
      next += count;
    }
    if (next > this.#next) {
      await this.#makeRoom(bytes);
      await (this.#active as Segment).append(payload.flat(), next - 1);
      this.#next = next;
      for (const [id, { first, last }] of ahead) this.#ids.add(id, { first, last, time });
    }
    for (const [{ resolve }, place] of places) resolve(place);
    for (const group of this.#groups.values()) group.wake();
  }

  // A segment that can take so many bytes. The new file is there before the old is closed: if there is no
  // room for it, the old stays in use.
  async #makeRoom(bytes: number): Promise<void> {
    const { segmentBytes, maxLogBytes } = this.#options;
    if (this.bytes + bytes > maxLogBytes) {
      const text = `${this.#folder} may hold ${maxLogBytes} bytes; nothing was stored. Trim the log, or allow more.`;
      throw new EngineError("full", text);
    }
    const old = this.#active;
    if (old && (old.isEmpty || old.bytes + bytes <= segmentBytes)) return;
    if (!old) await makeFolder(this.#folder);
    this.#active = await Segment.create(this.#folder, this.#next);
    if (!old) return;
    await old.close();
    const { first, path, bytes: length } = old;
    this.#closed.push({ first, path, bytes: length, segment: old });
  }

  async #load(slots: Slot[]): Promise<void> {
    const { dedupeTime, onNotice } = this.#options;
    const recent = Date.now() - dedupeTime;
    const onGroup = ({ batches, time }: StoredGroup): void => {
      if (time < recent) return;
      for (const { id, first, records } of batches) {
        if (id) this.#ids.add(id, { first, last: first + records.length - 1, time });
      }
    };
    const newest = await dropBegun(slots);
    for (const [place, slot] of slots.entries()) {
      const { mtimeMs } = await stat(slot.path);
      const next = slots[place + 1]?.first ?? newest?.first ?? 0;
      if (mtimeMs >= recent) await loadSlot(slot, next, onGroup);
    }
    this.#closed = slots;
    if (!newest) return;
    const options = { mayBeTorn: true, onNotice, onGroup };
    const segment = await Segment.load(newest.path, newest.first, options);
    if (!segment) throw corruptError(newest.path, 0, "it is gone");
    await segment.reopen();
    this.#active = segment;
    this.#next = segment.next;
  }
}

/** The files of a partition, oldest first. */
export async function listSegments(folder: string): Promise<Slot[]> {
  const names = await readdir(folder).catch((error: unknown) => {
    if (isMissing(error)) return [];
    throw diskError(folder, error);
  });
  const slots: Slot[] = [];
  for (const name of names.sort()) {
    const first = firstOfName(name);
    const path = join(folder, name);
    if (first !== undefined) slots.push({ first, path, bytes: (await stat(path)).size });
  }
  return slots;
}

// The newest file; one that a crash let only begin holds nothing, and the one before it may have gone on.
async function dropBegun(slots: Slot[]): Promise<Slot | undefined> {
  for (let newest = slots.pop(); newest; newest = slots.pop()) {
    if (newest.bytes >= FILE_HEADER) return newest;
    await rm(newest.path, { force: true });
  }
  return undefined;
}

/** Reads a file that others follow. */
async function loadSlot(
  slot: Slot,
  next: number,
  onGroup?: (group: StoredGroup) => void,
): Promise<Segment> {
  if (slot.segment) return slot.segment;
  // Its last frame, the seal, may be torn; that no record is, the next file's name says.
  const options = { mayBeTorn: true, onNotice: () => {}, ...(onGroup && { onGroup }) };
  const segment = await Segment.load(slot.path, slot.first, options);
  if (segment?.next !== next) throw breakError(slot.path, segment, next);
  slot.segment = segment;
  return segment;
}

async function makeFolder(folder: string): Promise<void> {
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    await syncFolder(dirname(folder));
  } catch (error) {
    throw diskError(folder, error);
  }
}
