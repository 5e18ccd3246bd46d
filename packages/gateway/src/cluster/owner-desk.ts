// Questions of other processes to the owner of a server's child or session.

import type { RequestMessage } from "../json-rpc/message.ts";
import { parseSerialized } from "../json-rpc/parse.ts";
import { serialize } from "../json-rpc/serialize.ts";
import { type CallSignal, Cancellation } from "../upstreams/cancellation.ts";
import {
  type OwnableUpstream,
  UpstreamError,
  type UpstreamErrorCode,
  type UpstreamErrorFacts,
  type UpstreamScope,
} from "../upstreams/upstream.ts";
import type { Question } from "./courier.ts";
import type { Directory } from "./directory.ts";
import type { ListenFacts, NewsWire } from "./news-wire.ts";
import type { Note } from "./notes.ts";
import { type Holding, NotOwnerError, type Owner } from "./owner.ts";
import { pack, unpack } from "./parcel.ts";
import type { Tally } from "./tally.ts";

/** How a question was answered. */
export type Reply = { told?: Note[] } & (
  | { kind?: undefined }
  | { kind: "not-owner" }
  | { kind: "error"; code: UpstreamErrorCode; message: string; facts: UpstreamErrorFacts }
);

interface CallFacts {
  scope: UpstreamScope;
  method?: string;
  repeatable?: boolean;
  deadline: number;
}

type Work = (signal: CallSignal) => Promise<string>;

interface DeskParts {
  owner: Owner;
  directory: Directory;
  news: NewsWire;
  tally: Tally;
  /** The key of the directory for one of the upstream. */
  keyOf(stateKey: string): string;
}

/** Answers for the owner. */
export class OwnerDesk {
  readonly #local: OwnableUpstream;
  readonly #owner: Owner;
  readonly #directory: Directory;
  readonly #news: NewsWire;
  readonly #tally: Tally;
  readonly #calls = new Map<string, Cancellation>();
  readonly #keyOf: (stateKey: string) => string;

  constructor(local: OwnableUpstream, { owner, directory, news, tally, keyOf }: DeskParts) {
    this.#tally = tally;
    this.#keyOf = keyOf;
    this.#local = local;
    this.#owner = owner;
    this.#directory = directory;
    this.#news = news;
  }

  async answer(question: Question): Promise<string> {
    try {
      const text = await this.#do(question);
      const told = question.untold();
      return pack(told.length > 0 ? { told } : undefined, text);
    } catch (error) {
      if (error instanceof NotOwnerError) return pack({ kind: "not-owner" });
      const { code, message, facts } = asKnown(error);
      const { sent, status, challenge, retryAfter } = facts;
      const told = question.untold();
      return pack({
        kind: "error",
        code,
        message,
        told,
        facts: { sent, status, challenge, retryAfter },
      });
    }
  }

  async #do(question: Question): Promise<string> {
    const { facts, text } = unpack<CallFacts & ListenFacts & { call: number }>(question.body);
    switch (question.op) {
      case "cancel":
        this.#calls.get(nameOf(question, facts.call))?.abort();
        return NOTHING;
      case "running":
        return `${this.#calls.has(nameOf(question, facts.call))}`;
      case "listen": {
        const station = await this.#news.station(facts.scope);
        await this.#check(question, station.key);
        return `${await this.#news.attend(station, question.from, facts)}`;
      }
      case "notify":
        return this.#run(question, facts, async () => {
          await this.#local.notify(parseSerialized(text), facts.scope);
          return NOTHING;
        });
      case "discover":
        return this.#run(question, facts, async () =>
          serialize(await this.#local.discover(facts.scope)),
        );
      case "call":
        return this.#call(question, facts, text);
      default:
        throw new UpstreamError("malformed", `There is nothing like "${question.op}" to be asked.`);
    }
  }

  #call(question: Question, facts: CallFacts, text: string): Promise<string> {
    const message = parseSerialized<RequestMessage>(text);
    const { scope, repeatable = false, deadline } = facts;
    return this.#run(question, { ...facts, method: message.method }, async (signal) => {
      const call = { message, scope, deadline, signal, repeatable };
      const answer = await this.#local.send({ ...call, onNotification: question.tell });
      return serialize(answer.message);
    });
  }

  async #run(question: Question, facts: CallFacts, work: Work): Promise<string> {
    const { method = "", repeatable = false, scope } = facts;
    const name = nameOf(question, question.call);
    const signal = new Cancellation();
    this.#calls.set(name, signal);
    try {
      const holding = await this.#holding(question, scope);
      const answer = await this.#owner.run(holding, work, { method, signal, repeatable });
      this.#tally.received.answered += 1;
      return answer;
    } catch (error) {
      const isElsewhere = error instanceof NotOwnerError;
      const end = signal.aborted ? "cancelled" : isElsewhere ? "elsewhere" : "failed";
      this.#tally.received[end] += 1;
      throw error;
    } finally {
      this.#calls.delete(name);
    }
  }

  /** What the question is about, if this process owns it at the revision that the asker relies on. */
  async #holding(question: Question, scope: UpstreamScope): Promise<Holding> {
    const known = this.#local.stateKey(scope);
    const stateKey = known instanceof Promise ? await known : known;
    const key = stateKey === undefined ? "" : this.#keyOf(stateKey);
    await this.#check(question, key);
    return { key, stateKey: stateKey as string };
  }

  async #check({ key, revision }: Question, own: string): Promise<void> {
    // Made with another configuration of the server: then its key is not what it seems.
    if (own !== key) throw new NotOwnerError(`${this.#local.id} has no such key here.`);
    if (revision === 0) {
      // Nobody owns it as far as the asker knows, who cannot be an owner.
      await this.#directory.find(key, { take: true });
      if (this.#directory.isMine(key)) return;
    } else if (this.#directory.isMine(key, revision)) return;
    throw new NotOwnerError(`${this.#local.id} is not owned here at revision ${revision}.`);
  }
}

const NOTHING = "";

function nameOf({ from }: Question, call: number): string {
  return `${from.node}.${from.epoch} ${call}`;
}

function asKnown(error: unknown): UpstreamError {
  if (error instanceof UpstreamError) return error;
  return new UpstreamError("unreachable", "The call failed within the gateway.", { sent: true });
}
