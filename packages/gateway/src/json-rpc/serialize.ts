// The only place that writes JSON-RPC text. Everything that reaches a socket, a pipe or a response body is a
// `MessageText`, and only this function creates one, so the text always matches the checked value.

declare const written: unique symbol;

/** A JSON-RPC message as text on one line. */
export type MessageText = string & { readonly [written]: true };

// Some servers split their input at these too, and JSON doesn't require them to be escaped.
const LINE_SEPARATORS = /[\u2028\u2029]/g;

/** Writes a message. The value must be the one that was checked. */
export function serialize(message: object): MessageText {
  const text = JSON.stringify(message);
  return text.replace(LINE_SEPARATORS, escapeSeparator) as MessageText;
}

function escapeSeparator(separator: string): string {
  return `\\u${separator.charCodeAt(0).toString(16)}`;
}
