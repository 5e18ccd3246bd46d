import type { IncomingMessage, ServerResponse } from "node:http";

const LONGEST = 16 * 1024 * 1024;

/** The text of a request to a model endpoint. Rejects if it is too large. */
export async function readBody(incoming: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of incoming as AsyncIterable<Buffer>) {
    length += chunk.length;
    if (length > LONGEST) throw new Error(`The body is larger than ${LONGEST} bytes.`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}

/** Answers with JSON. */
export function sendJson(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
}
