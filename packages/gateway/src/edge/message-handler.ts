// Streamable HTTP: one request, one response, or a stream of events if the server sends notifications first.

import type { JsonRpcNotification } from "@vitrine/protocol";
import type { FastifyReply, FastifyRequest } from "fastify";
import { type Refusal, refuse, toErrorFrame } from "../errors/refusal.ts";
import { onExpiry } from "../identity/expiry.ts";
import { type MessageText, serialize } from "../json-rpc/serialize.ts";
import type { Caller } from "../policy/caller.ts";
import { isModernHead } from "../policy/checks/meta.ts";
import { createExchange } from "../policy/exchange.ts";
import type { Pipeline } from "../policy/pipeline.ts";
import { type HttpAdmission, sendRefusal } from "./http-admission.ts";
import { readMessage } from "./read-message.ts";

/** The options of `messageHandler`. */
export interface MessageHandlerOptions extends Pick<HttpAdmission, "admitted" | "respond"> {
  pipeline: Pipeline;
  /** The value of WWW-Authenticate for a refused message, if it has one. */
  challenge?(refusal: Refusal, caller: Caller): string | undefined;
}

/** HTTP statuses of server errors: unknown method, and invalid headers or `_meta`. */
const STATUSES: ReadonlyMap<number, number> = new Map([
  [-32_601, 404],
  [-32_020, 400],
  [-32_021, 400],
  [-32_022, 400],
]);
/** Bytes of unread events after which the client is disconnected. */
const UNREAD = 2 ** 20;

/** Creates the handler of a route that receives MCP messages. */
export function messageHandler(
  options: MessageHandlerOptions,
): (request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply> {
  const { pipeline, admitted, respond } = options;
  return async (request, reply) => {
    const sender = admitted(request);
    const over = new AbortController();
    let disarm: () => void = () => {};
    const stream = createStream(reply, () => {
      // A stream may live longer than the token or ticket that opened it.
      disarm = onExpiry(sender.caller.expires, () => over.abort());
    });
    // In HTTP, closing the connection cancels the request.
    reply.raw.once("close", () => reply.raw.writableFinished || over.abort());
    const exchange = createExchange(sender, {
      carrier: "http",
      ...readMessage(`${request.body ?? ""}`),
      headers: request.headers,
      signal: over.signal,
      notify: stream.notify,
    });
    const answer = await pipeline.run(exchange).finally(() => disarm());
    if (stream.isOpen()) {
      stream.end(answer.text);
      respond(request, reply, answer.text);
      return reply;
    }
    if (answer.refusal) {
      const challenge = options.challenge?.(answer.refusal, sender.caller);
      if (challenge !== undefined) reply.header("www-authenticate", challenge);
      return sendRefusal(reply, answer.refusal, answer.text);
    }
    if (answer.text === undefined) return reply.code(202).send();
    // Since 2026-07-28 some errors have their own status, which older clients would misunderstand.
    const status = isModernHead(request) && STATUSES.get(answer.errorCode ?? 0);
    return reply
      .code(status || 200)
      .type("application/json")
      .send(answer.text);
  };
}

/** Answers requests that would open or end a session. */
export async function refuseSession(
  _request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const refusal = refuse("unknown-method", "The gateway doesn't have sessions. Send POST.");
  return reply
    .code(405)
    .header("allow", "POST")
    .type("application/json")
    .send(toErrorFrame(null, refusal));
}

interface EventStream {
  notify(notification: JsonRpcNotification): void;
  isOpen(): boolean;
  end(text: MessageText | undefined): void;
}

/** Switches to an event stream with the first notification before the response. */
function createStream(reply: FastifyReply, onOpen: () => void): EventStream {
  let isOpen = false;
  // The serializer writes a single line, so it can't end the event early.
  const write = (text: MessageText): void => {
    reply.raw.write(`event: message\ndata: ${text}\n\n`);
    if (reply.raw.writableLength > UNREAD) reply.raw.destroy();
  };
  return {
    isOpen: () => isOpen,
    notify: (notification) => {
      if (!isOpen) {
        isOpen = true;
        onOpen();
        reply.hijack();
        const headers = reply.getHeaders() as Record<string, string>;
        reply.raw.writeHead(200, {
          ...headers,
          "content-type": "text/event-stream",
          "cache-control": "no-cache, no-transform",
          "x-accel-buffering": "no",
        });
      }
      write(serialize(notification));
    },
    end: (text) => {
      if (text !== undefined) write(text);
      reply.raw.end();
    },
  };
}
