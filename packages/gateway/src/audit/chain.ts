// The audit chain. Records are stored in steps, and each step contains the hash of the previous one, so that
// nothing can be changed, removed, moved or duplicated unnoticed. A step is text with three kinds of lines:
//
//   {"audit":1,"node":"n1","epoch":7,"step":12,"first":100,"count":2,"time":"…","prev":"<hash>"}
//   1a2b3c4d {"sequence":100,…}      the checksum only locates damage; the hash is the proof
//   end <hash of all lines above>
//
// There is one chain per run (epoch) of each process (node). Its first step refers to the last one of the
// previous run, and its last step marks an orderly end. The hash is SHA-256, or HMAC-SHA-256 with a key:
// without a key, an attacker who can rewrite the whole log can rewrite the chain.

import { crc32 } from "node:zlib";
import { keyedHash } from "../crypto/keyed-hash.ts";
import { toAscii } from "./ascii.ts";

/** The partition of the log. */
export const PARTITION: string = "audit";
/** The hash before the first step. */
export const NO_HASH: string = "0".repeat(64);
/** Valid names of a node. A step with another name wasn't written by a gateway. */
export const NODE_NAME: RegExp = /^[A-Za-z0-9_-]{1,64}$/;

/** Identifies a step of a chain. */
export interface StepName {
  readonly epoch: number;
  readonly step: number;
  readonly hash: string;
}

/** The header of a step. */
export interface StepHead {
  readonly node: string;
  readonly epoch: number;
  readonly step: number;
  /** Sequence number of its first record. */
  readonly first: number;
  readonly count: number;
  readonly time: string;
  readonly prev: string;
  /** In a first step: the last step of the node's previous run, or `null` if there was none. */
  readonly follows?: StepName | null;
  /** In a last step. */
  readonly end?: true;
}

/** A step to be stored, and its hash. */
export interface EncodedStep {
  readonly bytes: Uint8Array;
  readonly hash: string;
}

/** Bytes that a line has besides its record: a checksum, a space and a line break. */
export const LINE_HEAD: number = 10;
/** The most bytes that a step has besides its lines. */
export const STEP_HEAD: number = 1_024;

/** Encodes a step. The lines are printable ASCII. */
export function encodeStep(
  head: StepHead,
  lines: readonly string[],
  key: Uint8Array | undefined,
): EncodedStep {
  const first = toAscii(JSON.stringify({ audit: 1, ...head }));
  const records = lines.map((line) => `${sumOf(line)} ${line}`);
  const body = [first, ...records, ""].join("\n");
  const hash = keyedHash(Buffer.from(body, "latin1"), key);
  return { bytes: Buffer.from(`${body}end ${hash}\n`, "latin1"), hash };
}

/** A line of a step as read from the log. */
export interface StepLine {
  /** Whether its checksum is correct. */
  readonly isWhole: boolean;
  readonly json: string;
}

/** A step as read from the log. */
export interface DecodedStep {
  readonly head: StepHead;
  readonly lines: readonly StepLine[];
  /** The hash of its content. */
  readonly hash: string;
  /** Whether that is the hash at the end of the step. */
  readonly isWhole: boolean;
}

/** Reads a step. Undefined if its first line isn't a header. */
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

/** Reads only the header of a step. */
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
