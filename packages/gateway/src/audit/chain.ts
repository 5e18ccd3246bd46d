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
//
// A step names its key (`key`), and a first step also names its log (`log`). Steps of version 0.1 have neither, and
// its programs ignore both. A run has one key, so a rotation is the link from the first step of a run to the last
// step of the run before, which `follows` names with its key.

import { crc32 } from "node:zlib";
import { keyedHash } from "../crypto/keyed-hash.ts";
import { toAscii } from "./ascii.ts";
import { type ChainKey, findHash } from "./chain-key.ts";

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
  /** The id of the key that made the hash. */
  readonly key?: string | undefined;
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
  /** The id of the key that makes its hash. */
  readonly key?: string;
  /** In a first step: the id of the log. */
  readonly log?: string;
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
  key: ChainKey | undefined,
): EncodedStep {
  const first = toAscii(JSON.stringify({ audit: 1, ...head, ...(key && { key: key.id }) }));
  const records = lines.map((line) => `${sumOf(line)} ${line}`);
  const body = [first, ...records, ""].join("\n");
  const hash = keyedHash(Buffer.from(body, "latin1"), key?.secret);
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
  /** The hash of its content; the one at its end if its key isn't known. */
  readonly hash: string;
  /** Whether that is the hash at the end of the step. */
  readonly isWhole: boolean;
  /** The id of the key that made the hash, as far as it can be found. */
  readonly key: string | undefined;
  /** Whether that key is known. */
  readonly isKeyKnown: boolean;
}

/** Reads a step. Undefined if its first line isn't a header. */
export function decodeStep(bytes: Uint8Array, keys: readonly ChainKey[]): DecodedStep | undefined {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString("latin1");
  const end = text.lastIndexOf("\nend ") + 1;
  const body = end > 0 ? text.slice(0, end) : text;
  const [first = "", ...lines] = body.split("\n");
  const head = readHead(first);
  if (!head) return undefined;
  if (body.endsWith("\n")) lines.pop();
  const expected = /^end ([0-9a-f]{64})\n$/.exec(text.slice(end))?.[1] ?? "";
  const named = head.key === undefined ? {} : { named: head.key };
  const { hash, key, isKnown } = findHash(Buffer.from(body, "latin1"), {
    ...{ keys, expected, ...named },
  });
  return {
    ...{ head, lines: lines.map(readLine), hash, key, isKeyKnown: isKnown },
    isWhole: isKnown && hash === expected,
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
    (head.key === undefined || isName(head.key)) &&
    (head.log === undefined || isName(head.log)) &&
    numbers.every(Number.isSafeInteger);
  return isHead ? (head as StepHead) : undefined;
}

function isName(value: unknown): boolean {
  return typeof value === "string" && NODE_NAME.test(value);
}

function readLine(line: string): StepLine {
  const json = line.slice(9);
  return { isWhole: line.slice(0, 9) === `${sumOf(json)} `, json };
}

function sumOf(line: string): string {
  return crc32(line).toString(16).padStart(8, "0");
}
