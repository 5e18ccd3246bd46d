// The chain: records are stored in steps, and each step holds the hash of the one before it, so that nothing
// can be changed, removed, moved or doubled without a break. A step is text, three kinds of lines:
//
//   {"audit":1,"node":"n1","epoch":7,"step":12,"first":100,"count":2,"time":"…","prev":"<hash>"}
//   1a2b3c4d {"sequence":100,…}      the checksum only finds the line; the hash is what proves
//   end <hash of all lines above>
//
// There is one chain for each life (epoch) of each process (node). Its first step names the last one of the
// life before, its last step says that it ended in good order. The hash is SHA-256, or HMAC-SHA-256 with a
// key: without one, who can rewrite the whole log can rewrite the chain.

import { createHmac, hash } from "node:crypto";
import { crc32 } from "node:zlib";
import { toAscii } from "./ascii.ts";

/** What stands before the first step. */
export const NO_HASH: string = "0".repeat(64);
const NO_SUM = `${"0".repeat(8)} `;
const HEX = "0123456789abcdef";

/** Names a step of a chain. */
export interface StepName {
  readonly epoch: number;
  readonly step: number;
  readonly hash: string;
}

/** What a step says of itself. */
export interface StepHead {
  readonly node: string;
  readonly epoch: number;
  readonly step: number;
  /** Sequence of its first record. */
  readonly first: number;
  readonly count: number;
  readonly time: string;
  readonly prev: string;
  /** In a first step: the last of the node's life before; `null` if there was none. */
  readonly follows?: StepName | null;
  /** In a last step. */
  readonly end?: true;
}

/** A step to be stored, and its hash. */
export interface EncodedStep {
  readonly bytes: Uint8Array;
  readonly hash: string;
}

export function encodeStep(
  head: StepHead,
  lines: readonly string[],
  key: Uint8Array | undefined,
): EncodedStep {
  const first = toAscii(JSON.stringify({ audit: 1, ...head }));
  // One text and one copy of it as bytes; the sums are written into their places. A text for each line and
  // its sum would cost twice as much.
  const rest = lines.length === 0 ? "" : `${NO_SUM}${lines.join(`\n${NO_SUM}`)}\n`;
  const bytes = Buffer.from(`${first}\n${rest}end ${NO_HASH}\n`, "latin1");
  let at = first.length + 1;
  for (const line of lines) {
    const start = at + NO_SUM.length;
    const end = start + line.length;
    writeSum(bytes, at, crc32(bytes.subarray(start, end)));
    at = end + 1;
  }
  const sum = hashOf(bytes.subarray(0, at), key);
  bytes.write(sum, at + 4, "latin1");
  return { bytes, hash: sum };
}

/** A line of a step as it was found. */
export interface StepLine {
  /** Whether its own checksum is right. */
  readonly isWhole: boolean;
  readonly json: string;
}

/** A step as it was found. */
export interface DecodedStep {
  readonly head: StepHead;
  readonly lines: readonly StepLine[];
  /** Of what is there. */
  readonly hash: string;
  /** Whether it is the one the step ends with. */
  readonly isWhole: boolean;
}

/** Reads a step; nothing if its first line is not one. */
export function decodeStep(
  bytes: Uint8Array,
  key: Uint8Array | undefined,
): DecodedStep | undefined {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString("latin1");
  const end = text.lastIndexOf("\nend ") + 1;
  const body = end > 0 ? text.slice(0, end) : text;
  const [first = "", ...lines] = body.split("\n");
  const head = readHead(first);
  if (!head) return undefined;
  if (body.endsWith("\n")) lines.pop();
  const sum = hashOf(Buffer.from(body, "latin1"), key);
  return {
    head,
    lines: lines.map(readLine),
    hash: sum,
    isWhole: text.slice(end) === `end ${sum}\n`,
  };
}

/** What a step says of itself, without a look at the rest. */
export function readStepHead(bytes: Uint8Array): StepHead | undefined {
  const end = bytes.indexOf(10);
  if (end < 0) return undefined;
  return readHead(Buffer.from(bytes.buffer, bytes.byteOffset, end).toString("latin1"));
}

function readHead(line: string): StepHead | undefined {
  let head: Partial<StepHead> & { audit?: unknown };
  try {
    head = JSON.parse(line);
  } catch {
    return undefined;
  }
  const numbers = [head?.epoch, head?.step, head?.first, head?.count];
  const isHead =
    head?.audit === 1 &&
    typeof head.node === "string" &&
    typeof head.prev === "string" &&
    numbers.every(Number.isSafeInteger);
  return isHead ? (head as StepHead) : undefined;
}

function readLine(line: string): StepLine {
  const json = line.slice(9);
  return { isWhole: line.slice(0, 9) === `${sumOf(json)} `, json };
}

function sumOf(line: string): string {
  return crc32(line).toString(16).padStart(8, "0");
}

function writeSum(bytes: Buffer, at: number, sum: number): void {
  for (let digit = 0; digit < 8; digit++) {
    bytes[at + digit] = HEX.charCodeAt((sum >>> (28 - 4 * digit)) & 15);
  }
}

function hashOf(bytes: Uint8Array, key: Uint8Array | undefined): string {
  if (key) return createHmac("sha256", key).update(bytes).digest("hex");
  return hash("sha256", bytes, "hex");
}
