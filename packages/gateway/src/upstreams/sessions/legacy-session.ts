// A session with a server before 2026-07-28: a handshake, then requests in both directions.

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
  GATEWAY_IDENTITY,
  LEGACY_VERSION,
  LOG_LEVEL_KEY,
  metaOf,
} from "../frames/request-meta.ts";
import { discoveredBy, legacyRequest, modernAnswer } from "../translation.ts";
import { changeOf, type Listening, type ServerChange, type TransportCall } from "../transport.ts";
import { type DiscoverResult, type UpstreamAnswer, UpstreamError } from "../upstream.ts";
import type { FloodLimits } from "./flood-gate.ts";
import { HeldRequests } from "./held-requests.ts";
import { type Flight, Multiplexer } from "./multiplexer.ts";
import type { Session } from "./session.ts";
import type { Wire } from "./wire.ts";

/** The options of a session. */
export interface LegacySessionOptions {
  /** Milliseconds that a request is held while its user is prompted. */
  holdTime: number;
  flood?: FloodLimits | undefined;
  onChange(change: ServerChange): void;
}

interface Question {
  id: JsonRpcRequest["id"];
  key: string;
  params: unknown;
  /** Whether the question was sent to the client. */
  isShown: boolean;
}

/** A request whose server has sent questions. */
interface Conversation {
  flight: Flight;
  questions: Question[];
}

// The gateway does the handshake, and this era doesn't have such streams, so these never go to the server.
const GATEWAY_METHODS: ReadonlySet<string> = new Set(["initialize", "subscriptions/listen"]);

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
      onNotification: (message, about) => this.#handleNotification(message, about),
      onRequest: (message, about) => this.#handleServerRequest(message, about),
      flood: options.flood,
    });
    this.#held = new HeldRequests({
      time: options.holdTime,
      onExpire: (conversation) => this.#abandon(conversation, "The user didn't respond in time."),
    });
  }

  /** Requests in progress, including those that wait for a user. */
  get size(): number {
    return this.#connection.size;
  }

  /** The server's data from the handshake. */
  async discover(): Promise<DiscoverResult> {
    if (!this.#discovered) throw new UpstreamError("closed", "The handshake isn't complete.");
    return this.#discovered;
  }

  /** Changes of lists come without a subscription. Only single resources need one. */
  async listen(resources: readonly string[], lifetime: CallLifetime): Promise<Listening> {
    const subscribe = (verb: "subscribe" | "unsubscribe") => {
      // The response doesn't matter: a server without subscriptions sends no such changes.
      for (const uri of resources) this.#request(`resources/${verb}`, { uri });
    };
    subscribe("subscribe");
    if (lifetime.reason) throw lifetime.reason;
    const { promise: closed, resolve } = Promise.withResolvers<void>();
    const undo = this.#connection.onEnd(resolve);
    const stop = (): void => {
      if (undo()) subscribe("unsubscribe");
      resolve();
    };
    return { closed, sendsChanges: true, stop };
  }

  /** Does the handshake. Passes the negotiated version to `onVersion` before anything else is sent. */
  async start(lifetime: CallLifetime, onVersion?: (version: string) => void): Promise<void> {
    const { info, capabilities } = GATEWAY_IDENTITY;
    const params = { protocolVersion: LEGACY_VERSION, capabilities, clientInfo: info };
    const flight = this.#request("initialize", params);
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

  async send(call: TransportCall): Promise<UpstreamAnswer> {
    const { id, method, params } = call.message;
    if (method === "server/discover") return resultAnswer(id, await this.discover());
    if (GATEWAY_METHODS.has(method))
      return errorAnswer(id, METHOD_NOT_FOUND, `No method ${method}`);
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

  /** A request from the gateway itself. */
  #request(method: string, params: Record<string, unknown>): Flight {
    return this.#connection.open((id) => ({ jsonrpc: "2.0", id, method, params }));
  }

  /** Waits for the response or for a question of the server, whichever comes first. */
  async #follow(conversation: Conversation, call: TransportCall): Promise<UpstreamAnswer> {
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
    // The question came while no client was waiting.
    const waiting = conversation.questions.length > 0 && this.#hold(conversation, call);
    if (waiting) resolve(waiting);
    try {
      return await promise;
    } finally {
      undo();
    }
  }

  #hold(conversation: Conversation, call: TransportCall): UpstreamAnswer | undefined {
    const requestState = this.#held.hold(conversation, call);
    if (requestState === undefined) {
      this.#answer(conversation, conversation.questions);
      return undefined;
    }
    const { flight, questions } = conversation;
    flight.audience = { message: call.message, scope: call.scope };
    // Questions that come now wait for the next round.
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

  async #resume(call: TransportCall, state: unknown): Promise<UpstreamAnswer> {
    const conversation = typeof state === "string" ? this.#held.take(state, call) : undefined;
    if (!conversation) {
      const message =
        "This question is no longer open. Send the request again without requestState.";
      return errorAnswer(call.message.id, INVALID_PARAMS, message);
    }
    const shown = conversation.questions.filter(({ isShown }) => isShown);
    this.#answer(conversation, shown, call.message.params?.inputResponses);
    return this.#follow(conversation, call);
  }

  #note({ questions }: Conversation, { id, params }: JsonRpcRequest): void {
    questions.push({ id, key: `question-${++this.#questions}`, params, isShown: false });
  }

  /** Answers questions. A question without a response counts as cancelled. */
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

  #handleNotification(notification: JsonRpcNotification, about: Flight | undefined): void {
    const { method, params } = notification;
    const change = changeOf(method, params);
    if (change) this.#options.onChange(change);
    if (method !== "notifications/message") return;
    // Servers of 2026-07-28 send no log messages unless a level is set, so hosts expect none.
    const { audience } = about ?? this.#connection.only ?? {};
    if (metaOf(audience?.message.params)?.[LOG_LEVEL_KEY] !== undefined)
      audience?.onNotification?.(notification);
  }

  #handleServerRequest(question: JsonRpcRequest, about: Flight | undefined): void {
    const { id, method, params } = question;
    const reply = (body: object): void => this.#connection.post({ jsonrpc: "2.0", id, ...body });
    // On a shared stream, the user is only certain if there is exactly one request.
    const flight = about ?? this.#connection.only;
    if (method === "ping") reply({ result: {} });
    else if (method !== "elicitation/create") {
      reply({ error: { code: METHOD_NOT_FOUND, message: `No method ${method}` } });
    } else if (flight?.onQuestion && canPromptUser(flight, params)) flight.onQuestion(question);
    else reply({ result: { action: "cancel" } });
  }
}

function canPromptUser({ audience }: Flight, params: unknown): boolean {
  const capabilities = metaOf(audience?.message.params)?.[CLIENT_CAPABILITIES_KEY] as
    | { elicitation?: { url?: unknown } }
    | undefined;
  const { elicitation } = capabilities ?? {};
  const { mode } = (params ?? {}) as { mode?: unknown };
  return mode === "url" ? elicitation?.url !== undefined : elicitation !== undefined;
}
