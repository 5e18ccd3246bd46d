import type { IncomingMessage, ServerResponse } from "node:http";

/** The request as a Fetch `Request`; `undefined` for one that a browser wouldn't send. */
export function toRequest(
  incoming: IncomingMessage,
  path: string | undefined = incoming.url,
): Request | undefined {
  const { method = "GET", headers: received } = incoming;
  const host = received.host ?? received[":authority"];
  // Joined as text: `new URL("//evil", base)` would let the path choose the host.
  const url = `http://${host}${path}`;
  if (typeof host !== "string" || !/^[\w.:[\]-]+$/.test(host)) return undefined;
  if (!path?.startsWith("/") || !URL.canParse(url)) return undefined;
  const headers = new Headers();
  for (const [name, value] of Object.entries(received)) {
    if (!name.startsWith(":") && value !== undefined) headers.set(name, String(value));
  }
  try {
    if (method === "GET" || method === "HEAD") return new Request(url, { method, headers });
    const options = { method, headers, body: toStream(incoming), duplex: "half" };
    return new Request(url, options as RequestInit);
  } catch {
    // Methods that the standard forbids, such as TRACE.
    return undefined;
  }
}

/** Writes a response out. */
export async function send(response: Response, outgoing: ServerResponse): Promise<void> {
  outgoing.writeHead(response.status, Object.fromEntries(response.headers));
  outgoing.end(new Uint8Array(await response.arrayBuffer()));
}

function toStream(incoming: IncomingMessage): ReadableStream<Uint8Array> {
  const chunks = incoming[Symbol.asyncIterator]();
  return new ReadableStream({
    pull: async (controller) => {
      const { done, value } = await chunks.next();
      if (done) controller.close();
      else controller.enqueue(new Uint8Array(value));
    },
    // Stops reading, so that a sender of too much data is slowed down by its own connection.
    cancel: () => void incoming.pause(),
  });
}
