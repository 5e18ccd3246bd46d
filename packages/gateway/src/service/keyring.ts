// The gateway's own secrets. A gateway with its own data folder creates them at its first start, next to the
// data. Gateways that share an engine share a folder of keys.

import { createHash, hkdfSync, randomBytes } from "node:crypto";
import { existsSync } from "node:fs";
import { join } from "node:path";
import type { GatewayConfig } from "../config/config.ts";
import { createKeyFiles, KEY_NAMES, type KeyName, readKeyFile, readKeyFiles } from "./key-files.ts";
import { OperatorError } from "./operator-error.ts";

/** A key and its name. */
export interface Key {
  id: string;
  secret: Uint8Array;
}

/** The keys of a gateway. In a list, the first key is used and all are accepted. */
export interface Keyring {
  tickets: Key[];
  /** Encrypts the users' tokens for servers. */
  credentials: Key[];
  /** Seals the values of the engine's key-value store. */
  store: Key[];
  sandbox: Key;
  /** Key the hashes of the audit log, so that nobody can compute them without one. */
  audit: Key[];
  /** Seal the messages between gateways. */
  cluster: Key[];
  /** Sign the gateway's tokens. Empty for a folder of an earlier version. */
  signing: Key[];
}

type Roots = Record<KeyName, readonly string[]>;

/** Reads the keys, or creates them if this gateway is their only user. */
export async function openKeyring(config: GatewayConfig): Promise<Keyring> {
  const roots = await openRoots(config);
  const list = (name: KeyName): Key[] => keysOf(roots[name], name);
  return {
    tickets: list("ticket"),
    credentials: list("token"),
    store: list("store"),
    sandbox: list("sandbox")[0] as Key,
    audit: list("audit"),
    cluster: list("cluster"),
    signing: list("signing"),
  };
}

/** All keys by the names of their files. */
export function keysByName(keyring: Keyring): Record<KeyName, readonly Key[]> {
  const { tickets: ticket, credentials: token, sandbox, ...rest } = keyring;
  return { ticket, token, sandbox: [sandbox], ...rest };
}

/** The ids of all keys by the names of their files. */
export function keyIds(keyring: Keyring): Record<KeyName, readonly string[]> {
  const ids = Object.entries(keysByName(keyring)).map(([name, keys]) => [
    name,
    keys.map(({ id }) => id),
  ]);
  return Object.fromEntries(ids);
}

/** The folder of a gateway's keys. Undefined for an engine in memory, whose keys end with the process. */
export function keyFolder({
  engine,
  keys,
}: Pick<GatewayConfig, "engine" | "keys">): string | undefined {
  if (keys.folder !== undefined) return keys.folder;
  return engine.driver === "sqlite" ? ownKeyFolder(engine.folder ?? "") : undefined;
}

/** Where the gateway of a SQLite engine keeps its keys unless `keys.folder` is set. */
export function ownKeyFolder(engineFolder: string): string {
  return join(engineFolder, "keys");
}

/** Reads only the audit keys. Verifying an archive needs no other. */
export function readAuditKeys(folder: string): Key[] {
  return keysOf(readKeyFile(folder, "audit"), "audit");
}

/** Reads only the keys of the key-value store. */
export function readStoreKeys(folder: string): Key[] {
  return keysOf(readKeyFile(folder, "store"), "store");
}

async function openRoots(config: GatewayConfig): Promise<Roots> {
  const folder = keyFolder(config);
  if (folder === undefined) {
    const random = KEY_NAMES.map((name) => [name, [randomBytes(32).toString("base64url")]]);
    return Object.fromEntries(random);
  }
  if (config.keys.folder === undefined) {
    refuseFormerKeys(config.engine.folder ?? "");
    await createKeyFiles(folder);
  }
  return readKeyFiles(folder);
}

/** Until 0.1, one file held one secret, from which every key was derived. */
function refuseFormerKeys(folder: string): void {
  const former = join(folder, "keys.json");
  if (!existsSync(former)) return;
  const message = `${former} is from an earlier version, which derived every key from one secret. Each key now has its own file. Move this file away and start again. Open views and logins will end, and verifying the old audit log needs the earlier version.`;
  throw new OperatorError("keys", message);
}

function keysOf(roots: readonly string[], name: KeyName): Key[] {
  return roots.map((root) => ({ id: idOf(root), secret: derive(root, name) }));
}

/** An id that identifies a key without revealing it, to distinguish rotated keys. */
function idOf(root: string): string {
  return `k-${createHash("sha256").update(`vitrine key id ${root}`).digest("hex").slice(0, 12)}`;
}

/** Derives a full-length key from text. The purpose separates two uses of one text. */
function derive(root: string, purpose: KeyName): Uint8Array {
  return new Uint8Array(hkdfSync("sha256", Buffer.from(root), "", `vitrine ${purpose}`, 32));
}
