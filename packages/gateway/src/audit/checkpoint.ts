// A head of the chain with an Ed25519 signature. Checkpoints are stored elsewhere (`audit.anchor`), and everyone with
// the public key can compare the log with them: neither the audit key nor trust in its holder is needed. The signing
// key is derived from the audit key, one way, so there is one for each audit key.

import {
  createPrivateKey,
  createPublicKey,
  hkdfSync,
  type KeyObject,
  sign,
  verify,
} from "node:crypto";
import type { ChainKey } from "./chain-key.ts";
import { type ChainHead, type HeadSeal, sealHead } from "./sealed-head.ts";

/** A checkpoint whose signature is correct. */
export interface Checkpoint extends ChainHead {
  readonly log: string;
  readonly digest: string;
  readonly time: string;
}

/** The beginning of an Ed25519 private key in PKCS #8; the 32 bytes of the key follow. */
const PKCS8 = Buffer.from("302e020100300506032b657004220420", "hex");
const HASH = /^[0-9a-f]{64}$/;
const PEM = /-----BEGIN PUBLIC KEY-----[\s\S]{1,400}?-----END PUBLIC KEY-----/g;

/** Writes a head as one line: signed, or without a key as `sealHead` does. */
export function writeCheckpoint(head: ChainHead, seal: HeadSeal): string {
  const { key, log } = seal;
  const { node, epoch, step, hash, record, place, digest } = head;
  if (!key || log === undefined || digest === undefined) return sealHead(head, seal);
  const time = new Date().toISOString();
  const facts = { log, node, epoch, step, hash, digest, record, place, time };
  const signature = sign(null, bytesOf(facts), signingKey(key)).toString("base64url");
  return JSON.stringify({ checkpoint: 1, ...facts, key: key.id, signature });
}

/** Reads a line from `writeCheckpoint`. Undefined if none of the keys signed it. */
export function openCheckpoint(
  text: string,
  publicKeys: readonly KeyObject[],
): Checkpoint | undefined {
  const value = parse(text);
  const { log, node, epoch, step, hash, digest, record, place, time, signature } = value;
  const texts = [log, node, time, signature];
  const isShaped =
    value.checkpoint === 1 &&
    texts.every((each) => typeof each === "string") &&
    [hash, digest].every((each) => typeof each === "string" && HASH.test(each)) &&
    [epoch, step, record, place].every(Number.isSafeInteger);
  if (!isShaped) return undefined;
  const facts = { log, node, epoch, step, hash, digest, record, place, time } as Checkpoint;
  const signed = Buffer.from(`${signature}`, "base64url");
  const isSigned = publicKeys.some((key) => verify(null, bytesOf(facts), key, signed));
  return isSigned ? facts : undefined;
}

/** Whether a line has the form of a checkpoint. */
export function isCheckpoint(text: string): boolean {
  return parse(text).checkpoint === 1;
}

/** The public keys of audit keys. */
export function publicKeysOf(keys: readonly ChainKey[]): KeyObject[] {
  return keys.map((key) => createPublicKey(signingKey(key)));
}

/** The public keys in the text of a file, in PEM. */
export function readPublicKeys(text: string): KeyObject[] {
  return (text.match(PEM) ?? []).flatMap((pem) => {
    try {
      const key = createPublicKey(pem);
      return key.asymmetricKeyType === "ed25519" ? [key] : [];
    } catch {
      return [];
    }
  });
}

const derived = new WeakMap<ChainKey, KeyObject>();

function signingKey(key: ChainKey): KeyObject {
  const known = derived.get(key);
  if (known) return known;
  const seed = Buffer.from(hkdfSync("sha256", key.secret, "", "vitrine audit checkpoint", 32));
  const der = Buffer.concat([PKCS8, seed]);
  const made = createPrivateKey({ key: der, format: "der", type: "pkcs8" });
  derived.set(key, made);
  return made;
}

// A list, so that the order of members in the JSON text doesn't matter.
function bytesOf(facts: Omit<Checkpoint, "key">): Buffer {
  const { log, node, epoch, step, hash, digest, record, place, time } = facts;
  const list = [log, node, epoch, step, hash, digest, record, place, time];
  return Buffer.from(JSON.stringify(["vitrine audit checkpoint", ...list]));
}

function parse(
  text: string,
): Partial<Record<keyof Checkpoint | "checkpoint" | "signature", unknown>> {
  try {
    return Object(JSON.parse(text)) as Record<string, unknown>;
  } catch {
    return {};
  }
}
