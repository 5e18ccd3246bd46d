// The one way from a caller to a server. Every carrier and every caller runs this list, in this order:
// a path of its own is a check forgotten. A link says nothing, and the next has its turn, or refuses.

import type { JsonRpcError, JsonRpcResult } from "@vitrine/protocol";
import type { CallerMessage } from "../json-rpc/message.ts";
import { type MessageText, serialize } from "../json-rpc/serialize.ts";
import { now } from "../monotonic-clock.ts";
import type { Exchange } from "./exchange.ts";
import { type Refusal, refuse, toErrorFrame } from "./refusal.ts";

/** A check, or a step that completes the exchange for those after it. */
export interface Link {
  readonly name: string;
  run(exchange: Exchange): Refusal | undefined | Promise<Refusal | undefined>;
}

/** What becomes of a request that no link refused. */
export interface Forwarder {
  /** The answer; without a message for a notification. */
  forward(exchange: Exchange): Promise<Refusal | Answer>;
  /** What a caller may hear of an error that `forward` threw; throws what it does not know. */
  explain(exchange: Exchange, error: unknown): Refusal;
}

/** What a request came to. */
export interface Answer {
  /** The response: the audit log and the caller get this value. Undefined for a notification. */
  readonly message: JsonRpcResult | JsonRpcError | undefined;
}

/** Hears of each exchange, refused or not. */
export interface Witness {
  /** Before the server is asked; a refusal here stops the call: what cannot be recorded is not done. */
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
  /** For those who keep everything. */
  answer?: Answer;
}

interface Stopped {
  link: string;
  refusal: Refusal;
}

/** What a carrier sends back. */
export interface Reply {
  /** Nothing for a notification that was taken. */
  text: MessageText | undefined;
  /** What the text says, if no link rejected the request. */
  message?: Answer["message"];
  refusal?: Refusal;
  /** The server's own, if it answered with an error. */
  errorCode?: number;
}

/** The pipeline of a gateway. */
export interface Pipeline {
  readonly links: readonly string[];
  run(exchange: Exchange): Promise<Reply>;
}

/** Puts a pipeline together. */
export function createPipeline(
  links: readonly Link[],
  { forwarder, witness }: { forwarder: Forwarder; witness: Witness },
): Pipeline {
  // What cannot be recorded is not done, so the witness comes last and may refuse like any link.
  const all: readonly Link[] = [
    ...links,
    { name: "audit", run: (exchange) => witness.admit(exchange) },
  ];

  /** Runs the links from one on. Most decide at once: an await for each would be half of what a call costs. */
  const check = (
    exchange: Exchange,
    from = 0,
  ): Stopped | undefined | Promise<Stopped | undefined> => {
    for (let at = from; at < all.length; at++) {
      const link = all[at] as Link;
      const verdict = link.run(exchange);
      if (verdict instanceof Promise) {
        return verdict.then(
          (refusal) => (refusal ? { link: link.name, refusal } : check(exchange, at + 1)),
          // A link may have to ask the server for a list, and that is away like any other answer.
          (error) => ({ link: link.name, refusal: forwarder.explain(exchange, error) }),
        );
      }
      if (verdict) return { link: link.name, refusal: verdict };
    }
    return undefined;
  };

  const tell = (
    exchange: Exchange,
    answer: Refusal | Answer,
    { reply, milliseconds }: { reply: Reply; milliseconds: number },
  ): void | Promise<void> =>
    "code" in answer
      ? witness.answered(exchange, { kind: "refused", code: answer.code, bytes: 0, milliseconds })
      : witness.answered(exchange, outcomeOf(answer, reply, milliseconds));

  return {
    links: [...links.map(({ name }) => name), "audit", "upstream"],
    // One function and one await on the way to the server: each more of both is a thirtieth of a call.
    run: async (exchange) => {
      const started = now();
      try {
        const checked = check(exchange);
        const stopped = checked instanceof Promise ? await checked : checked;
        if (stopped) {
          const { link, refusal } = stopped;
          await witness.refused(exchange, link, refusal);
          return refusedReply(exchange.frame, refusal);
        }
        let answer: Refusal | Answer;
        try {
          answer = await forwarder.forward(exchange);
        } catch (error) {
          answer = forwarder.explain(exchange, error);
        }
        const reply = "code" in answer ? refusedReply(exchange.frame, answer) : toReply(answer);
        const milliseconds = now() - started;
        const told = tell(exchange, answer, { reply, milliseconds });
        if (told) await told;
        return reply;
      } catch (error) {
        // Whatever failed, the caller learns that it did, and the cause stays here (security: no stack).
        const refusal = refuse("internal", "The gateway failed; its log has the cause.");
        await witness.refused(exchange, "internal", { ...refusal, data: { cause: `${error}` } });
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
