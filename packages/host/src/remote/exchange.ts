// HTTP of the server half: reads a bounded body, answers with one JSON-RPC message or a stream of them.

import { INVALID_REQUEST, RpcError } from "@vitrine/protocol";
import type { RemoteRequest } from "./remote-messages.ts";

const LONGEST = 2 * 2 ** 20;

/** A rejected HTTP request. */
export class HttpRejection extends Error {
  declare readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

/** The message of a request. */
export async function readRequest(request: Request): Promise<RemoteRequest> {
  const { method, headers } = request;
  if (method !== "POST") throw new HttpRejection(405, "Send a POST request.");
  // Another site's page can't send this type without asking the browser first.
  if (!/^application\/json\s*(;|$)/i.test(headers.get("content-type") ?? "")) {
    throw new HttpRejection(415, "Send application/json.");
  }
  const sent = readJson(await readText(request)) as Partial<RemoteRequest> | null;
  const { id, method: name, params } = Object(sent?.message) as RemoteRequest["message"];
  const isWell =
    Number.isSafeInteger(id) &&
    typeof name === "string" &&
    name.length <= 128 &&
    typeof params === "object" &&
    params !== null;
  if (!isWell) throw new HttpRejection(400, "The body isn't a request of a Vitrine page.");
  return sent as RemoteRequest;
}

async function readText(request: Request): Promise<string> {
  const reader = request.body?.getReader();
  const decoder = new TextDecoder();
  let text = "";
  let size = 0;
  for (let read = await reader?.read(); read && !read.done; read = await reader?.read()) {
    size += read.value.byteLength;
    if (size > LONGEST) {
      await reader?.cancel().catch(() => {});
      throw new HttpRejection(413, `The body is larger than ${LONGEST} bytes.`);
    }
    text += decoder.decode(read.value, { stream: true });
  }
  return text + decoder.decode();
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new HttpRejection(400, "The body isn't JSON.");
  }
}

// Answers are for one user.
const HEADERS = { "cache-control": "no-store", "x-content-type-options": "nosniff" };

/** A response with one message. */
export function answerOnce(id: number | null, outcome: object, status = 200): Response {
  return Response.json({ jsonrpc: "2.0", id, ...outcome }, { status, headers: HEADERS });
}

/** The error of a request, as JSON-RPC. Errors of connections stay here: they can contain addresses. */
export function errorOf(error: unknown, fallback: RpcError): { error: object } {
  const known = (error as Error | null)?.name === "RpcError" ? (error as RpcError) : fallback;
  const { code, message, data } = known;
  return { error: { code, message, ...(data !== undefined && { data }) } };
}

/** A response for a request that can't be read. */
export function rejectionOf({ status, message }: HttpRejection): Response {
  return answerOnce(null, errorOf(undefined, new RpcError(INVALID_REQUEST, message)), status);
}

/** A response with several messages, the last of which is the outcome. */
export function answerStream(
  id: number,
  work: (notify: (message: object) => void, signal: AbortSignal) => Promise<object>,
): Response {
  const encoder = new TextEncoder();
  const over = new AbortController();
  const body = new ReadableStream<Uint8Array>({
    start: async (controller) => {
      const send = (message: object): void => {
        if (over.signal.aborted) return;
        const text = JSON.stringify({ jsonrpc: "2.0", ...message });
        controller.enqueue(encoder.encode(`data: ${text}\n\n`));
      };
      const outcome = await work(send, over.signal);
      send({ id, ...outcome });
      if (!over.signal.aborted) controller.close();
      over.abort();
    },
    cancel: () => over.abort(),
  });
  // Proxies would otherwise collect the messages.
  const headers = { ...HEADERS, "content-type": "text/event-stream", "x-accel-buffering": "no" };
  return new Response(body, { headers });
}
