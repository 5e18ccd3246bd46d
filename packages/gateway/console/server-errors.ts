// The gateway reports why a server is down as a code; people read a sentence and what to do.

const SENTENCES: Readonly<Record<string, string>> = {
  unreachable: "No connection. Check its address and whether it runs.",
  timeout: "No response in time. It may be overloaded.",
  malformed: "Its responses aren't valid MCP. The gateway's log has the details.",
  crashed: "Its process ended or doesn't start. The gateway's log has its last lines.",
  unauthorized: "It rejects the gateway's credential. Check the server's settings.",
  "too-large": "Its response is larger than the limit.",
  "breaker-open": "Too many calls failed in a row. The gateway tries again by itself.",
  "refused-address": "Its address isn't allowed. See private in the server's settings.",
};

/** A sentence for a code; another text stays as it is. */
export function serverError(code: string): string {
  return Object.hasOwn(SENTENCES, code) ? `${SENTENCES[code]}` : code;
}
