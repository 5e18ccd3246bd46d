import type { SpoolDepth } from "@vitrine/gateway/cluster-port";
import {
  type Appended,
  type Engine,
  EngineError,
  type Kv,
  type LogRecord,
} from "@vitrine/gateway/engine";

interface SpoolParts {
  readonly remote: Engine;
  readonly local: Engine;
  readonly logId: string | undefined;
  onError(error: unknown): void;
}

/** The last batch that was forwarded: its sequence in the shared log and in the spool. */
interface Progress {
  shared: number;
  forwarded: number;
  /** The id of the shared log. Spools of version 0.1 don't have it. */
  log?: string | undefined;
}

const BUCKET = "spool-places";
const FIRST_PAUSE = 50;
const LONGEST_PAUSE = 5_000;

/** The spool of one partition. */
export class PartitionSpool {
  readonly #name: string;
  readonly #parts: SpoolParts;
  readonly #bucket: Kv;
  readonly #progress: Progress;
  /** The last sequence in the spool. */
  #last: number;
  #bytes = 0;
  /** The next batch may be in the shared log without this process knowing it. */
  #isUncertain = true;
  #failingSince: number | undefined;
  #isForwarding = false;
  #isClosed = false;
  #waiters: (() => void)[] = [];

  private constructor(
    name: string,
    parts: SpoolParts,
    state: { bucket: Kv; progress: Progress; last: number },
  ) {
    this.#name = name;
    this.#parts = parts;
    this.#bucket = state.bucket;
    this.#progress = state.progress;
    this.#last = state.last;
  }

  static async open(name: string, parts: SpoolParts): Promise<PartitionSpool> {
    const bucket = parts.local.kv(BUCKET, { durable: true });
    const kept = await bucket.get(name);
    const last = (await parts.local.log.bounds(name))?.last ?? 0;
    const read = kept && (JSON.parse(Buffer.from(kept.value).toString()) as Progress);
    const known = read && checkLog(read, last, parts.logId);
    const progress = known ?? {
      shared: (await parts.remote.log.bounds(name))?.last ?? 0,
      forwarded: read?.forwarded ?? 0,
    };
    progress.log = parts.logId ?? progress.log;
    const spool = new PartitionSpool(name, parts, { bucket, progress, last });
    // Before the first append: later it tells where to search for batches that may have been forwarded.
    if (read?.log !== progress.log || !read) await spool.#remember();
    void spool.#forward();
    return spool;
  }

  async append(
    _partition: string,
    batch: readonly Uint8Array[],
    { id }: { id?: string } = {},
  ): Promise<Appended> {
    const record = encode(id, batch);
    // Counted first, because it may be forwarded before the append resolves.
    this.#bytes += record.length;
    const appending = this.#parts.local.log.append(
      this.#name,
      [record],
      id === undefined ? {} : { id },
    );
    const { last, duplicate } = await appending.catch((error: unknown) => {
      this.#bytes -= record.length;
      throw error;
    });
    if (duplicate) this.#bytes -= record.length;
    this.#last = Math.max(this.#last, last);
    void this.#forward();
    // Its sequence in the shared log isn't known yet, but will be higher than this.
    const { shared } = this.#progress;
    return { first: shared, last: shared, duplicate };
  }

  /** Resolves when everything in the spool has been forwarded. */
  async drained(): Promise<void> {
    const last = this.#last;
    while (this.#progress.forwarded < last) {
      await new Promise<void>((resolve) => this.#waiters.push(resolve));
    }
  }

  get depth(): SpoolDepth {
    const batches = Math.max(0, this.#last - this.#progress.forwarded);
    return { batches, bytes: batches === 0 ? 0 : Math.max(0, this.#bytes) };
  }

  close(): void {
    this.#isClosed = true;
  }

  /** Forwards batches in order until the spool is empty. */
  async #forward(): Promise<void> {
    if (this.#isForwarding) return;
    this.#isForwarding = true;
    const { local, onError } = this.#parts;
    for (let pause = FIRST_PAUSE; !this.#isClosed && this.#progress.forwarded < this.#last; ) {
      try {
        for await (const record of local.log.read(this.#name, this.#progress.forwarded + 1)) {
          if (this.#isClosed) return;
          await this.#forwardOne(record);
        }
        await local.log.trim(this.#name, this.#progress.forwarded);
        pause = FIRST_PAUSE;
      } catch (error) {
        if (this.#isClosed) return;
        this.#failingSince ??= Date.now();
        onError(error);
        await new Promise((resolve) => setTimeout(resolve, pause).unref());
        pause = Math.min(pause * 2, LONGEST_PAUSE);
      }
    }
    this.#isForwarding = false;
  }

  async #forwardOne({ sequence, record }: LogRecord): Promise<void> {
    const { id, batch } = decode(record);
    const found = this.#mayBeForwarded() ? await this.#findShared(batch) : undefined;
    const options = id === undefined ? {} : { id };
    this.#progress.shared =
      found ?? (await this.#parts.remote.log.append(this.#name, batch, options)).first;
    this.#progress.forwarded = sequence;
    // At most one batch is uncertain after a crash, because each one is remembered.
    await this.#remember();
    this.#isUncertain = false;
    this.#failingSince = undefined;
    this.#bytes = Math.max(0, this.#bytes - record.length);
    for (const resolve of this.#waiters.splice(0)) resolve();
  }

  /** The shared engine forgets ids after a while; then only a search tells whether an append succeeded. */
  #mayBeForwarded(): boolean {
    const { dedupeTime } = this.#parts.remote.caps;
    const since = this.#failingSince;
    return this.#isUncertain || (since !== undefined && Date.now() - since > dedupeTime / 2);
  }

  async #findShared([first]: readonly Uint8Array[]): Promise<number | undefined> {
    if (!first) return undefined;
    const { log } = this.#parts.remote;
    for await (const { sequence, record } of log.read(this.#name, this.#progress.shared)) {
      if (Buffer.compare(record, first) === 0) return sequence;
    }
    return undefined;
  }

  async #remember(): Promise<void> {
    await this.#bucket.put(this.#name, Buffer.from(JSON.stringify(this.#progress)));
  }
}

/**
 * The progress, if it belongs to this log. An empty spool can be used for another one. Records of another log must
 * neither be lost nor get into this one.
 */
function checkLog(
  progress: Progress,
  last: number,
  logId: string | undefined,
): Progress | undefined {
  const { log, forwarded } = progress;
  if (log === undefined || logId === undefined || log === logId) return progress;
  if (forwarded >= last) return undefined;
  const text = `The folder has records that belong to the audit log ${log}, but the engine holds the log ${logId}. Connect this gateway to the engine of that log until they are stored, or use another folder.`;
  throw new EngineError("invalid", text);
}

/** Writes the id and the sizes on a line, and the records after it. */
function encode(id: string | undefined, batch: readonly Uint8Array[]): Uint8Array {
  const sizes = batch.map(({ length }) => length);
  return Buffer.concat([Buffer.from(`${JSON.stringify({ id, sizes })}\n`), ...batch]);
}

function decode(record: Uint8Array): { id: string | undefined; batch: Uint8Array[] } {
  const bytes = Buffer.from(record.buffer, record.byteOffset, record.byteLength);
  const end = bytes.indexOf("\n");
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
