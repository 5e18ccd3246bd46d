// A chain's head in a form that only the holder of the audit key can create. Without it, an attacker who
// truncates the log could write a head that matches the rest.

import { timingSafeEqual } from "node:crypto";
import { keyedHash } from "../crypto/keyed-hash.ts";
import type { StepName } from "./chain.ts";
import type { ChainKey } from "./chain-key.ts";

/** The head of a chain, which a verifier must find in the log. */
export interface ChainHead extends StepName {
  readonly node: string;
  /** Sequence number of the step's last record. */
  readonly record: number;
  /** Position of the step in the log. */
  readonly place: number;
  /** The digest of the run up to this step, for checkpoints. */
  readonly digest?: string;
}

/** What a head is sealed with. */
export interface HeadSeal {
  readonly key: ChainKey | undefined;
  /** The id of the log. Missing in heads of version 0.1. */
  readonly log: string | undefined;
}

/** The head as one line of JSON, with the time and its proof. */
export function sealHead(head: ChainHead, { key, log }: HeadSeal): string {
  const { node, epoch, step, hash, record, place } = head;
  const time = new Date().toISOString();
  const facts = { node, epoch, step, hash, record, place, time, log, key: key?.id };
  return JSON.stringify({ head: log === undefined ? 1 : 2, ...facts, proof: proofOf(facts, key) });
}

/** A head that was opened. */
export interface OpenedHead extends ChainHead {
  /** Undefined in a head of version 0.1. */
  readonly log: string | undefined;
}

/** Reads a line from `sealHead`. Undefined if it was created without one of the keys or changed. */
export function openHead(text: string, keys: readonly ChainKey[]): OpenedHead | undefined {
  const value = parse(text);
  const { node, epoch, step, hash, record, place, time, log, key: named, proof } = value;
  const numbers = [epoch, step, record, place];
  const isHead =
    (value.head === 1 || (value.head === 2 && isText(log))) &&
    typeof node === "string" &&
    typeof hash === "string" &&
    isText(time);
  if (!isHead || !isText(proof) || !numbers.every(Number.isSafeInteger)) return undefined;
  const facts = { node, epoch, step, hash, record, place, time } as SealedFacts;
  const all = value.head === 1 ? facts : { ...facts, log: `${log}` };
  // Heads of version 0.1 don't name their key.
  const candidates = named === undefined ? keys : keys.filter(({ id }) => id === named);
  const isProved = (key: ChainKey | undefined): boolean => {
    const expected = Buffer.from(proofOf(all, key));
    const given = Buffer.from(proof);
    return given.length === expected.length && timingSafeEqual(given, expected);
  };
  const isOurs = keys.length === 0 ? isProved(undefined) : candidates.some(isProved);
  if (!isOurs) return undefined;
  const { time: _, ...head } = facts;
  return { ...head, log: all.log };
}

/** The id of the key that a head names. */
export function keyOfHead(text: string): string | undefined {
  const { key } = parse(text);
  return isText(key) && /^[\w-]{1,64}$/.test(key) ? key : undefined;
}

type SealedFacts = ChainHead & { readonly time: string; readonly log?: string | undefined };
type Unread = Partial<Record<keyof SealedFacts | "head" | "proof" | "key", unknown>>;

function parse(text: string): Unread {
  try {
    return Object(JSON.parse(text)) as Unread;
  } catch {
    return {};
  }
}

// A list, so that the order of members in the JSON text doesn't matter. The first element separates these
// proofs from the hashes of steps, which use the same key.
function proofOf(facts: SealedFacts, key: ChainKey | undefined): string {
  const { node, epoch, step, hash, record, place, time, log } = facts;
  const list = ["audit head", node, epoch, step, hash, record, place, time];
  return keyedHash(JSON.stringify(log === undefined ? list : [...list, log]), key?.secret);
}

function isText(value: unknown): value is string {
  return typeof value === "string";
}
