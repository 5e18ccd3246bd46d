import { wording } from "./errors.ts";

/** A sentence for each local error code: what failed, on which value, what to do. */
export type Sentences = Record<string, (about: unknown) => string>;

const known = new Map<string, (about: unknown) => string>();

/** Makes errors speak in the given sentences from now on, beside those added before. */
export function speakIn(sentences: Sentences): void {
  for (const [code, sentence] of Object.entries(sentences)) known.set(code, sentence);
  wording.explain = (code, about) => known.get(code)?.(about) ?? `${code}: ${about}`;
}

/** What a `Peer` says. */
export const PEER_SENTENCES: Sentences = {
  closed: (about) =>
    `"${about}" has no channel: it was never connected or has been closed. Connect before sending, and stop sending after close().`,
  timeout: (about) =>
    `"${about}" got no answer in time. Raise options.timeout, or let the other side report progress, which starts the time anew.`,
};
