// Brings the audit log to a sink: in order, at least once, from a position that is stored in the engine. What
// the sink doesn't take stays in the log, not in memory, and calls never wait for it. Of several processes with
// the same engine, one does it at a time.

import { setTimeout as sleep } from "node:timers/promises";
import type { Engine } from "../../engine/engine.ts";
import { FolderTurn } from "../archive/folder-turn.ts";
import { PARTITION } from "../chain.ts";
import { recordsOf, timeOf } from "../reading.ts";
import type { AuditSink, SinkStep } from "./sink.ts";

/** What to send, and where. Times in milliseconds. */
export interface SinkRunnerOptions {
  engine: Pick<Engine, "log" | "kv">;
  /** Unique among the sinks; its position is stored under it. */
  name: string;
  sink: AuditSink;
  interval?: number | undefined;
  /** How long a batch may take. */
  sendTime?: number | undefined;
  leaseTime?: number | undefined;
  /** Called with the reason if sending fails, and with undefined when it works again. */
  onProblem(error: Error | undefined): void;
  onNotice(text: string): void;
}

/** The state of a sink. */
export interface SinkState {
  readonly name: string;
  /** Whether this process sends. Otherwise another one does. */
  readonly isSending: boolean;
  readonly problem: Error | undefined;
  /** Records that this process sent. */
  readonly records: number;
  /** Age of the oldest record that isn't sent, in seconds. */
  readonly lag: number;
}

const BUCKET = "audit-sinks";
const INTERVAL = 250;
const SEND_TIME = 30_000;
const LONGEST_PAUSE = 30_000;
const CLOSE_TIME = 5_000;

/** Sends the log to a sink while it is open. */
export class SinkRunner {
  readonly #options: SinkRunnerOptions;
  readonly #turn: FolderTurn;
  readonly #over = new AbortController();
  #running: Promise<void>;
  #place: number | undefined;
  #problem: Error | undefined;
  #records = 0;
  /** When the oldest step that isn't sent was written. */
  #waitingSince: number | undefined;

  constructor(options: SinkRunnerOptions) {
    this.#options = options;
    const { engine, name, leaseTime, onNotice } = options;
    const id = `sink-${name}`;
    this.#turn = new FolderTurn({ engine, folder: `The sink ${name}`, id, leaseTime, onNotice });
    this.#running = this.#run();
  }

  get state(): SinkState {
    const { name } = this.#options;
    const since = this.#waitingSince;
    const lag = since === undefined ? 0 : Math.max(0, (Date.now() - since) / 1000);
    const isSending = this.#place !== undefined;
    return { name, isSending, problem: this.#problem, records: this.#records, lag };
  }

  /** Sends what is left, within this many milliseconds, and lets another process continue. */
  async close(time: number = CLOSE_TIME): Promise<void> {
    if (!this.#over.signal.aborted) {
      this.#over.abort();
      this.#running = this.#running.then(() => this.#end(time));
    }
    return this.#running;
  }

  async #end(time: number): Promise<void> {
    const signal = AbortSignal.timeout(time);
    try {
      while (this.#place !== undefined && (await this.#round({ isLast: true, signal })));
    } catch {
      // It stays in the log, and the next process sends it.
    }
    await this.#options.sink.close().catch(() => {});
    await this.#turn.giveBack();
  }

  async #run(): Promise<void> {
    const { interval = INTERVAL, sendTime = SEND_TIME } = this.#options;
    for (let pause = interval; !this.#over.signal.aborted; ) {
      try {
        const signal = AbortSignal.any([this.#over.signal, AbortSignal.timeout(sendTime)]);
        const hasMore =
          this.#place === undefined ? await this.#enter() : await this.#round({ signal });
        if (this.#place !== undefined) this.#report(undefined);
        pause = interval;
        if (!hasMore) await this.#rest(interval);
      } catch (error) {
        if (this.#over.signal.aborted) return;
        this.#report(error as Error);
        if ((error as { code?: string }).code === "lost") this.#place = undefined;
        pause = Math.min(pause * 2, LONGEST_PAUSE);
        await this.#rest(pause);
      }
    }
  }

  /** Takes the turn and continues where the last process stopped. */
  async #enter(): Promise<boolean> {
    if (!(await this.#turn.take())) return false;
    const entry = await this.#positions.get(this.#options.name);
    this.#place = entry ? readPlace(entry.value) : 0;
    return true;
  }

  get #positions(): ReturnType<Engine["kv"]> {
    return this.#options.engine.kv(BUCKET, { durable: true });
  }

  /** Sends a batch. Returns whether there is more. */
  async #round({ isLast = false, signal }: { isLast?: boolean; signal: AbortSignal }) {
    const { engine, sink, name } = this.#options;
    const place = this.#place ?? 0;
    const bounds = await engine.log.bounds(PARTITION);
    if (!bounds || bounds.last <= place) {
      this.#waitingSince = undefined;
      return false;
    }
    const { batch, bytes } = await this.#read(place);
    const [first] = batch;
    const last = batch.at(-1);
    if (!first || !last) return false;
    this.#waitingSince = timeOf(first.bytes) || Date.now();
    const isReady = isLast || bytes >= sink.batching.bytes;
    if (!isReady && Date.now() - this.#waitingSince < sink.batching.wait) return false;
    await sink.send(batch, signal);
    this.#turn.guard();
    await this.#positions.put(name, Buffer.from(JSON.stringify({ place: last.place })));
    this.#place = last.place;
    this.#records += batch.reduce((sum, { records }) => sum + records.length, 0);
    if (last.place >= bounds.last) this.#waitingSince = undefined;
    return last.place < bounds.last;
  }

  async #read(after: number): Promise<{ batch: SinkStep[]; bytes: number }> {
    const { engine, sink } = this.#options;
    const batch: SinkStep[] = [];
    let bytes = 0;
    for await (const { sequence: place, record } of engine.log.read(PARTITION, after + 1)) {
      batch.push({ place, bytes: record, records: [...recordsOf(record, place)] });
      bytes += record.length;
      if (bytes >= sink.batching.bytes) break;
    }
    return { batch, bytes };
  }

  /** Reports a problem once, and its end. */
  #report(problem: Error | undefined): void {
    const isChange = (problem === undefined) !== (this.#problem === undefined);
    this.#problem = problem;
    if (isChange) this.#options.onProblem(problem);
  }

  async #rest(time: number): Promise<void> {
    const { signal } = this.#over;
    await sleep(time, undefined, { signal, ref: false }).catch(() => {});
  }
}

function readPlace(value: Uint8Array): number {
  const { place } = JSON.parse(Buffer.from(value).toString()) as { place?: unknown };
  return typeof place === "number" ? place : 0;
}
