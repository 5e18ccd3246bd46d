// One question to the owner of what a call needs, and what becomes of it. An object rather than closures: there is
// one for each call that another process makes.

import { parseSerialized } from "../json-rpc/parse.ts";
import type { MessageText } from "../json-rpc/serialize.ts";
import type { CallLifetime } from "../upstreams/call-lifetime.ts";
import { type UpstreamCall, UpstreamError, type UpstreamScope } from "../upstreams/upstream.ts";
import { type Asker, LostAnswerError } from "./asked.ts";
import type { ClusterParts } from "./cluster.ts";
import type { Claim } from "./directory.ts";
import { isCode } from "./membership.ts";
import type { Note } from "./notes.ts";
import { NotOwnerError } from "./owner.ts";
import type { Reply } from "./owner-desk.ts";
import { pack, unpack } from "./parcel.ts";

/** What an owner is asked for, and how its answer is read. */
export interface Inquiry<T> {
  readonly op: "call" | "notify" | "discover";
  readonly scope: UpstreamScope;
  readonly repeatable: boolean | undefined;
  readonly text: MessageText | undefined;
  read(text: string): T;
  readonly onNotification: UpstreamCall["onNotification"] | undefined;
}

/** Who waits for it; one of the two is called, once. */
export interface Ends<T> {
  resolve(answer: T): void;
  /** An `UpstreamError`, a `NotOwnerError` or a `LostAnswerError`. */
  reject(error: unknown): void;
}

interface RoutedCallOptions<T> {
  server: string;
  key: string;
  claim: Claim;
  errand: Inquiry<T>;
  lifetime: CallLifetime;
  ends: Ends<T>;
}

const CANCEL_TIME = 30_000;
/** Milliseconds for which an answer is taken in after it was due. */
const LATE = 2_000;

/** A call that another process makes. */
export class RoutedCall<T> implements Asker {
  readonly #parts: ClusterParts;
  readonly #options: RoutedCallOptions<T>;
  #call = 0;
  #undo: (() => void) | undefined;

  constructor(parts: ClusterParts, options: RoutedCallOptions<T>) {
    this.#parts = parts;
    this.#options = options;
  }

  /** Asks; returns the number of the question. */
  ask(): number {
    const { server, key, claim, errand, lifetime } = this.#options;
    const { op, scope, repeatable, text } = errand;
    const { rest } = lifetime;
    const asking = {
      op,
      server,
      key,
      revision: claim.revision,
      // The owner ends it first and says how; the bus only knows that nothing came. Long after, because with
      // it those end that went in the same message.
      deadline: rest + LATE,
      body: pack({ scope, repeatable, deadline: Math.ceil(rest) }, text),
    };
    this.#call = this.#parts.courier.ask(claim, asking, this);
    this.#undo = lifetime.onEnd((reason) => this.#giveUp(reason));
    return this.#call;
  }

  onNote({ text }: Note): void {
    this.#options.errand.onNotification?.(parseSerialized(text));
  }

  onAnswer(body: string): void {
    let answer: T;
    try {
      answer = this.#read(body);
    } catch (error) {
      this.onFail(error);
      return;
    }
    this.#undo?.();
    this.#parts.tally.sent.answered += 1;
    this.#options.ends.resolve(answer);
  }

  onFail(error: unknown): void {
    this.#undo?.();
    const loss = asLoss(error, this.#options.server);
    this.#parts.tally.sent[endOf(loss)] += 1;
    this.#options.ends.reject(loss);
  }

  #read(body: string): T {
    const { errand, server } = this.#options;
    const { facts: reply, text } = unpack<Reply>(body);
    if (reply.told) for (const note of reply.told) this.onNote(note);
    if (reply.kind === "not-owner") throw new NotOwnerError(`${server} is not run there.`);
    if (reply.kind === "error") throw new UpstreamError(reply.code, reply.message, reply.facts);
    return errand.read(text);
  }

  #giveUp(reason: UpstreamError): void {
    const { courier, tally } = this.#parts;
    const { server, key, claim, ends } = this.#options;
    courier.forget(this.#call);
    const head = { op: "cancel", server, key, revision: 0, deadline: CANCEL_TIME };
    // Who does not hear it finds the deadline in the call.
    courier.request(claim, { ...head, body: pack({ call: this.#call }) }).catch(() => {});
    tally.sent.cancelled += 1;
    ends.reject(reason.with({ sent: true }));
  }
}

/** A failure, to be counted. */
function endOf(loss: unknown): "failed" | "elsewhere" | "lost" {
  if (loss instanceof NotOwnerError) return "elsewhere";
  return loss instanceof LostAnswerError ? "lost" : "failed";
}

/** What a failure of the bus means for the call. */
function asLoss(error: unknown, server: string): unknown {
  if (error instanceof UpstreamError || error instanceof NotOwnerError) return error;
  // Nobody was there: nothing can have happened.
  if (isCode(error, "no-responders")) return new NotOwnerError(`${server} is not run there.`);
  if (isCode(error, "too-large")) {
    return new UpstreamError("too-large", `The call of ${server} is too large.`);
  }
  if (error instanceof LostAnswerError) return error;
  return new LostAnswerError(`The answer of ${server} was lost.`, { cause: error });
}
