// The gateway's own secrets. What the configuration does not name is made at the first start, and kept in
// the engine's folder where there is one: tickets and log-ins outlive a restart without any set-up.

import { hkdfSync, randomBytes } from "node:crypto";
import { open, readFile, rename } from "node:fs/promises";
import { join } from "node:path";
import type { GatewayConfig, KeyConfig } from "../config/config.ts";
import { OperatorError } from "./operator-error.ts";

/** A key and its name. */
export interface Key {
  id: string;
  secret: Uint8Array;
}

/** The keys of a gateway. */
export interface Keyring {
  tickets: Key[];
  credentials: Key[];
  sandbox: Uint8Array;
  /** Makes the audit log's hashes such that nobody without it can make them. */
  audit: Uint8Array;
  /** Seals what processes say to each other. */
  cluster: Uint8Array;
  /** Seals the values of the engine's key-value store. */
  store: Uint8Array;
}

interface KeyFile {
  version: 1;
  secret: string;
}

const FILE = "keys.json";

/** Reads, derives or makes the keys. With a folder, the engine must hold its lock. */
export async function openKeyring(config: GatewayConfig): Promise<Keyring> {
  const { engine, tickets, credentials, sandbox } = config;
  // Processes that share an engine share their keys.
  const shared = engine.driver === "nats" && engine.key ? Buffer.from(engine.key) : undefined;
  const folder = engine.driver === "file" ? engine.folder : undefined;
  const root = shared ?? (await rootSecret(folder));
  const own = (purpose: string): Key => ({ id: "own", secret: derive(root, purpose) });
  const given = (keys: KeyConfig[] | undefined, purpose: string): Key[] =>
    keys?.map(({ id, secret }) => ({ id, secret: derive(Buffer.from(secret), purpose) })) ?? [
      own(purpose),
    ];
  return {
    tickets: given(tickets.keys, "tickets"),
    credentials: given(credentials.keys, "credentials"),
    sandbox: sandbox?.key ? Buffer.from(sandbox.key) : derive(root, "sandbox"),
    audit: derive(root, "audit"),
    cluster: derive(root, "cluster"),
    store: derive(root, "store"),
  };
}

/** The audit key of a folder, for those who verify; nothing if there are no keys in it. */
export async function readAuditKey(folder: string): Promise<Uint8Array | undefined> {
  const root = await readRoot(join(folder, FILE));
  return root && derive(root, "audit");
}

/** The key of a folder's stored values, for `audit` commands; nothing if the folder has no keys. */
export async function readStoreKey(folder: string): Promise<Uint8Array | undefined> {
  const root = await readRoot(join(folder, FILE));
  return root && derive(root, "store");
}

/** One secret for several things is a secret for each. */
function derive(secret: Uint8Array, purpose: string): Uint8Array {
  return new Uint8Array(hkdfSync("sha256", secret, "", `vitrine ${purpose}`, 32));
}

async function rootSecret(folder: string | undefined): Promise<Uint8Array> {
  if (folder === undefined) return randomBytes(32);
  const path = join(folder, FILE);
  const known = await readRoot(path);
  if (known) return known;
  const secret = randomBytes(32);
  const file: KeyFile = { version: 1, secret: secret.toString("base64url") };
  // Whole or not at all: half a key would end every log-in.
  const draft = await open(`${path}.new`, "w", 0o600);
  try {
    await draft.writeFile(`${JSON.stringify(file)}\n`);
    await draft.sync();
  } finally {
    await draft.close();
  }
  await rename(`${path}.new`, path);
  return secret;
}

async function readRoot(path: string): Promise<Uint8Array | undefined> {
  const text = await readFile(path, "utf8").catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return undefined;
    throw new OperatorError("keys", `${path} cannot be read (${error.code}).`);
  });
  if (text === undefined) return undefined;
  try {
    const { version, secret } = JSON.parse(text) as KeyFile;
    const bytes = Buffer.from(secret, "base64url");
    if (version === 1 && bytes.length >= 32) return bytes;
  } catch {
    // As below.
  }
  throw new OperatorError("keys", `${path} holds no keys; restore it from a copy, or remove it.`);
}
