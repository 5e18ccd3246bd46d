import { scrub } from "../audit/index.ts";

/** Takes secrets out of a text. */
export type Scrubber = (text: string) => string;

const SHORTEST = 8;
const REDACTED = "[redacted]";

/** Knows the secrets of the configuration letter by letter, and all others by how they look. */
export function createScrubber(secrets: readonly string[]): Scrubber {
  // The longest first: one may be part of another.
  const known = [...new Set(secrets)]
    .filter((secret) => secret.length >= SHORTEST)
    .sort((a, b) => b.length - a.length);
  return (text) => {
    let clean = text;
    for (const secret of known) clean = clean.replaceAll(secret, REDACTED);
    return scrub(clean);
  };
}
