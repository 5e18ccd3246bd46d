import { EngineError } from "@vitrine/gateway/engine";
import { serialize } from "@vitrine/gateway/upstreams";
import type { JsonRpcNotification } from "@vitrine/protocol";
import { type Member, memberOf } from "../membership/membership.ts";
import { Chunks } from "./chunks.ts";
import type { Head, PeerMessage } from "./envelope.ts";
import { NotificationBatch } from "./notification-batch.ts";
import { pack } from "./payload.ts";
import { CANCEL, CHUNK, NEXT_CHUNK, RUNNING } from "./peer-protocol.ts";

/** A request of another process. */
export interface IncomingRequest extends Pick<Head, "op" | "key" | "revision" | "deadline"> {
  body: string;
  from: Member;
  /** Aborted when the caller cancels. */
  signal: AbortSignal;
  /** Sends a notification to the caller; it arrives before the response. */
  notify(notification: JsonRpcNotification): void;
}

/** Handles the requests about a server. */
export type RequestHandler = (request: IncomingRequest) => Promise<string>;

interface ReceiverOptions {
  /** Bytes of the largest body in one message. */
  chunkSize: number;
  /** Sends notifications to the caller of a request. */
  notify(to: string, call: number, texts: readonly string[]): void;
}

interface Response {
  body: string;
  /** Parts of the body that the caller still has to fetch. */
  chunks: number;
}

/** Handles the requests of other processes. */
export class RequestReceiver {
  readonly #options: ReceiverOptions;
  readonly #handlers = new Map<string, RequestHandler>();
  readonly #running = new Map<string, AbortController>();
  readonly #inbound: Chunks;
  readonly #outbound: Chunks;

  constructor(options: ReceiverOptions) {
    this.#options = options;
    this.#inbound = new Chunks({ size: options.chunkSize });
    this.#outbound = new Chunks({ size: options.chunkSize });
  }

  /** Returns a function that removes the handler. */
  handle(server: string, handler: RequestHandler): () => void {
    this.#handlers.set(server, handler);
    return () => {
      if (this.#handlers.get(server) === handler) this.#handlers.delete(server);
    };
  }

  async respond({ head, body }: PeerMessage): Promise<Response> {
    const id = requestId(head);
    switch (head.op) {
      case CANCEL:
        this.#running.get(id)?.abort();
        return { body: "", chunks: 0 };
      case RUNNING:
        return { body: `${this.#running.has(id)}`, chunks: 0 };
      case CHUNK:
        if (this.#inbound.keep(id, [body])) return { body: "", chunks: 0 };
        throw new EngineError(
          "full",
          "Too many large requests are in progress. Try again in a moment.",
        );
      case NEXT_CHUNK:
        return { body: this.#nextChunk(id, Number(body)), chunks: 0 };
      default:
        return this.#run(id, head, body);
    }
  }

  close(): void {
    this.#inbound.close();
    this.#outbound.close();
  }

  async #run(id: string, head: PeerMessage["head"], body: string): Promise<Response> {
    const { op, key, revision, deadline, call } = head;
    const before = head.chunks > 0 ? this.#inbound.take(id) : [];
    const handler = before.length === head.chunks ? this.#handlers.get(head.server) : undefined;
    if (!handler) return { body: pack([], pack({ kind: "not-owner" })), chunks: 0 };
    const cancellation = new AbortController();
    const batch = new NotificationBatch((texts) => this.#options.notify(head.from, call, texts));
    this.#running.set(id, cancellation);
    try {
      const response = await handler({
        ...{ op, key, revision, deadline, body: [...before, body].join("") },
        from: memberOf(head.from),
        signal: cancellation.signal,
        notify: (notification) => batch.add(notification.method, serialize(notification)),
      });
      return this.#split(id, pack(batch.take(), response));
    } finally {
      batch.take();
      this.#running.delete(id);
    }
  }

  #split(id: string, body: string): Response {
    const [first, ...rest] = this.#outbound.split(body);
    if (rest.length === 0 || this.#outbound.keep(id, rest))
      return { body: first, chunks: rest.length };
    const error = { kind: "error", code: "too-large", facts: { sent: true } };
    const message = "Too many large responses are in progress. Try again in a moment.";
    return { body: pack([], pack({ ...error, message })), chunks: 0 };
  }

  #nextChunk(id: string, place: number): string {
    const chunk = this.#outbound.at(id, place);
    if (chunk === undefined)
      throw new EngineError("unavailable", "The rest of the response is gone.");
    if (this.#outbound.at(id, place + 1) === undefined) this.#outbound.take(id);
    return chunk;
  }
}

/** Made of the authenticated sender, so that no process reaches the requests of another (attack 178). */
function requestId({ from, call }: PeerMessage["head"]): string {
  return [from, call].join(":");
}
