// Letters between processes: one address that each of them serves, one subject on which it hears of the
// calls it waits for. Whoever asks is answered in an envelope that names the question.

import type { JsonRpcNotification } from "@vitrine/protocol";
import type { Engine } from "../engine/engine.ts";
import { EngineError } from "../engine/errors.ts";
import { serialize } from "../json-rpc/serialize.ts";
import { AnswerRounds, type Round } from "./answer-rounds.ts";
import { Asked, type Asker, LostAnswerError, unaskedError } from "./asked.ts";
import { Outbox, openLetters, type Posted } from "./bundle.ts";
import { CallTable } from "./call-table.ts";
import {
  EnvelopeError,
  type EnvelopeErrorCode,
  type Envelopes,
  type Head,
  type Letter,
} from "./envelope.ts";
import { answerHead, nameOfCall, newsHead, questionHead } from "./letter-head.ts";
import { type Member, type Membership, nameOf } from "./membership.ts";
import { type Note, Notes } from "./notes.ts";
import { pack, unpack } from "./parcel.ts";
import { Pieces } from "./pieces.ts";

/** A question that another process has asked. */
export interface Question extends Pick<Head, "op" | "key" | "revision" | "deadline"> {
  body: string;
  from: Member;
  /** The asker's number for it. */
  call: number;
  /** Tells the asker something about it. */
  tell(notification: JsonRpcNotification): void;
  /** What was told and has not left yet. */
  untold(): Note[];
}

/** Answers the questions about a server. */
export type Answerer = (question: Question) => Promise<string>;

/** What to ask. */
export interface Asking extends Pick<Head, "op" | "server" | "key" | "revision" | "deadline"> {
  body: string;
}

/** What a courier needs. */
export interface CourierOptions {
  membership: Membership;
  envelopes: Envelopes;
  /** Hears of envelopes that were not opened: somebody tries, or the secrets differ. */
  onRefused?: ((code: EnvelopeErrorCode, message: string) => void) | undefined;
}

// Of a message, for what is around its body.
const SPARE = 8192;
/** Answer, failure, a piece more, the next piece: what is said about letters and not about servers. */
const ANSWER = "=";
const FAILURE = "!";
const PIECE = "+";
const NEXT = "-";
const NOTES = "notes";
/** Milliseconds by which a reply may be ahead of what was published before it. */
const OVERTAKEN = 500;

/** The post of one process. */
export class Courier {
  readonly #engine: Engine;
  readonly #options: CourierOptions;
  readonly #answerers = new Map<string, Answerer>();
  readonly #asked = new CallTable<Asked>();
  readonly #notes: Notes;
  readonly #questions: Outbox<Posted>;
  readonly #answers: AnswerRounds;
  readonly #inbound: Pieces;
  readonly #outbound: Pieces;
  readonly #undo: (() => void)[];
  #address: string | undefined;
  #closeDoor: (() => void) | undefined;

  constructor(engine: Engine, options: CourierOptions) {
    this.#engine = engine;
    this.#options = options;
    const { membership, envelopes } = options;
    this.#questions = new Outbox(envelopes, (sealed, letters) => this.#send(sealed, letters));
    this.#answers = new AnswerRounds(envelopes, (to, sealed) => this.#publish(`r.${to}`, sealed));
    this.#notes = new Notes({ send: (to, notes) => this.#sendNotes(to, notes) });
    const size = engine.caps.maxBytes - SPARE;
    this.#inbound = new Pieces({ size });
    this.#outbound = new Pieces({ size });
    this.#undo = [
      membership.onJoin((epoch) => this.#openDoor(nameOf({ node: membership.node, epoch }))),
      membership.onGone((member) => {
        const name = nameOf(member);
        for (const asked of this.#asked) if (asked.head.to === name) asked.lose();
      }),
    ];
  }

  /** Answers what is asked about a server; a later one takes the place. Returns its undo. */
  answer(server: string, answerer: Answerer): () => void {
    this.#answerers.set(server, answerer);
    return () => {
      if (this.#answerers.get(server) === answerer) this.#answerers.delete(server);
    };
  }

  /** Asks a process; returns the number by which a question can be taken back. */
  ask(to: Member, asking: Asking, asker: Asker): number {
    const from = this.#address;
    if (from === undefined) {
      queueMicrotask(() => asker.onFail(unaskedError()));
      return UNASKED;
    }
    const call = this.#asked.take();
    const { body } = asking;
    const head = questionHead(asking, { to: nameOf(to), caller: from, call });
    const asked = new Asked(this.#asked, { head, body, asker });
    if (this.#outbound.fits(body)) this.#questions.post(from, asked);
    else void this.#askInPieces(from, asked);
    return call;
  }

  /** Asks, and waits for the answer until the deadline. */
  request(to: Member, asking: Asking): Promise<string> {
    return new Promise((resolve, reject) => {
      const onFail = (error: unknown): void => {
        clearTimeout(timer);
        reject(error);
      };
      const onAnswer = (body: string): void => {
        clearTimeout(timer);
        resolve(body);
      };
      const call = this.ask(to, asking, { onAnswer, onFail });
      const timer = setTimeout(() => this.lose(call), asking.deadline);
      timer.unref();
    });
  }

  /** An answer will not come: whoever waits for it hears that it is lost. */
  lose(call: number): void {
    this.#asked.get(call)?.lose();
  }

  /** Whether nothing has come of a question yet. */
  isWaiting(call: number): boolean {
    return this.#asked.get(call)?.isWaiting === true;
  }

  /** Nobody waits for an answer any more. */
  forget(call: number): void {
    this.#asked.get(call)?.forget();
  }

  /** Tells all who know a name; it may be lost. */
  publish(subject: string, server: string, body: string): void {
    const from = this.#address;
    if (from === undefined) return;
    this.#publish(subject, this.#options.envelopes.seal(from, newsHead(subject, server), body));
  }

  /** Hears what is told under a name, if it comes from one of us. */
  subscribe(subject: string, fn: (body: string, from: string) => void): () => void {
    return this.#engine.bus.subscribe(subject, (sealed) => {
      for (const { body, head } of this.#open(sealed, subject)) fn(body, head.from);
    });
  }

  close(): void {
    for (const undo of this.#undo) undo();
    this.#closeDoor?.();
    this.#notes.close();
    this.#inbound.close();
    this.#outbound.close();
    for (const asked of this.#asked) asked.lose();
  }

  /** One message for all; what becomes of it becomes of those that were not answered otherwise. */
  #send(sealed: Uint8Array, letters: readonly Posted[]): void {
    const [{ head }] = letters as [Posted];
    const deadline = letters.reduce((most, { head }) => Math.max(most, head.deadline), 0);
    const fail = (error: unknown): void => {
      for (const letter of letters) letter.fail(error);
    };
    const { to, caller: from } = head;
    this.#engine.bus.request(`n.${to}`, sealed, { deadline }).then((answers) => {
      const lose = (): void => fail(new LostAnswerError(`The answer of ${to} was lost.`));
      // Nothing in it: the last answers came in the reply to another message.
      const isHeard = answers.length === 0 || this.#hear(answers, from);
      // All have left there; what is not here is lost, or was told on another way and comes in a moment.
      if (!isHeard) lose();
      else if (letters.some(isOpen)) setTimeout(lose, OVERTAKEN).unref();
    }, fail);
  }

  /** What does not fit into one message goes before it. */
  async #askInPieces(from: string, asked: Asked): Promise<void> {
    const pieces = this.#outbound.split(asked.body);
    const { head } = asked;
    try {
      for (const piece of pieces.slice(0, -1)) {
        await this.#exchange(from, asked, { ...head, op: PIECE }, piece);
      }
    } catch (cause) {
      const text = "A part of the question was not taken.";
      // The question has not been asked yet.
      asked.end(new EngineError("no-responders", text, { cause }));
      return;
    }
    this.#questions.post(from, {
      head: { ...head, pieces: pieces.length - 1 },
      body: pieces.at(-1) as string,
      leave: () => asked.leave(),
      fail: (error) => asked.fail(error),
    });
  }

  /** Fetches what an answer has left out. */
  async #fetchPieces(from: string, asked: Asked, { head, body }: Letter): Promise<void> {
    const bodies = [body];
    try {
      for (let place = 0; place < head.pieces; place++) {
        const next = { ...asked.head, op: NEXT, pieces: 0 };
        bodies.push((await this.#exchange(from, asked, next, pack({ place }))).body);
      }
      asked.finish(bodies.join(""));
    } catch (cause) {
      // Whatever the bus says of the piece: the question was answered, so it must not be asked again.
      asked.end(new LostAnswerError(`The rest of the answer of ${head.from} was lost.`, { cause }));
    }
  }

  #exchange(from: string, asked: Asked, head: Head, body: string): Promise<Letter> {
    return new Promise((resolve, reject) => {
      asked.aside = (letter, error) => {
        asked.aside = undefined;
        if (letter) resolve(letter);
        else reject(error);
      };
      const fail = (error: unknown): void => asked.aside?.(undefined, error);
      this.#questions.post(from, { head, body, leave: () => !asked.isOver, fail });
    });
  }

  #openDoor(address: string): void {
    this.#closeDoor?.();
    this.#address = address;
    const { bus } = this.#engine;
    const stops = [
      bus.serve(`n.${address}`, (sealed) => this.#receive(sealed, address)),
      bus.subscribe(`r.${address}`, (sealed) => void this.#hear(sealed, address)),
    ];
    this.#closeDoor = () => {
      for (const stop of stops) stop();
    };
  }

  #receive(sealed: Uint8Array, address: string): Promise<Uint8Array> {
    const letters = this.#open(sealed, address);
    return new Promise((reply, fail) => {
      // Who cannot make an envelope is told nothing, not even in one.
      if (letters.length === 0) fail(new EngineError("unavailable", "Refused."));
      const round: Round = { left: letters.length, reply, fail };
      for (const letter of letters) void this.#answer(letter, address, round);
    });
  }

  async #answer(letter: Letter, address: string, round: Round): Promise<void> {
    const head = answerHead(ANSWER, letter.head);
    try {
      const { pieces, body } = await this.#reply(letter);
      this.#answers.answer(address, pieces > 0 ? { ...head, pieces } : head, body, round);
    } catch {
      this.#answers.answer(address, { ...head, op: FAILURE }, NOTHING, round);
    }
  }

  async #reply({ head, body }: Letter): Promise<{ pieces: number; body: string }> {
    const { op, server } = head;
    // Pieces are kept by the caller: nobody may add to another's message or fetch another's answer.
    if (head.caller !== head.from) throw new EngineError("unavailable", "The call is another's.");
    if (op === NEXT) {
      const { place } = unpack<{ place: number }>(body).facts;
      const piece = this.#outbound.at(nameOfCall(head), place);
      if (!piece) throw new EngineError("unavailable", "The rest of the answer is gone.");
      if (!this.#outbound.at(nameOfCall(head), place + 1)) this.#outbound.take(nameOfCall(head));
      return { pieces: 0, body: piece };
    }
    if (op === PIECE) {
      if (this.#inbound.keep(nameOfCall(head), [body])) return { pieces: 0, body: NOTHING };
      throw new EngineError("full", "There is no room for messages in pieces.");
    }
    const before = head.pieces > 0 ? this.#inbound.take(nameOfCall(head)) : [];
    const answerer = before.length === head.pieces ? this.#answerers.get(server) : undefined;
    const whole = before.length > 0 ? [...before, body].join("") : body;
    const answer = answerer
      ? await answerer(this.#question(head, whole))
      : pack({ kind: "not-owner" });
    const [first, ...rest] = this.#outbound.split(answer);
    if (rest.length > 0 && !this.#outbound.keep(nameOfCall(head), rest)) {
      const facts = { sent: true };
      const message = "The answer is too large for now.";
      return { pieces: 0, body: pack({ kind: "error", code: "too-large", message, facts }) };
    }
    return { pieces: rest.length, body: first };
  }

  #question(head: Letter["head"], body: string): Question {
    const { op, key, revision, deadline, call } = head;
    const [node = "", epoch] = head.from.split(".");
    const from = { node, epoch: Number(epoch) };
    return {
      ...{ op, key, revision, deadline, body, from, call },
      tell: (notification) => {
        const { method } = notification;
        this.#notes.add(from, { call, text: serialize(notification), method });
      },
      untold: () => this.#notes.take(from, call),
    };
  }

  #sendNotes(to: Member, notes: readonly Note[]): void {
    const from = this.#address;
    if (from === undefined) return;
    const head = newsHead(nameOf(to), "", NOTES);
    this.#publish(`r.${nameOf(to)}`, this.#options.envelopes.seal(from, head, pack({ notes })));
  }

  #publish(subject: string, sealed: Uint8Array): void {
    try {
      this.#engine.bus.publish(subject, sealed);
    } catch {
      // Too large, or the engine is closed: what is published may be lost.
    }
  }

  /** Whether there was anything in it. */
  #hear(sealed: Uint8Array, address: string): boolean {
    const letters = this.#open(sealed, address);
    for (const letter of letters) {
      if (letter.head.op === NOTES) this.#hearNotes(letter);
      else this.#hearAnswer(letter, address);
    }
    return letters.length > 0;
  }

  #hearNotes({ head, body }: Letter): void {
    for (const note of unpack<{ notes: Note[] }>(body).facts.notes) {
      const asked = this.#asked.get(note.call);
      // Of the process that was asked, and of no other.
      if (asked?.head.to === head.from) asked.note(note);
    }
  }

  #hearAnswer(letter: Letter, address: string): void {
    const { op, from, caller, call, pieces } = letter.head;
    const asked = this.#asked.get(call);
    // Of the process that was asked, and of no other.
    if (asked?.head.to !== from || asked.head.caller !== caller) return;
    const failure =
      op === ANSWER ? undefined : new EngineError("unavailable", `${from} failed to answer.`);
    if (asked.aside) {
      asked.aside(failure ? undefined : letter, failure);
      return;
    }
    if (!failure) asked.begin();
    if (!failure && pieces > 0) {
      void this.#fetchPieces(address, asked, letter);
      return;
    }
    if (failure) asked.end(failure);
    else asked.finish(letter.body);
  }

  /** Nothing, if it cannot be opened. */
  #open(sealed: Uint8Array, address: string): Letter[] {
    try {
      return openLetters(this.#options.envelopes, sealed, address);
    } catch (error) {
      if (!(error instanceof EnvelopeError)) throw error;
      this.#options.onRefused?.(error.code, error.message);
      return [];
    }
  }
}

const NOTHING = "";
/** The number of no question. */
const UNASKED = 0;

function isOpen(letter: Posted): boolean {
  return letter instanceof Asked && !letter.isOver;
}
