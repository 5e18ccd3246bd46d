import { scrub } from "../audit/index.ts";

/** Removes secrets from a text. */
export type Scrubber = (text: string) => string;

const SHORTEST = 8;
const REDACTED = "[redacted]";

/** Removes the configured secrets by exact match and other secrets by their pattern. */
export function createScrubber(secrets: readonly string[]): Scrubber {
  // Longest first, because one secret may be part of another.
  const known = [...new Set(secrets)]
    .filter((secret) => secret.length >= SHORTEST)
    .sort((a, b) => b.length - a.length);
  return (text) => {
    let clean = text;
    for (const secret of known) clean = clean.replaceAll(secret, REDACTED);
    return scrub(clean);
  };
}
