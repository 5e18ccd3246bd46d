// The only way from a caller to a server. Every carrier and caller runs this list in this order, because a
// second path would miss a check. A check returns nothing to continue, or a refusal.

import type { JsonRpcError, JsonRpcResult } from "@vitrine/protocol";
import { type Refusal, refuse, toErrorFrame } from "../errors/refusal.ts";
import type { CallerMessage } from "../json-rpc/message.ts";
import { type MessageText, serialize } from "../json-rpc/serialize.ts";
import type { Exchange } from "./exchange.ts";

/** A check, or a step that completes the exchange for later checks. */
export interface PolicyCheck {
  readonly name: string;
  run(exchange: Exchange): Refusal | undefined | Promise<Refusal | undefined>;
}

/** Handles a request that passed all checks. */
export interface Forwarder {
  /** Returns the answer, without a message for a notification. */
  forward(exchange: Exchange): Promise<Refusal | Answer>;
  /** Converts an error that `forward` threw to a message for the caller. Rethrows unknown errors. */
  explain(exchange: Exchange, error: unknown): Refusal;
}

/** The answer to a request. */
export interface Answer {
  /** The response. The audit log and the caller both get this value. Undefined for a notification. */
  readonly message: JsonRpcResult | JsonRpcError | undefined;
}

/** Records each exchange, refused or not. */
export interface Recorder {
  /**
   * Called before the request is forwarded. A refusal stops the call: a call that can't be recorded isn't
   * made.
   */
  admit(exchange: Exchange): Refusal | undefined | Promise<Refusal | undefined>;
  refused(exchange: Exchange, link: string, refusal: Refusal): void | Promise<void>;
  answered(exchange: Exchange, outcome: Outcome): void | Promise<void>;
}

/** How a call ended. */
export interface Outcome {
  kind: "result" | "error" | "refused";
  code?: string;
  bytes: number;
  milliseconds: number;
  /** For recorders that keep complete responses. */
  answer?: Answer;
}

interface Stopped {
  link: string;
  refusal: Refusal;
}

/** What a carrier sends back. */
export interface Reply {
  /** Undefined for an accepted notification. */
  text: MessageText | undefined;
  /** The parsed text, if no check rejected the request. */
  message?: Answer["message"];
  refusal?: Refusal;
  /** The server's error code, if it returned an error. */
  errorCode?: number;
}

/** The pipeline of a gateway. */
export interface Pipeline {
  readonly links: readonly string[];
  run(exchange: Exchange): Promise<Reply>;
}

/** Creates a pipeline. */
export function createPipeline(
  links: readonly PolicyCheck[],
  { forwarder, recorder }: { forwarder: Forwarder; recorder: Recorder },
): Pipeline {
  // A call that can't be recorded isn't made, so the recorder comes last and may refuse like any check.
  const all: readonly PolicyCheck[] = [
    ...links,
    { name: "audit", run: (exchange) => recorder.admit(exchange) },
  ];

  const check = async (exchange: Exchange): Promise<Stopped | undefined> => {
    for (const each of all) {
      try {
        const refusal = await each.run(exchange);
        if (refusal) return { link: each.name, refusal };
      } catch (error) {
        // A check may have to ask the server for a list, which can fail like any other request.
        return { link: each.name, refusal: forwarder.explain(exchange, error) };
      }
    }
    return undefined;
  };

  const tell = (
    exchange: Exchange,
    answer: Refusal | Answer,
    { reply, milliseconds }: { reply: Reply; milliseconds: number },
  ): void | Promise<void> =>
    "code" in answer
      ? recorder.answered(exchange, { kind: "refused", code: answer.code, bytes: 0, milliseconds })
      : recorder.answered(exchange, outcomeOf(answer, reply, milliseconds));

  return {
    links: [...links.map(({ name }) => name), "audit", "upstream"],
    run: async (exchange) => {
      const started = performance.now();
      try {
        const stopped = await check(exchange);
        if (stopped) {
          const { link, refusal } = stopped;
          await recorder.refused(exchange, link, refusal);
          return refusedReply(exchange.frame, refusal);
        }
        let answer: Refusal | Answer;
        try {
          answer = await forwarder.forward(exchange);
        } catch (error) {
          answer = forwarder.explain(exchange, error);
        }
        const reply = "code" in answer ? refusedReply(exchange.frame, answer) : toReply(answer);
        const milliseconds = performance.now() - started;
        await tell(exchange, answer, { reply, milliseconds });
        return reply;
      } catch (error) {
        // Tell the caller that the call failed, but keep the cause in the log: it may contain internals.
        const refusal = refuse(
          "internal",
          "The gateway failed to handle the request. The operator finds the cause in its log.",
        );
        await recorder.refused(exchange, "internal", { ...refusal, data: { cause: `${error}` } });
        return refusedReply(exchange.frame, refusal);
      } finally {
        for (const release of exchange.releases) release();
        exchange.releases.length = 0;
      }
    },
  };
}

function toReply({ message }: Answer): Reply {
  if (message === undefined) return { text: undefined };
  const text = serialize(message);
  if (!("error" in message)) return { text, message };
  const { code } = message.error;
  return { text, message, errorCode: typeof code === "number" ? code : 0 };
}

function outcomeOf(answer: Answer, { text, errorCode }: Reply, milliseconds: number): Outcome {
  const kind = errorCode === undefined ? "result" : "error";
  return { kind, bytes: text?.length ?? 0, milliseconds, answer };
}

function refusedReply(frame: CallerMessage | undefined, refusal: Refusal): Reply {
  const isNotification = frame?.method !== undefined && frame.id === undefined;
  return { refusal, text: isNotification ? undefined : toErrorFrame(frame?.id ?? null, refusal) };
}
