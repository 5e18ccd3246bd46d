// An engine whose log is written to this machine's disk first: a record is safe when it is there, and goes on
// to the others as soon as they take it. An engine that is away for a while stops nobody, and what a process
// that is killed had not passed on its next life does.

import type { Appended, Engine, Kv, Log, LogRecord } from "../engine/engine.ts";

/** How a log is passed on. */
export interface SpoolingOptions {
  /** On this machine, and this process's alone. Its `onError` hears why nothing is passed on. */
  local: Engine;
}

/** What is safe on this machine and not yet with the others. */
export interface SpoolDepth {
  readonly batches: number;
  readonly bytes: number;
}

/** An engine whose log is behind a spool. */
export interface SpooledEngine extends Engine {
  readonly depth: SpoolDepth;
}

const GROUP = "forward";
const PLACES = "spool-places";

/** The engine, with its log behind a spool. What is left of a former life is passed on first. */
export async function openSpooledEngine(
  remote: Engine,
  { local }: SpoolingOptions,
  partitions: readonly string[],
): Promise<SpooledEngine> {
  const spools = new Map<string, PartitionSpool>();
  for (const partition of partitions) {
    const spool = await PartitionSpool.open(partition, { remote, local });
    spools.set(partition, spool);
  }
  await Promise.all([...spools.values()].map((spool) => spool.drained()));
  const log: Log = {
    ...readingOf(remote.log),
    append: (partition, batch, options) => {
      const spool = spools.get(partition);
      return spool ? spool.append(batch, options) : remote.log.append(partition, batch, options);
    },
  };
  return {
    ...{ log, bus: remote.bus, blob: remote.blob },
    caps: { ...remote.caps, fsyncBeforeAck: local.caps.fsyncBeforeAck },
    kv: (bucket, options) => remote.kv(bucket, options),
    get depth() {
      const all = [...spools.values()].map(({ depth }) => depth);
      const sum = (of: (depth: SpoolDepth) => number) => all.reduce((n, each) => n + of(each), 0);
      return { batches: sum(({ batches }) => batches), bytes: sum(({ bytes }) => bytes) };
    },
    close: async () => {
      for (const spool of spools.values()) spool.close();
      await local.close();
    },
  };
}

function readingOf(log: Log): Omit<Log, "append"> {
  return {
    read: (...args) => log.read(...args),
    bounds: (...args) => log.bounds(...args),
    consume: (...args) => log.consume(...args),
    trim: (...args) => log.trim(...args),
    ...(log.bytes && {
      bytes: (partition: string) => (log.bytes as NonNullable<Log["bytes"]>)(partition),
    }),
  };
}

/** How far it came: in the log that all share, and in its own. */
interface Place {
  place: number;
  passed: number;
}

interface Parts extends SpoolingOptions {
  remote: Engine;
}

class PartitionSpool {
  readonly #name: string;
  readonly #parts: Parts;
  readonly #places: Kv;
  #place: number;
  /** Up to which everything was taken here, and passed on. */
  #taken: number;
  #passed: number;
  /** Whether what comes first may have been passed on without our having heard of it. */
  #isDoubtful = true;
  #failedAt: number | undefined;
  #waiters: (() => void)[] = [];
  #bytes = 0;
  #stop: () => void = () => {};

  private constructor(name: string, parts: Parts, at: Place & { places: Kv; taken: number }) {
    this.#name = name;
    this.#parts = parts;
    this.#places = at.places;
    this.#place = at.place;
    this.#passed = at.passed;
    this.#taken = at.taken;
  }

  static async open(name: string, parts: Parts): Promise<PartitionSpool> {
    const places = parts.local.kv(PLACES, { durable: true });
    const kept = await places.get(name);
    // Before anything of ours can be in it: what is passed on twice is looked for from here.
    const { place, passed } = kept
      ? (JSON.parse(`${Buffer.from(kept.value)}`) as Place)
      : { place: await endOf(parts.remote.log, name), passed: 0 };
    const taken = (await parts.local.log.bounds(name))?.last ?? 0;
    const spool = new PartitionSpool(name, parts, { places, place, passed, taken });
    if (!kept) await spool.#remember();
    spool.#stop = parts.local.log.consume(GROUP, name, (records) => spool.#pass(records));
    return spool;
  }

  async append(batch: readonly Uint8Array[], { id }: { id?: string } = {}): Promise<Appended> {
    const { local } = this.#parts;
    const record = encode(id, batch);
    // Before it is there: it may have been passed on by the time we hear that it is.
    this.#bytes += record.length;
    const appending = local.log.append(this.#name, [record], { ...(id !== undefined && { id }) });
    const { last, duplicate } = await appending.catch((error: unknown) => {
      this.#bytes -= record.length;
      throw error;
    });
    if (duplicate) this.#bytes -= record.length;
    this.#taken = Math.max(this.#taken, last);
    // Where it will lie among the others' nobody knows yet: not before this.
    return { first: this.#place, last: this.#place, duplicate };
  }

  /** Resolves when everything that was taken so far has been passed on. */
  async drained(): Promise<void> {
    const last = this.#taken;
    while (this.#passed < last) await new Promise<void>((resolve) => this.#waiters.push(resolve));
  }

  get depth(): SpoolDepth {
    const batches = Math.max(0, this.#taken - this.#passed);
    // What a former life left was passed on before anything was counted.
    return { batches, bytes: batches === 0 ? 0 : Math.max(0, this.#bytes) };
  }

  close(): void {
    this.#stop();
  }

  async #pass(records: readonly LogRecord[]): Promise<void> {
    for (const record of records) if (record.sequence > this.#passed) await this.#passOne(record);
    // Before the group goes on: what it has behind it is not handed to us again.
    await this.#remember();
    for (const resolve of this.#waiters.splice(0)) resolve();
    await this.#parts.local.log.trim(this.#name, this.#passed);
  }

  async #passOne({ sequence, record }: LogRecord): Promise<void> {
    const { remote } = this.#parts;
    const { id, batch } = decode(record);
    try {
      const known = this.#mayBeKnown() ? await this.#find(batch) : undefined;
      const { first } =
        known === undefined
          ? await remote.log.append(this.#name, batch, id === undefined ? {} : { id })
          : { first: known };
      this.#isDoubtful = false;
      this.#failedAt = undefined;
      this.#place = first;
    } catch (error) {
      this.#failedAt ??= Date.now();
      throw error;
    }
    this.#passed = sequence;
    this.#bytes = Math.max(0, this.#bytes - record.length);
  }

  /** The engine forgets ids after a while; then only a look tells whether an append was done. */
  #mayBeKnown(): boolean {
    const { dedupeTime } = this.#parts.remote.caps;
    const isOld = this.#failedAt !== undefined && Date.now() - this.#failedAt > dedupeTime / 2;
    return this.#isDoubtful || isOld;
  }

  async #find(batch: readonly Uint8Array[]): Promise<number | undefined> {
    const [first] = batch;
    if (!first) return undefined;
    for await (const { sequence, record } of this.#parts.remote.log.read(this.#name, this.#place)) {
      if (Buffer.compare(record, first) === 0) return sequence;
    }
    return undefined;
  }

  async #remember(): Promise<void> {
    const place: Place = { place: this.#place, passed: this.#passed };
    await this.#places.put(this.#name, Buffer.from(JSON.stringify(place)));
  }
}

async function endOf(log: Log, partition: string): Promise<number> {
  return (await log.bounds(partition))?.last ?? 0;
}

/** Id and sizes on a line, the records behind it. */
function encode(id: string | undefined, batch: readonly Uint8Array[]): Uint8Array {
  const sizes = batch.map(({ length }) => length);
  return Buffer.concat([Buffer.from(`${JSON.stringify({ id, sizes })}\n`), ...batch]);
}

function decode(record: Uint8Array): { id: string | undefined; batch: Uint8Array[] } {
  const bytes = Buffer.from(record.buffer, record.byteOffset, record.byteLength);
  const end = bytes.indexOf(10);
  const { id, sizes } = JSON.parse(bytes.toString("utf8", 0, end)) as {
    id?: string;
    sizes: number[];
  };
  let at = end + 1;
  const batch = sizes.map((size) => {
    at += size;
    return bytes.subarray(at - size, at);
  });
  return { id, batch };
}
