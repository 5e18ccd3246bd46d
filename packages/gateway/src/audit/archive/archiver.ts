// Carries the audit log into an archive: reads on from the last step that stands there, writes, syncs, and only
// then says how far it came. The archive itself is the memory of that, so nothing is archived twice, whatever
// was killed and when. Two archivers with one folder take turns, with two folders both have everything.
//
// It reads rather than consumes: a group of consumers gets one batch for each acknowledgement, hence a sync for
// each, and some ten gateways write more than that.

import type { Engine, LogRecord } from "../../engine/engine.ts";
import { HEADS_BUCKET } from "../chain-writer.ts";
import { ArchiveWriter } from "./archive-writer.ts";
import { ArchiveError } from "./errors.ts";
import { FolderTurn } from "./folder-turn.ts";
import { ArchiveLag } from "./lag.ts";
import { writeProgress } from "./progress.ts";
import { type ArchiveIdentity, prepareArchive } from "./segment-index.ts";

/** What is archived, and where to. Times in milliseconds. */
export interface ArchiverOptions {
  engine: Pick<Engine, "log" | "kv">;
  folder: string;
  /** Who writes; for people. */
  node: string;
  /** 64 MiB unless told. */
  rotateBytes?: number | undefined;
  /** A day unless told. */
  rotateTime?: number | undefined;
  /** Between two looks for more. */
  interval?: number;
  /** How long a log may seem to end before its archive. */
  doubt?: number;
  /** Bytes of steps that are packed and synced together. */
  batchBytes?: number;
  partition?: string;
  /** Hears why nothing is archived, and, with nothing, that it goes on. */
  onProblem(error: Error | undefined): void;
  onNotice(text: string): void;
}

/** How an archive does. */
export interface ArchiveState {
  /** Whether it is this process that writes it; another has the folder otherwise. */
  readonly isWriting: boolean;
  readonly problem: Error | undefined;
  /** Of the last step that is archived. */
  readonly place: number;
  /** Steps and bytes that this process has archived. */
  readonly steps: number;
  readonly bytes: number;
  readonly lag: { records: number; seconds: number };
}

/** Writes an archive while it is open. */
export interface Archiver {
  readonly state: ArchiveState;
  /** Archives what is there by then, for so long, and gives the folder back. */
  close(time?: number): Promise<void>;
}

const INTERVAL = 250;
/** Without a sign that there is more. */
const IDLE = 2_000;
/** A leader that is none any more may tell of an end that was passed long ago. */
const DOUBT = 15_000;
const LONGEST_PAUSE = 5_000;
const SEGMENT_BYTES = 64 * 2 ** 20;
const DAY = 24 * 60 * 60_000;
const BATCH_BYTES = 2 ** 20;
/** Then it is begun anew: what a reader has ready for us lies in memory. */
const ROUND_BYTES = 16 * 2 ** 20;
const PROGRESS_TIME = 1_000;
const CLOSE_TIME = 5_000;

/** Opens an archive and begins; fails where the folder cannot be used. */
export async function startArchiver(options: ArchiverOptions): Promise<Archiver> {
  const { folder, partition = "audit" } = options;
  const identity = await prepareArchive(folder, partition);
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
  /** The log is the one that is archived. */
  #isKnown = false;
  #told = { place: -1, at: 0 };
  /** Since when the log seems to end before the archive. */
  #shortSince: number | undefined;
  #isStirred = false;
  #wake: () => void = () => {};

  constructor(identity: ArchiveIdentity, options: ArchiverOptions) {
    this.#identity = identity;
    this.#options = options;
    this.#turn = new FolderTurn(options.folder, options.onNotice);
  }

  get state(): ArchiveState {
    const lag = { records: this.#lag?.records ?? 0, seconds: this.#lag?.seconds ?? 0 };
    const isWriting = this.#writer !== undefined;
    const counts = { place: this.#writer?.place ?? 0, steps: this.#steps, bytes: this.#bytes };
    return { isWriting, problem: this.#problem, ...counts, lag };
  }

  /** What is wrong with the folder is said now, and stops whoever starts; what comes later is waited out. */
  async begin(): Promise<void> {
    await this.#enter();
    this.#running = this.#run();
  }

  async close(time: number = CLOSE_TIME): Promise<void> {
    if (!this.#over.signal.aborted) {
      this.#over.abort();
      this.#wake();
      this.#running = this.#running.then(() => this.#end(time));
    }
    return this.#running;
  }

  async #end(time: number): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, time);
    });
    const last = async (): Promise<void> => {
      while (this.#writer && (await this.#round()));
      await this.#tell({ isUrgent: true });
    };
    await Promise.race([last().catch(() => {}), late]);
    clearTimeout(timer);
    await this.#leave();
  }

  async #run(): Promise<void> {
    const { interval = INTERVAL } = this.#options;
    for (let pause = interval; !this.#over.signal.aborted; ) {
      this.#isStirred = false;
      try {
        const hasMore = this.#writer ? await this.#round() : await this.#enter();
        if (this.#writer) this.#report(undefined);
        pause = interval;
        if (hasMore) continue;
        await this.#rest(interval);
        if (!this.#isStirred) await this.#rest(IDLE, { isLight: true });
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
      const guard = (): Promise<void> => this.#turn.guard();
      const writing = { rotateBytes, rotateTime, onNotice, guard };
      this.#writer = await ArchiveWriter.open(folder, writing);
      this.#isKnown = false;
      // Nothing may be let go of before it is certain that the log is the one that is archived.
      await this.#tell({ isUrgent: true });
    } catch (error) {
      await this.#leave();
      throw error;
    }
    const heads = engine.kv(HEADS_BUCKET, { durable: true });
    this.#lag = new ArchiveLag(heads, () => this.#writer, {
      onHead: () => {
        this.#isStirred = true;
        this.#wake();
      },
    });
    return true;
  }

  /** Gives the folder back; what another has meanwhile is left alone. */
  async #leave({ isLost = false }: { isLost?: boolean } = {}): Promise<void> {
    this.#lag?.close();
    this.#lag = undefined;
    const writer = this.#writer;
    this.#writer = undefined;
    const leaving = isLost ? writer?.abandon() : writer?.close();
    await leaving?.catch((error: unknown) => this.#options.onNotice(`${error}`));
    await this.#turn.giveBack();
  }

  /** Archives what there is, up to some bytes; whether there is more. */
  async #round(): Promise<boolean> {
    const writer = this.#writer as ArchiveWriter;
    const { engine, partition = "audit" } = this.#options;
    const bounds = await engine.log.bounds(partition);
    if (bounds && this.#isShort(bounds.last, writer.place)) return false;
    const isNew = bounds && bounds.last > writer.place;
    const hasMore = bounds && (isNew || !this.#isKnown) ? await this.#carry(writer, bounds) : false;
    // There is nothing that could be another's.
    if (!bounds) this.#isKnown = true;
    await writer.rotateIfDue();
    await this.#tell({ isUrgent: !hasMore });
    return hasMore;
  }

  async #carry(
    writer: ArchiveWriter,
    { first, last }: { first: number; last: number },
  ): Promise<boolean> {
    const { engine, partition = "audit", batchBytes = BATCH_BYTES } = this.#options;
    const from = writer.place;
    let batch: LogRecord[] = [];
    let [waiting, carried] = [0, 0];
    const write = async (): Promise<void> => {
      await this.#turn.guard();
      this.#bytes += await writer.append(batch);
      this.#steps += batch.length;
      this.#lag?.settle();
      batch = [];
      waiting = 0;
    };
    // Unless it was let go of, the last step that is archived is read once more, and compared.
    let mustBeSame = from > 0 && first <= from;
    for await (const record of engine.log.read(partition, from)) {
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

  /** A log that ends before its archive does is another, or was set back to a copy. */
  #isShort(last: number, place: number): boolean {
    if (last >= place) {
      this.#shortSince = undefined;
      return false;
    }
    const { doubt = DOUBT } = this.#options;
    this.#shortSince ??= performance.now();
    if (performance.now() - this.#shortSince < doubt) return true;
    throw this.#otherLog(`ends at place ${last}, and the archive at ${place}`);
  }

  #checkSame({ sequence, record }: LogRecord, { place, last }: ArchiveWriter): void {
    const isSame = last === undefined || Buffer.compare(record, last.record) === 0;
    if (sequence === place && isSame) return;
    throw this.#otherLog(`has something else at place ${place}`);
  }

  #otherLog(why: string): ArchiveError {
    const text = `The audit log ${why}: it is not the one that is archived in ${this.#options.folder}. Name another folder for it; nothing is archived or let go of until then.`;
    return new ArchiveError("other-log", text);
  }

  /** Lets others know how far it came, at once or now and then. */
  async #tell({ isUrgent }: { isUrgent: boolean }): Promise<void> {
    if (!this.#writer) return;
    const place = this.#isKnown ? this.#writer.place : 0;
    const now = performance.now();
    if (place === this.#told.place) return;
    if (!isUrgent && now - this.#told.at < PROGRESS_TIME) return;
    await this.#turn.guard();
    const { engine, node, folder } = this.#options;
    const time = new Date().toISOString();
    await writeProgress(engine, { id: this.#identity.id, place, node, folder, time });
    this.#told = { place, at: now };
  }

  async #fail(error: Error): Promise<void> {
    this.#report(error);
    if (!(error instanceof ArchiveError)) return;
    if (error.code === "lost") await this.#leave({ isLost: true });
    if (error.code !== "other-log") return;
    // Nobody may let go of anything on the word of another log's archive.
    this.#isKnown = false;
    await this.#tell({ isUrgent: true }).catch(() => {});
  }

  #report(problem: Error | undefined): void {
    const isChange = problem?.message !== this.#problem?.message;
    this.#problem = problem;
    if (isChange) this.#options.onProblem(problem);
  }

  /** Of a light rest heads wake it, of any its end. */
  #rest(time: number, { isLight = false }: { isLight?: boolean } = {}): Promise<void> {
    const { signal } = this.#over;
    if (signal.aborted) return Promise.resolve();
    return new Promise((resolve) => {
      const timer = setTimeout(done, time);
      timer.unref();
      this.#wake = () => {
        if (isLight || signal.aborted) done();
      };
      function done(): void {
        clearTimeout(timer);
        resolve();
      }
    });
  }
}
