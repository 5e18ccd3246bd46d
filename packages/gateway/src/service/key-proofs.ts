// Gateways that share an engine need the same keys. A gateway with other keys would reject the messages of the
// others, and its part of the audit log couldn't be verified. So the store has a proof for each key: the id of the
// key that the cluster uses, with a MAC made with it. A gateway that can't check a proof doesn't start, and a running
// one that no longer can isn't ready.
//
// Proofs aren't sealed like other values, because a gateway with another store key has to read them.

import { timingSafeEqual } from "node:crypto";
import { keyedHash } from "../crypto/keyed-hash.ts";
import { type Engine, EngineError, type Kv } from "../engine/index.ts";
import type { ClusterMember } from "./cluster-port.ts";
import { KEY_NAMES, type KeyName } from "./key-files.ts";
import { type Key, type Keyring, keysByName } from "./keyring.ts";
import { OperatorError } from "./operator-error.ts";

/** The proofs of a cluster, compared with the keys of this gateway. */
export interface KeyProofs {
  /** Throws if another gateway doesn't have the keys that this one uses. */
  admit(others: readonly ClusterMember[]): void;
  /** Proves the keys that this gateway uses. Call it after it was admitted. */
  claim(): Promise<void>;
  /** Why the keys of this gateway no longer fit. */
  problems(): readonly string[];
  close(): void;
}

interface Proof {
  readonly id: string;
  readonly mac: string;
}

const BUCKET = "key-proofs";
const ATTEMPTS = 5;
const REMEDY =
  "Use the same key files on all gateways. To change a key, see docs/cluster.md, Rotate a key.";

/** Compares the keys with the proofs of a shared engine. Throws an `OperatorError` if they don't fit. */
export async function openKeyProofs(
  engine: Pick<Engine, "kv">,
  keyring: Keyring,
): Promise<KeyProofs> {
  const kv = engine.kv(BUCKET, { durable: true });
  const keys = keysByName(keyring);
  // A folder of an earlier version has no signing key, which only some settings need.
  const names = KEY_NAMES.filter((name) => keys[name].length > 0);
  for (const name of names) {
    const problem = await compare(kv, name, keys[name]);
    if (problem !== undefined) throw new OperatorError("keys", `${problem} ${REMEDY}`);
  }
  const problems = new Map<string, string>();
  const stop = kv.watch(({ key: name, entry }) => {
    const own = names.find((each) => each === name);
    const problem = own && entry && problemOf(read(entry.value), own, keys[own]);
    if (problem === undefined) problems.delete(name);
    else problems.set(name, problem);
  });
  return {
    admit: (others) => {
      for (const name of names) checkMembers(others, name, keys[name]);
    },
    claim: async () => {
      for (const name of names) await claim(kv, name, keys[name]);
    },
    problems: () => [...problems.values()],
    close: stop,
  };
}

/** Creates a proof if there is none, otherwise returns what is wrong. */
async function compare(kv: Kv, name: KeyName, keys: readonly Key[]): Promise<string | undefined> {
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const entry = await kv.get(name);
    if (entry) return problemOf(read(entry.value), name, keys);
    try {
      await kv.create(name, proofOf(name, keys[0]));
    } catch (error) {
      // Another gateway was first, so its proof decides.
      if (!(error instanceof EngineError) || error.code !== "exists") throw error;
    }
  }
  return undefined;
}

/** Replaces the proof after the first line of a key file was changed. */
async function claim(kv: Kv, name: KeyName, keys: readonly Key[]): Promise<void> {
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const entry = await kv.get(name);
    const proof = entry && read(entry.value);
    const problem = proof && problemOf(proof, name, keys);
    if (problem !== undefined) throw new OperatorError("keys", `${problem} ${REMEDY}`);
    if (!entry || proof?.id === keys[0]?.id) return;
    try {
      await kv.update(name, proofOf(name, keys[0]), entry.revision);
      return;
    } catch (error) {
      if (!(error instanceof EngineError) || error.code !== "conflict") throw error;
    }
  }
}

function problemOf({ id, mac }: Proof, name: KeyName, keys: readonly Key[]): string | undefined {
  const key = keys.find((each) => each.id === id);
  if (!key) {
    const own = keys.map((each) => each.id).join(", ");
    return `${name}.key: the cluster uses the key ${id}, but the file of this gateway has ${own}.`;
  }
  const expected = Buffer.from(macOf(name, key));
  const given = Buffer.from(mac);
  if (given.length === expected.length && timingSafeEqual(given, expected)) return undefined;
  return `${name}.key: the proof of the key ${id} in the engine was changed. Delete "${name}" from the bucket ${BUCKET}.`;
}

/** A key that one gateway uses must be in the files of all others first. */
function checkMembers(
  others: readonly ClusterMember[],
  name: KeyName,
  [first]: readonly Key[],
): void {
  for (const { facts, node } of others) {
    const known = facts.keys?.[name];
    // Older programs don't tell their keys; the proof covers them.
    if (!first || !known?.length || known.includes(first.id)) continue;
    const text = `${name}.key: this gateway uses the key ${first.id}, but ${facts.name ?? node} doesn't have it yet. Add it as the second line on every gateway and restart them before you make it the first. See docs/cluster.md, Rotate a key.`;
    throw new OperatorError("keys", text);
  }
}

function proofOf(name: KeyName, key: Key | undefined): Uint8Array {
  return Buffer.from(JSON.stringify({ version: 1, id: key?.id, mac: key && macOf(name, key) }));
}

function macOf(name: KeyName, { secret }: Key): string {
  return keyedHash(`vitrine key proof ${name}`, secret);
}

function read(value: Uint8Array): Proof {
  try {
    const { id, mac } = Object(JSON.parse(Buffer.from(value).toString())) as Partial<Proof>;
    return { id: `${id}`.slice(0, 64), mac: `${mac}` };
  } catch {
    return { id: "of an unknown format", mac: "" };
  }
}
