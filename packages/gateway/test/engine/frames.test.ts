import fc from "fast-check";
import { expect, test } from "vitest";
import {
  type Damage,
  encodeFrameHead,
  FILE_HEADER,
  newFileHeader,
  readFrames,
  readSeed,
} from "../../src/engine/file/frames.ts";

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

/** A file of frames as it lies on the disk, and where each frame ends. */
function fileOf(payloads: Uint8Array[]): { file: Buffer; ends: number[]; seed: number } {
  const header = newFileHeader("VTLG0001");
  const seed = readSeed(header, "VTLG0001") as number;
  const parts = [header];
  const ends: number[] = [];
  let offset = FILE_HEADER;
  for (const payload of payloads) {
    const frame = Buffer.concat([encodeFrameHead([payload], { seed, offset }), payload]);
    parts.push(frame);
    offset += frame.length;
    ends.push(offset);
  }
  return { file: Buffer.concat(parts), ends, seed };
}

function readAll(file: Buffer, seed: number): { payloads: Buffer[]; damage: Damage | undefined } {
  const frames = readFrames(file.subarray(FILE_HEADER), { seed, base: FILE_HEADER });
  const payloads: Buffer[] = [];
  for (let step = frames.next(); ; step = frames.next()) {
    if (step.done) return { payloads, damage: step.value };
    payloads.push(step.value.payload);
  }
}

const payloads = fc.array(fc.uint8Array({ maxLength: 60 }), { minLength: 1, maxLength: 12 });

test("a file of frames that is cut anywhere holds exactly the frames before the cut, and says it was torn", () => {
  fc.assert(
    fc.property(payloads, fc.nat(), (written, at) => {
      const { file, ends, seed } = fileOf(written);
      const cut = FILE_HEADER + (at % (file.length - FILE_HEADER + 1));
      const { payloads: read, damage } = readAll(file.subarray(0, cut), seed);
      const whole = ends.filter((end) => end <= cut).length;
      expect(read.map((payload) => [...payload])).toEqual(
        written.slice(0, whole).map((payload) => [...payload]),
      );
      const isClean = cut === FILE_HEADER || ends.includes(cut);
      expect(damage?.inTheMiddle).toBe(isClean ? undefined : false);
    }),
    { numRuns: 500 },
  );
});

test("a byte that is changed anywhere is found, and called the middle if a frame follows", () => {
  fc.assert(
    fc.property(payloads, fc.nat(), fc.integer({ min: 1, max: 255 }), (written, at, change) => {
      const { file, ends, seed } = fileOf(written);
      const place = FILE_HEADER + (at % (file.length - FILE_HEADER));
      file.writeUInt8(file.readUInt8(place) ^ change, place);
      const { payloads: read, damage } = readAll(file, seed);
      const hit = ends.findIndex((end) => place < end);
      expect(read).toHaveLength(hit);
      expect(damage?.offset).toBe(hit === 0 ? FILE_HEADER : ends[hit - 1]);
      expect(damage?.inTheMiddle).toBe(hit < written.length - 1);
    }),
    { numRuns: 500 },
  );
});

test("a record that holds whole frames does not make a torn tail look like the middle", () => {
  const inner = fileOf([bytes("inner"), bytes("frames")]).file;
  const { file, ends, seed } = fileOf([bytes("first"), inner]);
  const torn = file.subarray(0, file.length - 1);
  expect(readAll(torn, seed).damage).toEqual({
    offset: ends[0],
    bytes: torn.length - (ends[0] as number),
    inTheMiddle: false,
  });
});

test("a frame that was moved to another place of its file is none", () => {
  const { file, ends, seed } = fileOf([bytes("one"), bytes("two"), bytes("end")]);
  const [first = 0, second = 0] = ends;
  const swapped = Buffer.concat([
    file.subarray(0, FILE_HEADER),
    file.subarray(first, second),
    file.subarray(FILE_HEADER, first),
    file.subarray(second),
  ]);
  expect(readAll(swapped, seed).damage).toMatchObject({ offset: FILE_HEADER, inTheMiddle: true });
});
