// The gateway's root keys, each in a separate file. None is derived from another, so a leaked ticket key
// doesn't reveal the audit key.

import { createHash, randomBytes } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdir, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { readSecretFile, SecretFileError } from "../config/secret-file.ts";
import { OperatorError } from "./operator-error.ts";

/** Every root key: `<folder>/<name>.key`. */
// biome-ignore format: one line.
export const KEY_NAMES = ["ticket", "token", "store", "cluster", "audit", "sandbox", "signing"] as const;

/** The purpose of a key. */
export type KeyName = (typeof KEY_NAMES)[number];

/** Keys that can be rotated: the first line is used, all lines are accepted. */
const ROTATING: readonly KeyName[] = ["ticket", "token", "store", "cluster", "audit", "signing"];
/** Keys that folders of earlier versions don't have. Only some settings need them. */
const OPTIONAL: readonly KeyName[] = ["signing"];
const SHORTEST = 32;

/** The lines of a key file. The first is in use. */
export function readKeyFile(folder: string, name: KeyName): readonly [string, ...string[]] {
  const path = keyPath(folder, name);
  const [first = "", ...others] = readText(path)
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "");
  if ([first, ...others].some((line) => line.length < SHORTEST)) {
    const message = `${path} contains a key of fewer than ${SHORTEST} characters. Create one with: openssl rand -base64 32`;
    throw new OperatorError("keys", message);
  }
  if (others.length > 0 && !ROTATING.includes(name)) {
    throw new OperatorError(
      "keys",
      `${path} contains several keys, but the ${name} key must be a single line. Remove the others.`,
    );
  }
  return [first, ...others];
}

/** All root keys of a folder. Refuses a secret that is used for two keys. */
export function readKeyFiles(folder: string): Record<KeyName, readonly string[]> {
  const seen = new Map<string, KeyName>();
  const entries = KEY_NAMES.map((name) => {
    const isMissing = OPTIONAL.includes(name) && !existsSync(keyPath(folder, name));
    const lines = isMissing ? [] : readKeyFile(folder, name);
    for (const line of lines) {
      const digest = createHash("sha256").update(line).digest("hex");
      const other = seen.get(digest);
      if (other !== undefined) {
        const message = `${keyPath(folder, name)} repeats a key of ${other}.key, but each key needs a different secret. Create one with: openssl rand -base64 32`;
        throw new OperatorError("keys", message);
      }
      seen.set(digest, name);
    }
    return [name, lines];
  });
  return Object.fromEntries(entries);
}

/** Creates the missing key files, readable by this user only. Returns their names. */
export async function createKeyFiles(folder: string): Promise<KeyName[]> {
  const created: KeyName[] = [];
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    for (const name of KEY_NAMES) {
      const path = keyPath(folder, name);
      if (existsSync(path)) continue;
      // Written to a temporary file first, because half a key would end every login.
      const secret = `${randomBytes(32).toString("base64url")}\n`;
      await writeFile(`${path}.new`, secret, { mode: 0o600, flush: true });
      await rename(`${path}.new`, path);
      created.push(name);
    }
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    throw new OperatorError(
      "keys",
      `The keys can't be written to ${folder} (${code}). Check the folder's owner and mode.`,
      { cause },
    );
  }
  return created;
}

function keyPath(folder: string, name: KeyName): string {
  return join(folder, `${name}.key`);
}

function readText(path: string): string {
  try {
    return readSecretFile(path);
  } catch (cause) {
    if (!(cause instanceof SecretFileError)) throw cause;
    const remedy =
      cause.code === "missing" ? " Create all keys with: vitrine gateway keys create <folder>" : "";
    throw new OperatorError("keys", `${cause.message}${remedy}`, { cause });
  }
}
