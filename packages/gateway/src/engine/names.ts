// All names are checked here, so that all drivers accept the same ones. They become subjects of a broker and
// file names: no empty token, and no upper case where a file system might fold it (G144).

import { EngineError } from "./engine-error.ts";

const TOKENS = /^[A-Za-z0-9_=-]+(?:\.[A-Za-z0-9_=-]+)*$/;
const LOWER_TOKEN = /^[a-z0-9][a-z0-9_-]{0,63}$/;
const LOWER_TOKENS = /^[a-z0-9][a-z0-9_-]*(?:\.[a-z0-9_-]+)*$/;
const SHA256 = /^[0-9a-f]{64}$/;
const LONGEST = 256;

/** A key, an address, or a subject to publish to. */
export function checkKey(key: string): void {
  if (key.length <= LONGEST && TOKENS.test(key)) return;
  refuse(
    "name",
    key,
    `tokens of A–Z, a–z, 0–9, "_", "=" and "-", joined by dots, up to ${LONGEST}`,
  );
}

/** A bucket. */
export function checkBucket(name: string): void {
  if (LOWER_TOKEN.test(name)) return;
  refuse("bucket or group", name, 'up to 64 of a–z, 0–9, "_" and "-"');
}

/** A partition of the log. */
export function checkPartition(name: string): void {
  if (name.length <= 128 && LOWER_TOKENS.test(name)) return;
  refuse("partition", name, 'tokens of a–z, 0–9, "_" and "-", joined by dots, up to 128');
}

/** A hash, which names a file. */
export function checkSha256(hash: string): void {
  if (SHA256.test(hash)) return;
  refuse("SHA-256", hash, "64 hexadecimal digits in lower case");
}

/** A pattern to subscribe to: a subject, or one with `*` for a token and `>` at the end. */
export function checkPattern(pattern: string): void {
  const asSubject = pattern.replace(/(^|\.)>$/, "$1x").replaceAll(/(?<=^|\.)\*(?=\.|$)/g, "x");
  if (asSubject.length <= LONGEST && TOKENS.test(asSubject)) return;
  refuse("pattern", pattern, 'a subject in which "*" is a token and ">" the last');
}

function refuse(what: string, value: string, grammar: string): never {
  const shown = JSON.stringify(String(value).slice(0, 80));
  throw new EngineError("invalid", `${shown} is no ${what}; it takes ${grammar}. Encode it first.`);
}
