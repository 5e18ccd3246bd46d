// A chain's head in a form that only the holder of the audit key can create. Without it, an attacker who
// truncates the log could write a head that matches the rest.

import { timingSafeEqual } from "node:crypto";
import { keyedHash } from "../crypto/keyed-hash.ts";
import type { StepName } from "./chain.ts";

/** The head of a chain, which a verifier must find in the log. */
export interface ChainHead extends StepName {
  readonly node: string;
  /** Sequence number of the step's last record. */
  readonly record: number;
  /** Position of the step in the log. */
  readonly place: number;
}

/** The head as one line of JSON, with the time and its proof. */
export function sealHead(head: ChainHead, key: Uint8Array | undefined): string {
  const { node, epoch, step, hash, record, place } = head;
  const time = new Date().toISOString();
  const facts = { node, epoch, step, hash, record, place, time };
  return JSON.stringify({ head: 1, ...facts, proof: proofOf(facts, key) });
}

/** Reads a line from `sealHead`. Undefined if it was created without the key or changed. */
export function openHead(text: string, key: Uint8Array | undefined): ChainHead | undefined {
  let value: Partial<ChainHead> & { head?: unknown; time?: unknown; proof?: unknown };
  try {
    value = Object(JSON.parse(text));
  } catch {
    return undefined;
  }
  const { node, epoch, step, hash, record, place, time, proof } = value;
  const numbers = [epoch, step, record, place];
  const isHead =
    value.head === 1 && typeof node === "string" && typeof hash === "string" && isText(time);
  if (!isHead || !isText(proof) || !numbers.every(Number.isSafeInteger)) return undefined;
  const facts = { node, epoch, step, hash, record, place, time } as SealedFacts;
  const expected = Buffer.from(proofOf(facts, key));
  const given = Buffer.from(proof);
  if (given.length !== expected.length || !timingSafeEqual(given, expected)) return undefined;
  const { time: _, ...head } = facts;
  return head;
}

type SealedFacts = ChainHead & { readonly time: string };

// A list, so that the order of members in the JSON text doesn't matter. The first element separates these
// proofs from the hashes of steps, which use the same key.
function proofOf(facts: SealedFacts, key: Uint8Array | undefined): string {
  const { node, epoch, step, hash, record, place, time } = facts;
  const list = ["audit head", node, epoch, step, hash, record, place, time];
  return keyedHash(JSON.stringify(list), key);
}

function isText(value: unknown): value is string {
  return typeof value === "string";
}
