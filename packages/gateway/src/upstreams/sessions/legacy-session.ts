// A conversation with a server from before 2026-07-28: a handshake, then requests in both directions.

import {
  INVALID_PARAMS,
  type JsonRpcNotification,
  type JsonRpcRequest,
  METHOD_NOT_FOUND,
} from "@vitrine/protocol";
import type { CallerMessage } from "../../json-rpc/message.ts";
import { serialize } from "../../json-rpc/serialize.ts";
import type { CallLifetime } from "../call-lifetime.ts";
import { errorAnswer, readdressed, resultAnswer } from "../frames/answer.ts";
import {
  CLIENT_CAPABILITIES_KEY,
  type ClientIdentity,
  LEGACY_VERSION,
  LOG_LEVEL_KEY,
  metaOf,
} from "../frames/envelope.ts";
import { type LegCall, type Listening, type News, newsOf } from "../leg.ts";
import { discoveredBy, legacyRequest, modernAnswer } from "../translation.ts";
import { type DiscoverResult, type UpstreamAnswer, UpstreamError } from "../upstream.ts";
import type { FloodLimits } from "./flood-gate.ts";
import { HeldRequests } from "./held-requests.ts";
import { type Flight, Multiplexer } from "./multiplexer.ts";
import type { Session } from "./session.ts";
import type { Wire } from "./wire.ts";

/** What a session needs to know. */
export interface LegacySessionOptions {
  identity: ClientIdentity;
  /** Milliseconds a request is kept while its user is asked. */
  holdTime: number;
  flood?: FloodLimits | undefined;
  onNews(news: News): void;
}

interface Question {
  id: JsonRpcRequest["id"];
  key: string;
  params: unknown;
  /** The client has been told. */
  isShown: boolean;
}

/** A request whose server has asked something. */
interface Conversation {
  flight: Flight;
  questions: Question[];
}

// The handshake is ours, and the era has no such streams: never for the server.
const OURS: ReadonlySet<string> = new Set(["initialize", "subscriptions/listen"]);

/** One session over one wire. */
export class LegacySession implements Session {
  readonly #wire: Wire;
  readonly #options: LegacySessionOptions;
  readonly #connection: Multiplexer;
  readonly #held: HeldRequests<Conversation>;
  #questions = 0;
  #discovered: DiscoverResult | undefined;

  constructor(wire: Wire, options: LegacySessionOptions) {
    this.#wire = wire;
    this.#options = options;
    this.#connection = new Multiplexer(wire, {
      onNotification: (message, about) => this.#hear(message, about),
      onRequest: (message, about) => this.#asked(message, about),
      flood: options.flood,
    });
    this.#held = new HeldRequests({
      time: options.holdTime,
      onExpire: (conversation) => this.#abandon(conversation, "The user did not answer in time."),
    });
  }

  /** Requests under way, those included that wait for a user. */
  get size(): number {
    return this.#connection.size;
  }

  /** What the server said in the handshake. */
  async discover(): Promise<DiscoverResult> {
    if (!this.#discovered) throw new UpstreamError("closed", "The handshake is not done.");
    return this.#discovered;
  }

  /** News come by themselves; only those of single resources must be asked for. */
  async listen(resources: readonly string[], lifetime: CallLifetime): Promise<Listening> {
    const subscribe = (verb: "subscribe" | "unsubscribe") => {
      // Nobody needs the answer: a server that doesn't know subscriptions has no such news.
      for (const uri of resources) this.#ask(`resources/${verb}`, { uri });
    };
    subscribe("subscribe");
    if (lifetime.reason) throw lifetime.reason;
    const { promise: closed, resolve } = Promise.withResolvers<void>();
    const undo = this.#connection.onEnd(resolve);
    const stop = (): void => {
      if (undo()) subscribe("unsubscribe");
      resolve();
    };
    return { closed, isHeard: true, stop };
  }

  /** Shakes hands. Gives the version that was agreed on to `onVersion` before anything else is sent. */
  async start(lifetime: CallLifetime, onVersion?: (version: string) => void): Promise<void> {
    const { info, capabilities } = this.#options.identity;
    const params = { protocolVersion: LEGACY_VERSION, capabilities, clientInfo: info };
    const flight = this.#ask("initialize", params);
    const { message: answer } = await lifetime.race(flight.answer);
    const result =
      "result" in answer ? (answer.result as Record<string, unknown> | null) : undefined;
    if (typeof result?.protocolVersion !== "string") {
      throw new UpstreamError("malformed", "The server refused the handshake.", { sent: true });
    }
    this.#discovered = discoveredBy(result);
    onVersion?.(result.protocolVersion);
    await this.#wire.send(serialize({ jsonrpc: "2.0", method: "notifications/initialized" }));
  }

  onEnd(fn: () => void): () => boolean {
    return this.#connection.onEnd(fn);
  }

  async send(call: LegCall): Promise<UpstreamAnswer> {
    const { id, method, params } = call.message;
    if (method === "server/discover") return resultAnswer(id, await this.discover());
    if (OURS.has(method)) return errorAnswer(id, METHOD_NOT_FOUND, `No method ${method}`);
    const state = params?.requestState;
    if (state !== undefined) return this.#resume(call, state);
    const flight = this.#connection.open((number) => legacyRequest(call.message, number), call);
    return this.#follow({ flight, questions: [] }, call);
  }

  notify(message: CallerMessage): Promise<void> {
    return this.#wire.send(serialize(message));
  }

  async close({ now = false }: { now?: boolean } = {}): Promise<void> {
    this.#held.close();
    if (now) await this.#wire.kill?.();
    await this.#wire.close();
  }

  /** A request of the gateway's own. */
  #ask(method: string, params: Record<string, unknown>): Flight {
    return this.#connection.open((id) => ({ jsonrpc: "2.0", id, method, params }));
  }

  /** Waits for the answer, or for a question of the server, whichever comes first. */
  async #follow(conversation: Conversation, call: LegCall): Promise<UpstreamAnswer> {
    const { flight } = conversation;
    flight.audience = call;
    const { promise, resolve, reject } = Promise.withResolvers<UpstreamAnswer>();
    const undo = call.lifetime.onEnd((reason) => {
      this.#abandon(conversation, reason.message);
      reject(reason.with({ sent: true }));
    });
    flight.onQuestion = (question) => {
      this.#note(conversation, question);
      const asking = this.#hold(conversation, call);
      if (asking) resolve(asking);
    };
    flight.answer.then((answer) => {
      resolve(modernAnswer(call.message.method, readdressed(call.message.id, answer)));
    }, reject);
    // Asked while nobody was there to hear it.
    const waiting = conversation.questions.length > 0 && this.#hold(conversation, call);
    if (waiting) resolve(waiting);
    try {
      return await promise;
    } finally {
      undo();
    }
  }

  #hold(conversation: Conversation, call: LegCall): UpstreamAnswer | undefined {
    const requestState = this.#held.hold(conversation, call);
    if (requestState === undefined) {
      this.#answer(conversation, conversation.questions);
      return undefined;
    }
    const { flight, questions } = conversation;
    flight.audience = { message: call.message, scope: call.scope };
    // What is asked meanwhile waits for the next round.
    flight.onQuestion = (question) => this.#note(conversation, question);
    for (const question of questions) question.isShown = true;
    const inputRequests = Object.fromEntries(
      questions.map(({ key, params }) => [key, { method: "elicitation/create", params }]),
    );
    return resultAnswer(call.message.id, {
      resultType: "input_required",
      inputRequests,
      requestState,
    });
  }

  async #resume(call: LegCall, state: unknown): Promise<UpstreamAnswer> {
    const conversation = typeof state === "string" ? this.#held.take(state, call) : undefined;
    if (!conversation) {
      const message =
        "This question is not open any more; send the request anew, without requestState.";
      return errorAnswer(call.message.id, INVALID_PARAMS, message);
    }
    const shown = conversation.questions.filter(({ isShown }) => isShown);
    this.#answer(conversation, shown, call.message.params?.inputResponses);
    return this.#follow(conversation, call);
  }

  #note({ questions }: Conversation, { id, params }: JsonRpcRequest): void {
    questions.push({ id, key: `question-${++this.#questions}`, params, isShown: false });
  }

  /** Answers questions; one without an answer was not decided. */
  #answer(conversation: Conversation, questions: readonly Question[], responses?: unknown): void {
    const given = Object(responses) as Record<string, unknown>;
    conversation.questions = conversation.questions.filter((each) => !questions.includes(each));
    for (const { id, key } of questions) {
      const result = Object.hasOwn(given, key) ? given[key] : { action: "cancel" };
      this.#connection.post({ jsonrpc: "2.0", id, result });
    }
  }

  #abandon(conversation: Conversation, reason: string): void {
    this.#answer(conversation, conversation.questions);
    this.#connection.cancel(conversation.flight, reason);
  }

  #hear(notification: JsonRpcNotification, about: Flight | undefined): void {
    const { method, params } = notification;
    const news = newsOf(method, params);
    if (news) this.#options.onNews(news);
    if (method !== "notifications/message") return;
    // Without a level the servers of today say nothing, so that is what their hosts expect.
    const { audience } = about ?? this.#connection.only ?? {};
    if (metaOf(audience?.message.params)?.[LOG_LEVEL_KEY] !== undefined)
      audience?.onNotification?.(notification);
  }

  #asked(question: JsonRpcRequest, about: Flight | undefined): void {
    const { id, method, params } = question;
    const reply = (body: object): void => this.#connection.post({ jsonrpc: "2.0", id, ...body });
    // Over a stream that all share, only a single request leaves no doubt whose user is meant.
    const flight = about ?? this.#connection.only;
    if (method === "ping") reply({ result: {} });
    else if (method !== "elicitation/create") {
      reply({ error: { code: METHOD_NOT_FOUND, message: `No method ${method}` } });
    } else if (flight?.onQuestion && mayBeAsked(flight, params)) flight.onQuestion(question);
    else reply({ result: { action: "cancel" } });
  }
}

function mayBeAsked({ audience }: Flight, params: unknown): boolean {
  const capabilities = metaOf(audience?.message.params)?.[CLIENT_CAPABILITIES_KEY] as
    | { elicitation?: { url?: unknown } }
    | undefined;
  const { elicitation } = capabilities ?? {};
  const { mode } = (params ?? {}) as { mode?: unknown };
  return mode === "url" ? elicitation?.url !== undefined : elicitation !== undefined;
}
