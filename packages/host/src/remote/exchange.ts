// HTTP of the server half: reads a bounded body, answers with one JSON-RPC message or a stream of them.

import { INVALID_REQUEST, RpcError } from "@vitrine/protocol";
import type { RemoteRequest } from "./remote-messages.ts";
import { RequestRejection, readJsonBody } from "./request-body.ts";

const LONGEST = 2 * 2 ** 20;

/** The message of a request. */
export async function readRequest(request: Request): Promise<RemoteRequest> {
  if (request.method !== "POST") throw new RequestRejection(405, "Send a POST request.");
  const sent = (await readJsonBody(request, LONGEST)) as Partial<RemoteRequest> | null;
  const { id, method: name, params } = Object(sent?.message) as RemoteRequest["message"];
  const isWell =
    Number.isSafeInteger(id) &&
    typeof name === "string" &&
    name.length <= 128 &&
    typeof params === "object" &&
    params !== null;
  if (!isWell) throw new RequestRejection(400, "The body isn't a request of a Vitrine page.");
  return sent as RemoteRequest;
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
export function rejectionOf({ status, message }: RequestRejection): Response {
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
