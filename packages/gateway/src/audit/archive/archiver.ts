// Copies the audit log to an archive: reads from the last archived step, writes, syncs, and only then reports
// its progress. The archive itself stores the position, so nothing is archived twice, whatever was killed and
// when. Two archivers with one folder take turns; with two folders both archive everything.
//
// It reads rather than consumes: a consumer group gets one batch per acknowledgement, hence one sync per
// batch, and about ten gateways write more than that.

import { setTimeout as sleep } from "node:timers/promises";
import type { Engine, LogRecord } from "../../engine/engine.ts";
import { PARTITION } from "../chain.ts";
import { HEADS_BUCKET } from "../chain-writer.ts";
import { openLogId } from "../log-id.ts";
import { ArchiveError } from "./archive-error.ts";
import { ArchiveWriter } from "./archive-writer.ts";
import { FolderTurn } from "./folder-turn.ts";
import { ArchiveLag } from "./lag.ts";
import { writeProgress } from "./progress.ts";
import { type ArchiveIdentity, prepareArchive } from "./segment-index.ts";

/** What to archive, and where. Times in milliseconds. */
export interface ArchiverOptions {
  engine: Pick<Engine, "log" | "kv">;
  folder: string;
  /** The writing process, for people. */
  node: string;
  /** Defaults to 64 MiB. */
  rotateBytes?: number | undefined;
  /** Defaults to a day. */
  rotateTime?: number | undefined;
  /** Time between two polls. */
  interval?: number;
  /** How long the log may appear to end before its archive. */
  doubt?: number;
  /** Bytes of steps that are compressed and synced together. */
  batchBytes?: number;
  /** How long the right to write the folder lasts without a renewal. */
  leaseTime?: number;
  /** Called with the reason if archiving fails, and with undefined when it works again. */
  onProblem(error: Error | undefined): void;
  onNotice(text: string): void;
}

/** The state of an archive. */
export interface ArchiveState {
  /** Whether this process writes the archive. Otherwise another one does. */
  readonly isWriting: boolean;
  readonly problem: Error | undefined;
  /** Position of the last archived step. */
  readonly place: number;
  /** Steps and bytes that this process archived. */
  readonly steps: number;
  readonly bytes: number;
  readonly lag: { records: number; seconds: number };
}

/** Writes an archive while it is open. */
export interface Archiver {
  readonly state: ArchiveState;
  /** Archives what is left, within this many milliseconds, and releases the folder. */
  close(time?: number): Promise<void>;
}

const INTERVAL = 250;
/** A deposed leader may report an outdated end. */
const DOUBT = 15_000;
const LONGEST_PAUSE = 5_000;
const SEGMENT_BYTES = 64 * 2 ** 20;
const DAY = 24 * 60 * 60_000;
const BATCH_BYTES = 2 ** 20;
/** Bytes after which reading restarts, because a reader buffers ahead in memory. */
const ROUND_BYTES = 16 * 2 ** 20;
const PROGRESS_TIME = 1_000;
const CLOSE_TIME = 5_000;

/** Opens an archive and starts. Rejects if the folder can't be used. */
export async function startArchiver(options: ArchiverOptions): Promise<Archiver> {
  const identity = await prepareArchive(options.folder, await openLogId(options.engine));
  const archiver = new FolderArchiver(identity, options);
  await archiver.begin();
  return archiver;
}

class FolderArchiver implements Archiver {
  readonly #identity: ArchiveIdentity;
  readonly #options: ArchiverOptions;
  readonly #turn: FolderTurn;
  readonly #over = new AbortController();
  #writer: ArchiveWriter | undefined;
  #lag: ArchiveLag | undefined;
  #running: Promise<void> = Promise.resolve();
  #problem: Error | undefined;
  #steps = 0;
  #bytes = 0;
  /** Whether the log is known to be the archived one. */
  #isKnown = false;
  #reported = { place: -1, at: 0 };
  /** Since when the log appears to end before the archive. */
  #shortSince: number | undefined;

  constructor(identity: ArchiveIdentity, options: ArchiverOptions) {
    this.#identity = identity;
    this.#options = options;
    const { engine, folder, leaseTime, onNotice } = options;
    this.#turn = new FolderTurn({ engine, folder, id: identity.id, leaseTime, onNotice });
  }

  get state(): ArchiveState {
    const lag = { records: this.#lag?.records ?? 0, seconds: this.#lag?.seconds ?? 0 };
    const isWriting = this.#writer !== undefined;
    const counts = { place: this.#writer?.place ?? 0, steps: this.#steps, bytes: this.#bytes };
    return { isWriting, problem: this.#problem, ...counts, lag };
  }

  /** A problem with the folder stops the start. Later problems are retried. */
  async begin(): Promise<void> {
    await this.#enter();
    this.#running = this.#run();
  }

  async close(time: number = CLOSE_TIME): Promise<void> {
    if (!this.#over.signal.aborted) {
      this.#over.abort();
      this.#running = this.#running.then(() => this.#end(time));
    }
    return this.#running;
  }

  async #end(time: number): Promise<void> {
    const last = async (): Promise<void> => {
      while (this.#writer && (await this.#round()));
      await this.#reportProgress({ isUrgent: true });
    };
    const late = new AbortController();
    await Promise.race([last().catch(() => {}), sleep(time, undefined, late)]);
    late.abort();
    await this.#leave();
  }

  async #run(): Promise<void> {
    const { interval = INTERVAL } = this.#options;
    for (let pause = interval; !this.#over.signal.aborted; ) {
      try {
        const hasMore = this.#writer ? await this.#round() : await this.#enter();
        if (this.#writer) this.#report(undefined);
        pause = interval;
        if (!hasMore) await this.#rest(interval);
      } catch (error) {
        await this.#fail(error as Error);
        pause = Math.min(pause * 2, LONGEST_PAUSE);
        await this.#rest(pause);
      }
    }
  }

  /** Takes the folder, or waits for its turn. */
  async #enter(): Promise<boolean> {
    if (!(await this.#turn.take())) return false;
    const { folder, engine, onNotice } = this.#options;
    const { rotateBytes = SEGMENT_BYTES, rotateTime = DAY } = this.#options;
    try {
      const guard = (): void => this.#turn.guard();
      const writing = { rotateBytes, rotateTime, onNotice, guard };
      this.#writer = await ArchiveWriter.open(folder, writing);
      this.#isKnown = false;
      // Nothing may be deleted before it is certain that the log is the archived one.
      await this.#reportProgress({ isUrgent: true });
    } catch (error) {
      await this.#leave();
      throw error;
    }
    const heads = engine.kv(HEADS_BUCKET, { durable: true });
    this.#lag = new ArchiveLag(heads, () => this.#writer);
    return true;
  }

  /** Releases the folder. Data that belongs to another process now is left alone. */
  async #leave({ isLost = false }: { isLost?: boolean } = {}): Promise<void> {
    this.#lag?.close();
    this.#lag = undefined;
    const writer = this.#writer;
    this.#writer = undefined;
    const leaving = isLost ? writer?.abandon() : writer?.close();
    await leaving?.catch((error: unknown) => this.#options.onNotice(`${error}`));
    await this.#turn.giveBack();
  }

  /** Archives the available steps, up to a number of bytes. Returns whether there are more. */
  async #round(): Promise<boolean> {
    const writer = this.#writer as ArchiveWriter;
    const bounds = await this.#options.engine.log.bounds(PARTITION);
    if (bounds && this.#isShort(bounds.last, writer.place)) return false;
    const isNew = bounds && bounds.last > writer.place;
    const hasMore = bounds && (isNew || !this.#isKnown) ? await this.#carry(writer, bounds) : false;
    // An empty log can't be the wrong one.
    if (!bounds) this.#isKnown = true;
    await writer.rotateIfDue();
    await this.#reportProgress({ isUrgent: !hasMore });
    return hasMore;
  }

  async #carry(
    writer: ArchiveWriter,
    { first, last }: { first: number; last: number },
  ): Promise<boolean> {
    const { engine, batchBytes = BATCH_BYTES } = this.#options;
    const from = writer.place;
    let batch: LogRecord[] = [];
    let [waiting, carried] = [0, 0];
    const write = async (): Promise<void> => {
      this.#turn.guard();
      this.#bytes += await writer.append(batch);
      this.#steps += batch.length;
      this.#lag?.settle();
      batch = [];
      waiting = 0;
    };
    // If the last archived step still exists, it is read again and compared.
    let mustBeSame = from > 0 && first <= from;
    for await (const record of engine.log.read(PARTITION, from)) {
      if (mustBeSame) this.#checkSame(record, writer);
      mustBeSame = false;
      this.#isKnown = true;
      if (record.sequence <= from) continue;
      batch.push(record);
      waiting += record.record.length;
      carried += record.record.length;
      if (waiting >= batchBytes) await write();
      if (carried >= ROUND_BYTES) break;
    }
    if (batch.length > 0) await write();
    return writer.place < last && carried > 0;
  }

  /** A log that ends before its archive is another log, or was restored from a copy. */
  #isShort(last: number, place: number): boolean {
    if (last >= place) {
      this.#shortSince = undefined;
      return false;
    }
    const { doubt = DOUBT } = this.#options;
    this.#shortSince ??= performance.now();
    if (performance.now() - this.#shortSince < doubt) return true;
    throw this.#otherLog(`ends at position ${last}, but the archive at ${place}`);
  }

  #checkSame({ sequence, record }: LogRecord, { place, last }: ArchiveWriter): void {
    const isSame = last === undefined || Buffer.compare(record, last.record) === 0;
    if (sequence === place && isSame) return;
    throw this.#otherLog(`has a different step at position ${place}`);
  }

  #otherLog(why: string): ArchiveError {
    const text = `The audit log ${why}, so it isn't the one that is archived in ${this.#options.folder}. Set another folder for it. Nothing is archived or deleted until then.`;
    return new ArchiveError("other-log", text);
  }

  /** Publishes its progress, immediately or from time to time. */
  async #reportProgress({ isUrgent }: { isUrgent: boolean }): Promise<void> {
    if (!this.#writer) return;
    const place = this.#isKnown ? this.#writer.place : 0;
    const now = performance.now();
    if (place === this.#reported.place) return;
    if (!isUrgent && now - this.#reported.at < PROGRESS_TIME) return;
    this.#turn.guard();
    const { engine, node, folder } = this.#options;
    const time = new Date().toISOString();
    await writeProgress(engine, { id: this.#identity.id, place, node, folder, time });
    this.#reported = { place, at: now };
  }

  async #fail(error: Error): Promise<void> {
    this.#report(error);
    if (!(error instanceof ArchiveError)) return;
    if (error.code === "lost") await this.#leave({ isLost: true });
    if (error.code !== "other-log") return;
    // Nothing may be deleted based on the archive of another log.
    this.#isKnown = false;
    await this.#reportProgress({ isUrgent: true }).catch(() => {});
  }

  #report(problem: Error | undefined): void {
    const isChange = problem?.message !== this.#problem?.message;
    this.#problem = problem;
    if (isChange) this.#options.onProblem(problem);
  }

  /** Closing ends the rest. */
  async #rest(time: number): Promise<void> {
    const { signal } = this.#over;
    await sleep(time, undefined, { signal, ref: false }).catch(() => {});
  }
}
