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

import { crc32 } from "node:zlib";
import { toAscii } from "./ascii.ts";
import { keyedHash } from "./keyed-hash.ts";
import { Sheet } from "./sheet.ts";

/** What stands before the first step. */
export const NO_HASH: string = "0".repeat(64);
/** What a node may be called; a step with another name was not written by a gateway. */
export const NODE_NAME: RegExp = /^[A-Za-z0-9_-]{1,64}$/;
const NO_SUM = `${"0".repeat(8)} `;
const HEX = "0123456789abcdef";
const BLANK = 32;

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

/** What a line has beside its record: a sum, a blank, its end. */
export const LINE_HEAD: number = NO_SUM.length + 1;
/** What a step has beside its lines, at most. */
export const STEP_HEAD: number = 1_024;
const STEP_TAIL = `end ${NO_HASH}\n`.length;

/** A sheet for the lines of a step, so many bytes of them. */
export function stepSheet(lines: number): Sheet {
  return new Sheet({ head: STEP_HEAD, lines, tail: STEP_TAIL });
}

/** Adds a record to the sheet of a step. */
export function addRecord(sheet: Sheet, line: string): void {
  const at = sheet.end;
  sheet.add(line, NO_SUM.length);
  writeSum(sheet.bytes, at, crc32(line));
}

/** Makes a step of its sheet; the bytes are the sheet's own. */
export function encodeStep(head: StepHead, sheet: Sheet, key: Uint8Array | undefined): EncodedStep {
  const body = sheet.under(`${toAscii(JSON.stringify({ audit: 1, ...head }))}\n`);
  const sum = keyedHash(body, key);
  const tail = sheet.bytes.write(`end ${sum}\n`, sheet.end, "latin1");
  return { bytes: Buffer.from(body.buffer, body.byteOffset, body.length + tail), hash: sum };
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
  const sum = keyedHash(Buffer.from(body, "latin1"), key);
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
    NODE_NAME.test(head.node) &&
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
  bytes[at + 8] = BLANK;
}
