// Writes an archive. What `append` has resolved for is on the disk, and stands there once: a process that was
// killed left whole members and at most one that is torn, which is cut off at the next opening and read from
// the log again. Each life begins a segment of its own, so that a process which was stopped and believed dead
// never writes into a file that its successor uses.

import { type FileHandle, open, rm } from "node:fs/promises";
import { join } from "node:path";
import type { LogRecord } from "../../engine/engine.ts";
import { syncFolder } from "../../engine/file/frame-file.ts";
import type { ChainHead } from "../sealed-head.ts";
import { ArchiveError, archiveDiskError } from "./errors.ts";
import { encodeMember } from "./member.ts";
import {
  listSegments,
  SegmentIndex,
  type SegmentName,
  segmentName,
  writeAll,
} from "./segment-index.ts";
import { chainHeadOf, readMembers, SegmentSurvey } from "./segment-survey.ts";

/** How an archive is written. */
export interface ArchiveWriterOptions {
  /** Bytes of a segment, and milliseconds, after which the next one begins. */
  rotateBytes: number;
  rotateTime: number;
  /** What an operator should know. */
  onNotice(text: string): void;
  /** Throws where this process may not write any more; asked before a file is made. */
  guard?(): Promise<void>;
  clock?: () => number;
}

interface OpenSegment {
  readonly name: string;
  readonly path: string;
  readonly file: FileHandle;
  readonly survey: SegmentSurvey;
  readonly openedAt: number;
}

/** The end of an archive, to which steps are added. */
export class ArchiveWriter {
  readonly #folder: string;
  readonly #options: ArchiveWriterOptions;
  readonly #index: SegmentIndex;
  readonly #heads = new Map<string, ChainHead>();
  #last: LogRecord | undefined;
  #place = 0;
  #segment: OpenSegment | undefined;

  private constructor(folder: string, index: SegmentIndex, options: ArchiveWriterOptions) {
    this.#folder = folder;
    this.#index = index;
    this.#options = options;
  }

  /** Opens an archive that nobody else writes, and mends what a crash left. */
  static async open(folder: string, options: ArchiveWriterOptions): Promise<ArchiveWriter> {
    const writer = new ArchiveWriter(folder, await SegmentIndex.open(folder), options);
    try {
      await writer.#recover();
      return writer;
    } catch (error) {
      await writer.#index.close();
      throw error;
    }
  }

  /** Of the last step that is archived; 0 if there is none. */
  get place(): number {
    return this.#place;
  }

  /** That step, where its segment is still there. */
  get last(): LogRecord | undefined {
    return this.#last;
  }

  /** Where each chain stands in the archive, by node and epoch. */
  get heads(): ReadonlyMap<string, ChainHead> {
    return this.#heads;
  }

  /** Resolves when the steps are on the disk; rejects when nothing of them is there. Resolves to its bytes. */
  async append(records: readonly LogRecord[]): Promise<number> {
    const first = records[0];
    if (!first) return 0;
    if (first.sequence <= this.#place) {
      throw new ArchiveError("other-log", `Place ${first.sequence} is in ${this.#folder} already.`);
    }
    const member = await encodeMember(records);
    const isFull = (this.#segment?.survey.bytes ?? 0) + member.length > this.#options.rotateBytes;
    if (isFull) await this.rotate();
    await this.rotateIfDue();
    this.#segment ??= await this.#begin(first.sequence);
    const { path, file, survey } = this.#segment;
    try {
      await writeAll(file, member, survey.bytes);
      await file.datasync();
    } catch (error) {
      await this.#cutBack(this.#segment);
      throw archiveDiskError(path, error);
    }
    survey.add(member, records);
    this.#note(records);
    return member.length;
  }

  /** Closes the segment if its time is over, so that it can be carried elsewhere. */
  async rotateIfDue(): Promise<void> {
    const { rotateTime, clock = Date.now } = this.#options;
    if (this.#segment && clock() - this.#segment.openedAt >= rotateTime) await this.rotate();
  }

  /** Closes the segment; the next step begins another. */
  async rotate(): Promise<void> {
    const segment = this.#segment;
    if (!segment) return;
    if (segment.survey.bytes > 0) await this.#index.add(segment.survey.figures(segment.name));
    this.#segment = undefined;
    await segment.file.close().catch(() => {});
  }

  async close(): Promise<void> {
    try {
      await this.rotate();
    } finally {
      await this.abandon();
    }
  }

  /** Lets go of the files as they are: they are another's to close. */
  async abandon(): Promise<void> {
    await this.#segment?.file.close().catch(() => {});
    this.#segment = undefined;
    await this.#index.close();
  }

  async #begin(first: number): Promise<OpenSegment> {
    const { guard, clock = Date.now } = this.#options;
    const openedAt = clock();
    const name = segmentName(first, new Date(openedAt));
    const path = join(this.#folder, name);
    await guard?.();
    let file: FileHandle | undefined;
    try {
      file = await open(path, "wx", 0o600);
      // Without its entry in the folder a file is lost, however often it was synced itself.
      await syncFolder(this.#folder);
      return { name, path, file, openedAt, survey: new SegmentSurvey() };
    } catch (error) {
      await file?.close().catch(() => {});
      if (file) await rm(path, { force: true }).catch(() => {});
      throw archiveDiskError(path, error);
    }
  }

  /** Nobody knows what of a failed write is there: it is cut off, or the segment is left as it is. */
  async #cutBack({ name, file, survey }: OpenSegment): Promise<void> {
    try {
      await file.truncate(survey.bytes);
      await file.datasync();
    } catch {
      this.#segment = undefined;
      await file.close().catch(() => {});
      this.#options.onNotice(`${name} is not written to any more; the next segment goes on.`);
    }
  }

  async #recover(): Promise<void> {
    const known = new Set(this.#index.lines.map(({ segment }) => segment));
    const segments = await listSegments(this.#folder);
    for (const { last, chains } of this.#index.lines) {
      this.#place = Math.max(this.#place, last);
      for (const head of chains) this.#heads.set(`${head.node}.${head.epoch}`, head);
    }
    const left = segments.filter(({ name }) => !known.has(name));
    for (const [at, segment] of left.entries()) await this.#adopt(segment, left[at + 1]?.first);
    await this.#findLast(segments);
  }

  /** Puts a segment into the index that a killed process left open. */
  async #adopt({ name, first }: SegmentName, before: number | undefined): Promise<void> {
    const path = join(this.#folder, name);
    if (first <= this.#place) {
      const text = `${path} begins at place ${first}, which another segment has; move it away.`;
      throw new ArchiveError("damaged", text);
    }
    const survey = new SegmentSurvey();
    const members = readMembers(path, { before });
    let step = await members.next();
    for (; !step.done; step = await members.next()) {
      survey.add(step.value.bytes, step.value.records);
      this.#note(step.value.records);
    }
    if (step.value?.inTheMiddle) {
      const text = `${path} is damaged at byte ${step.value.offset}, and more follows; restore it from a copy, or move it away.`;
      throw new ArchiveError("damaged", text);
    }
    await this.#cut(path, survey.bytes);
    if (survey.bytes > 0) await this.#index.add(survey.figures(name));
  }

  async #cut(path: string, bytes: number): Promise<void> {
    try {
      const file = await open(path, "r+");
      try {
        const torn = (await file.stat()).size - bytes;
        if (torn > 0) {
          this.#options.onNotice(
            `${torn} torn bytes of ${path} were cut off; nobody relied on them.`,
          );
          await file.truncate(bytes);
        }
        await file.datasync();
      } finally {
        await file.close();
      }
      if (bytes === 0) await rm(path, { force: true });
    } catch (error) {
      throw archiveDiskError(path, error);
    }
  }

  /** The last step, by which the log is known again. */
  async #findLast(segments: readonly SegmentName[]): Promise<void> {
    const line = this.#index.lines.at(-1);
    if (this.#last || !line || !segments.some(({ name }) => name === line.segment)) return;
    const path = join(this.#folder, line.segment);
    for await (const { records } of readMembers(path, { from: line.last, end: line.bytes })) {
      this.#last = records.at(-1);
    }
  }

  #note(records: readonly LogRecord[]): void {
    for (const { sequence, record } of records) {
      const head = chainHeadOf(record, sequence);
      if (head.node !== "") this.#heads.set(`${head.node}.${head.epoch}`, head);
    }
    this.#last = records.at(-1);
    this.#place = this.#last?.sequence ?? this.#place;
  }
}
