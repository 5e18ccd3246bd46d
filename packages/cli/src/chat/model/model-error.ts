// What a user reads when the model can't answer.

import { APICallError, RetryError } from "ai";

const LONGEST = 400;

/** A sentence for the conversation, without anything secret. */
export function modelErrorText(error: unknown, secrets: readonly string[]): string {
  let text = explain(RetryError.isInstance(error) ? error.lastError : error);
  // An endpoint may repeat the key that it rejects. Before the text is cut, which could split a key.
  for (const secret of secrets) text = text.replaceAll(secret, "•••");
  return text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text;
}

function explain(error: unknown): string {
  if (!APICallError.isInstance(error)) {
    const reason = error instanceof Error ? error.message : String(error);
    return `The answer failed: ${reason}`;
  }
  const { statusCode, message, url } = error;
  const { host } = new URL(url);
  if (statusCode === undefined)
    return `The model at ${host} can't be reached. Check your connection, or that it is running.`;
  if (statusCode === 401 || statusCode === 403)
    return `The model at ${host} rejected the API key (${statusCode}). Check the key and start the chat again.`;
  if (statusCode === 429)
    return `The model at ${host} has too many requests or no credit left (429). Wait a moment and try again.`;
  if (statusCode === 404) return `The model wasn't found at ${host} (404): ${message}`;
  return `The model at ${host} failed (${statusCode}): ${message}`;
}
