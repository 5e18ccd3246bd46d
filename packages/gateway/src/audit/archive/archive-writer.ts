// Writes an archive. Once `append` resolves, the data is on disk exactly once. A killed process leaves
// complete members and at most one torn member, which is cut off at the next start and read from the log
// again. Each run starts a new segment, so that a process that was suspended and replaced never writes to its
// successor's file.

import { type FileHandle, open, rm } from "node:fs/promises";
import { join } from "node:path";
import type { LogRecord } from "../../engine/engine.ts";
import type { ChainHead } from "../sealed-head.ts";
import { ArchiveError, archiveDiskError } from "./archive-error.ts";
import { encodeMember } from "./member.ts";
import {
  listSegments,
  SegmentIndex,
  type SegmentName,
  segmentName,
  syncFolder,
} from "./segment-index.ts";
import { chainHeadOf, readMembers, SegmentSurvey } from "./segment-survey.ts";

/** The options of an archive. */
export interface ArchiveWriterOptions {
  /** Bytes of a segment, and milliseconds, after which a new one starts. */
  rotateBytes: number;
  rotateTime: number;
  /** Called with information for operators. */
  onNotice(text: string): void;
  /** Throws if this process may no longer write. Called before a file is created. */
  guard(): void;
}

interface OpenSegment {
  readonly name: string;
  readonly path: string;
  readonly file: FileHandle;
  readonly survey: SegmentSurvey;
  readonly openedAt: number;
}

/** The end of an archive, where steps are appended. */
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

  /** Opens an archive that no other process writes, and repairs what a crash left. */
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

  /** Position of the last archived step, or 0. */
  get place(): number {
    return this.#place;
  }

  /** That step, if its segment still exists. */
  get last(): LogRecord | undefined {
    return this.#last;
  }

  /** The head of each chain in the archive, by node and epoch. */
  get heads(): ReadonlyMap<string, ChainHead> {
    return this.#heads;
  }

  /** Resolves to the bytes written when the steps are on disk. Rejects if none of them is. */
  async append(records: readonly LogRecord[]): Promise<number> {
    const first = records[0];
    if (!first) return 0;
    if (first.sequence <= this.#place) {
      throw new ArchiveError(
        "other-log",
        `Position ${first.sequence} is already in ${this.#folder}.`,
      );
    }
    const member = await encodeMember(records);
    const isFull = (this.#segment?.survey.bytes ?? 0) + member.length > this.#options.rotateBytes;
    if (isFull) await this.rotate();
    await this.rotateIfDue();
    this.#segment ??= await this.#begin(first.sequence);
    const { path, file, survey } = this.#segment;
    try {
      await file.appendFile(member);
      await file.datasync();
    } catch (error) {
      await this.#cutBack(this.#segment);
      throw archiveDiskError(path, error);
    }
    survey.add(member, records);
    this.#note(records);
    return member.length;
  }

  /** Closes the segment if it is old enough, so that it can be moved elsewhere. */
  async rotateIfDue(): Promise<void> {
    const age = Date.now() - (this.#segment?.openedAt ?? Infinity);
    if (age >= this.#options.rotateTime) await this.rotate();
  }

  /** Closes the segment. The next step starts another. */
  async rotate(): Promise<void> {
    const segment = this.#segment;
    if (!segment) return;
    this.#options.guard();
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

  /** Closes the files without finishing them, because another process owns them now. */
  async abandon(): Promise<void> {
    await this.#segment?.file.close().catch(() => {});
    this.#segment = undefined;
    await this.#index.close();
  }

  async #begin(first: number): Promise<OpenSegment> {
    const openedAt = Date.now();
    const name = segmentName(first, new Date(openedAt));
    const path = join(this.#folder, name);
    this.#options.guard();
    let file: FileHandle | undefined;
    try {
      file = await open(path, "ax", 0o600);
      // A file isn't durable until its folder is synced too.
      await syncFolder(this.#folder);
      return { name, path, file, openedAt, survey: new SegmentSurvey() };
    } catch (error) {
      await file?.close().catch(() => {});
      if (file) await rm(path, { force: true }).catch(() => {});
      throw archiveDiskError(path, error);
    }
  }

  /** After a failed write, its extent is unknown: cut it off, or leave the segment as it is. */
  async #cutBack({ name, file, survey }: OpenSegment): Promise<void> {
    try {
      await file.truncate(survey.bytes);
      await file.datasync();
    } catch {
      this.#segment = undefined;
      await file.close().catch(() => {});
      this.#options.onNotice(`${name} is closed after a failed write. The next segment continues.`);
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

  /** Adds a segment to the index that a killed process left open. */
  async #adopt({ name, first }: SegmentName, before: number | undefined): Promise<void> {
    const path = join(this.#folder, name);
    if (first <= this.#place) {
      const text = `${path} starts at position ${first}, which another segment has too. Move it away.`;
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
      const text = `${path} is damaged at byte ${step.value.offset}, and more data follows. Restore it from a copy, or move it away.`;
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
            `${torn} torn bytes of ${path} were cut off. They were never acknowledged.`,
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

  /** The last step, which identifies the log. */
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
