import { basename, join } from "node:path";
import type { LogRecord } from "../engine.ts";
import type { EngineError } from "../errors.ts";
import { decodeGroup, firstOf, type StoredGroup } from "./batch-codec.ts";
import { corruptError } from "./disk-error.ts";
import { FrameFile, type ReadOptions, readFrameFile } from "./frame-file.ts";
import { FILE_HEADER, type Frame, readFrames } from "./frames.ts";

/** Bytes between two places that are known by heart. */
const STRIDE = 64 * 1024;
/** Frames at the end of which all are: who reads what is appended would else read a stride for each. */
const RECENT = 256;
const NAME = /^(\d{16})\.segment$/;

/** The first record of a segment, by its file's name. */
export function firstOfName(name: string): number | undefined {
  const found = NAME.exec(name)?.[1];
  return found === undefined ? undefined : Number(found);
}

/** What is wrong with a file whose successor begins elsewhere than it ends. */
export function breakError(path: string, segment: Segment | undefined, next: number): EngineError {
  const found = segment?.next ?? firstOfName(basename(path)) ?? 0;
  const what =
    found < next
      ? `records ${found} to ${next - 1} are missing`
      : `the next file has its records from ${next} on as well`;
  return corruptError(path, segment?.bytes ?? 0, what);
}

/** Where a frame begins, and with which record. */
interface Mark {
  readonly sequence: number;
  readonly offset: number;
}

/** A file of the log. It knows where some of its frames begin, so that a reader need not start in front. */
export class Segment {
  readonly first: number;
  readonly path: string;
  /** The place after its last record. */
  next: number;
  #file: FrameFile | undefined;
  #extent: { seed: number; end: number };
  #marks: Mark[] = [];
  #recent: Mark[] = [];

  private constructor(path: string, first: number) {
    this.path = path;
    this.first = first;
    this.next = first;
    this.#extent = { seed: 0, end: 0 };
  }

  static async create(folder: string, first: number): Promise<Segment> {
    const segment = new Segment(join(folder, `${String(first).padStart(16, "0")}.segment`), first);
    segment.#attach(await FrameFile.create(segment.path, "VTLG0001"));
    return segment;
  }

  /** Reads a segment; nothing when its file was only begun. */
  static async load(
    path: string,
    first: number,
    { onGroup = () => {}, ...options }: ReadOptions & { onGroup?(group: StoredGroup): void },
  ): Promise<Segment | undefined> {
    const segment = new Segment(path, first);
    const onFrame = (frame: Frame): void => {
      segment.#note(frame);
      const group = segment.#decode(frame);
      segment.next = group.last + 1;
      onGroup(group);
    };
    const extent = await readFrameFile(path, "VTLG0001", { ...options, onFrame });
    if (!extent) return undefined;
    segment.#extent = extent;
    return segment;
  }

  get bytes(): number {
    return this.#file?.length ?? this.#extent.end;
  }

  get isEmpty(): boolean {
    return this.next === this.first;
  }

  /** Opens it for more. */
  async reopen(): Promise<void> {
    this.#attach(await FrameFile.reopen(this.path, this.#extent));
  }

  async append(payload: readonly Uint8Array[], last: number): Promise<void> {
    const file = this.#file as FrameFile;
    const offset = await file.append(payload);
    this.#mark(this.next, offset);
    this.#recent.push({ sequence: this.next, offset });
    if (this.#recent.length >= 2 * RECENT) this.#recent.splice(0, RECENT);
    this.next = last + 1;
  }

  /** Its records from a place to before another. */
  async *read(from: number, before: number): AsyncGenerator<LogRecord> {
    const end = this.bytes;
    const marks = this.#marksFrom(from);
    for (const [place, mark] of marks.entries()) {
      const following = marks[place + 1];
      if (following && following.sequence <= from) continue;
      if (mark.sequence >= before) return;
      const piece = await this.#piece(mark.offset, following?.offset ?? end);
      for (const record of this.#recordsOf(piece, mark)) {
        if (record.sequence >= before) return;
        if (record.sequence >= from) yield record;
      }
    }
  }

  async close(): Promise<void> {
    const file = this.#file;
    this.#file = undefined;
    this.#recent = [];
    if (!file) return;
    await file.close();
    this.#extent = { seed: file.seed, end: file.length };
  }

  /** The marks that a reader needs, the nearest before its place first. */
  #marksFrom(from: number): readonly Mark[] {
    const near = this.#recent.findLast(({ sequence }) => sequence <= from);
    if (!near) return this.#marks;
    const next = this.#marks.findIndex(({ offset }) => offset > near.offset);
    return next < 0 ? [near] : [near, ...this.#marks.slice(next)];
  }

  async #piece(from: number, end: number): Promise<Buffer> {
    if (this.#file) return this.#file.read(from, end);
    // Not kept open: a log may have thousands of files.
    const file = await FrameFile.view(this.path, this.#extent);
    try {
      return await file.read(from, end);
    } finally {
      await file.close({ seal: false });
    }
  }

  #attach(file: FrameFile): void {
    this.#file = file;
    this.#extent = { seed: file.seed, end: file.length };
  }

  *#recordsOf(piece: Buffer, mark: Mark): Generator<LogRecord> {
    const frames = readFrames(piece, { seed: this.#extent.seed, base: mark.offset });
    let expected = mark.sequence;
    for (let step = frames.next(); ; step = frames.next()) {
      if (step.done) {
        if (!step.value) return;
        throw corruptError(this.path, step.value.offset, "a record is broken");
      }
      if (step.value.payload.length === 0) continue;
      const group = this.#decode(step.value);
      if (group.first !== expected) {
        throw corruptError(this.path, step.value.offset, `record ${expected} is missing`);
      }
      for (const { first, records } of group.batches) {
        for (const [place, record] of records.entries()) yield { sequence: first + place, record };
      }
      expected = group.last + 1;
    }
  }

  #decode({ payload, offset }: Frame): StoredGroup {
    try {
      return decodeGroup(payload);
    } catch {
      throw corruptError(this.path, offset, "a record is not one of this format");
    }
  }

  #note({ payload, offset }: Frame): void {
    if (firstOf(payload) !== this.next) {
      throw corruptError(this.path, offset, `record ${this.next} is missing`);
    }
    this.#mark(this.next, offset);
  }

  #mark(sequence: number, offset: number): void {
    const last = this.#marks.at(-1);
    if (last && offset - last.offset < STRIDE) return;
    this.#marks.push({ sequence, offset: last ? offset : FILE_HEADER });
  }
}
