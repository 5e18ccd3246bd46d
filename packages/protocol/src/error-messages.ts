import { wording } from "./errors.ts";

/** A message for each local error code: what failed, for which value, and what to do. */
export type ErrorMessages = Record<string, (about: unknown) => string>;

const known = new Map<string, (about: unknown) => string>();

/** Adds messages for more error codes. Errors created from now on use them. */
export function registerErrorMessages(messages: ErrorMessages): void {
  for (const [code, message] of Object.entries(messages)) known.set(code, message);
  wording.explain = (code, about) => known.get(code)?.(about) ?? `${code}: ${about}`;
}

/** The messages of a `Peer`'s errors. */
export const PEER_ERROR_MESSAGES: ErrorMessages = {
  closed: (about) =>
    `"${about}" has no channel: it was never connected or has been closed. Connect before sending, and stop sending after close().`,
  timeout: (about) =>
    `"${about}" timed out without a response. Raise options.timeout, or let the other side report progress, which restarts the timeout.`,
};
