// Letters between processes: one address that each of them serves, one subject on which it hears of the
// calls it waits for. Whoever asks is answered in an envelope that names the question.

import type { Engine } from "../engine/engine.ts";
import { EngineError } from "../engine/errors.ts";
import { Inbox, Outbox } from "./bundle.ts";
import {
  EnvelopeError,
  type EnvelopeErrorCode,
  type Envelopes,
  type Head,
  type Letter,
} from "./envelope.ts";
import { type Member, type Membership, nameOf } from "./membership.ts";
import { type Note, Notes } from "./notes.ts";
import { pack, unpack } from "./parcel.ts";
import { Pieces } from "./pieces.ts";

/** A question that another process has asked. */
export interface Question extends Pick<Head, "op" | "key" | "revision" | "deadline"> {
  body: Uint8Array;
  from: Member;
  /** The asker's number for it. */
  call: number;
  /** Tells the asker something about it. */
  tell(text: string, method: string): void;
  /** What was told and has not left yet. */
  untold(): Note[];
}

/** Answers the questions about a server. */
export type Answerer = (question: Question) => Promise<Uint8Array>;

/** What to ask. */
export interface Asking extends Pick<Head, "op" | "server" | "key" | "revision" | "deadline"> {
  body: Uint8Array;
  onNote?: (note: Note) => void;
  /** An answer has begun to come; of a large one the rest is being fetched. */
  onBegin?: (call: number) => void;
}

/** A question that was asked. */
export interface Asked {
  call: number;
  answer: Promise<Uint8Array>;
  /** It is not waited for any more. */
  lose(): void;
}

/** The process that was asked is gone, or what came back is not its answer. */
export class LostAnswerError extends Error {
  override name = "LostAnswerError";
}

interface Pending {
  to: Member;
  onNote: ((note: Note) => void) | undefined;
  /** It has left; before, it can be given up as if it had never been asked. */
  hasLeft: boolean;
  lose(): void;
}

/** A question, and who hears that it leaves and that its answer begins to come. */
interface Leaving {
  body: Uint8Array;
  leave(): void;
  begin(): void;
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
/** Answer, a piece more, the next piece: what is said about letters and not about servers. */
const ANSWER = "=";
const PIECE = "+";
const NEXT = "-";
const NOTES = "notes";

/** The post of one process. */
export class Courier {
  readonly #engine: Engine;
  readonly #options: CourierOptions;
  readonly #answerers = new Map<string, Answerer>();
  readonly #pending = new Map<number, Pending>();
  readonly #notes: Notes;
  readonly #outbox: Outbox;
  readonly #inbox: Inbox;
  readonly #inbound: Pieces;
  readonly #outbound: Pieces;
  readonly #undo: (() => void)[];
  #address: string | undefined;
  #closeDoor: (() => void) | undefined;
  #calls = 0;

  constructor(engine: Engine, options: CourierOptions) {
    this.#engine = engine;
    this.#options = options;
    this.#outbox = new Outbox(options.envelopes);
    this.#inbox = new Inbox(options.envelopes);
    this.#notes = new Notes({ send: (to, notes) => this.#sendNotes(to, notes) });
    const size = engine.caps.maxBytes - SPARE;
    this.#inbound = new Pieces({ size });
    this.#outbound = new Pieces({ size });
    const { membership } = options;
    this.#undo = [
      membership.onJoin((epoch) => this.#openDoor(nameOf({ node: membership.node, epoch }))),
      membership.onGone((member) => {
        for (const { to, lose } of [...this.#pending.values()]) {
          if (nameOf(to) === nameOf(member)) lose();
        }
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

  /**
   * Asks a process; `call` is the number by which a question can be taken back, `lose` stops waiting for it.
   * The answer fails with an `EngineError` of the bus, of which `no-responders` means that nothing happened,
   * or is a `LostAnswerError`.
   */
  ask(to: Member, asking: Asking): Asked {
    const call = ++this.#calls;
    const answer = this.#ask(to, asking, call);
    return { call, answer, lose: () => this.#pending.get(call)?.lose() };
  }

  /** Tells all who know a name; it may be lost. */
  publish(subject: string, server: string, body: Uint8Array): void {
    const from = this.#address;
    if (from === undefined) return;
    const sealed = this.#options.envelopes.seal(from, headTo(subject, server), body);
    try {
      this.#engine.bus.publish(subject, sealed);
    } catch {
      // Too large, or the engine is closed: whoever publishes knows that it may be lost.
    }
  }

  /** Hears what is told under a name, if it comes from one of us. */
  subscribe(subject: string, fn: (body: Uint8Array, from: string) => void): () => void {
    return this.#engine.bus.subscribe(subject, (sealed) => {
      const letter = this.#open(sealed, subject);
      if (letter) fn(letter.body, letter.head.from);
    });
  }

  close(): void {
    for (const undo of this.#undo) undo();
    this.#closeDoor?.();
    this.#notes.close();
    this.#inbound.close();
    this.#outbound.close();
    for (const { lose } of [...this.#pending.values()]) lose();
  }

  #ask(
    to: Member,
    { onNote, onBegin, body, ...asking }: Asking,
    call: number,
  ): Promise<Uint8Array> {
    const from = this.#address;
    if (from === undefined) {
      return Promise.reject(unaskedError());
    }
    return new Promise((resolve, reject) => {
      const fail = (error: unknown): void => {
        this.#pending.delete(call);
        reject(error);
      };
      const pending: Pending = {
        ...{ to, onNote, hasLeft: false },
        lose: () => fail(pending.hasLeft ? lostError(to) : unaskedError()),
      };
      this.#pending.set(call, pending);
      const { op, server, key, revision } = asking;
      const deadline = Math.max(1, Math.ceil(asking.deadline));
      const reply = `${from}:${call}`;
      const head = { op, server, key, revision, to: nameOf(to), reply, pieces: 0, deadline };
      const leave = (): void => {
        // Somebody else may be asked by now.
        if (!this.#pending.has(call)) throw unaskedError();
        pending.hasLeft = true;
      };
      const begin = (): void => onBegin?.(call);
      this.#converse(from, head, { body, leave, begin }).then((answer) => {
        this.#pending.delete(call);
        resolve(answer);
      }, fail);
    });
  }

  /** Sends what does not fit into one message before it, and fetches what the answer has left out. */
  async #converse(from: string, head: Head, { body, leave, begin }: Leaving): Promise<Uint8Array> {
    const pieces = this.#outbound.split(body);
    for (const piece of pieces.slice(0, -1)) {
      await this.#exchange(from, { ...head, op: PIECE }, piece).catch((cause: unknown) => {
        // The question has not been asked yet.
        throw new EngineError("no-responders", "A part of the question was not taken.", { cause });
      });
    }
    const last = pieces.at(-1) as Uint8Array;
    const whole = pieces.length > 1 ? { ...head, pieces: pieces.length - 1 } : head;
    const answer = await this.#exchange(from, whole, last, leave);
    begin();
    if (answer.head.pieces === 0) return answer.body;
    const bodies = [answer.body];
    for (let place = 0; place < answer.head.pieces; place++) {
      const wanted = pack({ place });
      bodies.push((await this.#exchange(from, { ...head, op: NEXT }, wanted)).body);
    }
    return Buffer.concat(bodies);
  }

  #exchange(from: string, head: Head, body: Uint8Array, leave?: () => void): Promise<Letter> {
    return new Promise((resolve, reject) => {
      const hear = (answer: Uint8Array): void => {
        const letter = this.#open(answer, from);
        const isAnswer =
          letter?.head.op === ANSWER &&
          letter.head.from === head.to &&
          letter.head.reply === head.reply;
        if (isAnswer) resolve(letter);
        else reject(new LostAnswerError(`What came back is not the answer of ${head.to}.`));
      };
      const attempt = (step: () => void): boolean => {
        try {
          step();
          return true;
        } catch (error) {
          reject(error);
          return false;
        }
      };
      const { to, deadline } = head;
      this.#outbox.post(from, head, body, {
        leave: () => attempt(() => leave?.()),
        send: (sealed) =>
          attempt(() => {
            this.#engine.bus.request(`n.${to}`, sealed, { deadline }).then(hear, reject);
          }),
        fail: reject,
      });
    });
  }

  #openDoor(address: string): void {
    this.#closeDoor?.();
    this.#address = address;
    const { bus } = this.#engine;
    const stops = [
      bus.serve(`n.${address}`, (sealed) => this.#receive(sealed, address)),
      bus.subscribe(`r.${address}`, (sealed) => this.#hear(sealed, address)),
    ];
    this.#closeDoor = () => {
      for (const stop of stops) stop();
    };
  }

  async #receive(sealed: Uint8Array, address: string): Promise<Uint8Array> {
    const letter = this.#open(sealed, address);
    // Who cannot make an envelope is told nothing, not even in one.
    if (!letter) throw new EngineError("unavailable", "Refused.");
    const { reply, from } = letter.head;
    const { pieces, body } = await this.#reply(letter);
    const head = { ...letter.head, op: ANSWER, to: from, reply, pieces };
    const leave = () => true;
    return new Promise((send, fail) =>
      this.#outbox.post(address, head, body, { leave, send, fail }),
    );
  }

  async #reply({ head, body }: Letter): Promise<{ pieces: number; body: Uint8Array }> {
    const { op, server, reply } = head;
    if (op === NEXT) {
      const { place } = unpack<{ place: number }>(body).facts;
      const piece = this.#outbound.at(reply, place);
      if (!piece) throw new EngineError("unavailable", "The rest of the answer is gone.");
      if (!this.#outbound.at(reply, place + 1)) this.#outbound.take(reply);
      return { pieces: 0, body: piece };
    }
    if (op === PIECE) {
      if (this.#inbound.keep(reply, [body])) return { pieces: 0, body: new Uint8Array() };
      throw new EngineError("full", "There is no room for messages in pieces.");
    }
    const before = head.pieces > 0 ? this.#inbound.take(reply) : [];
    const answerer = before.length === head.pieces ? this.#answerers.get(server) : undefined;
    const whole = before.length > 0 ? Buffer.concat([...before, body]) : body;
    const answer = answerer
      ? await answerer(this.#question(head, whole))
      : pack({ kind: "not-owner" });
    const [first, ...rest] = this.#outbound.split(answer);
    if (rest.length > 0 && !this.#outbound.keep(reply, rest)) {
      const facts = { sent: true };
      const message = "The answer is too large for now.";
      return { pieces: 0, body: pack({ kind: "error", code: "too-large", message, facts }) };
    }
    return { pieces: rest.length, body: first };
  }

  #question(head: Letter["head"], body: Uint8Array): Question {
    const { op, key, revision, deadline } = head;
    const [node = "", epoch] = head.from.split(".");
    const from = { node, epoch: Number(epoch) };
    const call = Number(head.reply.split(":")[1]);
    return {
      ...{ op, key, revision, deadline, body, from, call },
      tell: (text, method) => this.#notes.add(from, { call, text, method }),
      untold: () => this.#notes.take(from, call),
    };
  }

  #sendNotes(to: Member, notes: readonly Note[]): void {
    const from = this.#address;
    if (from === undefined) return;
    try {
      const head = { ...headTo(nameOf(to), ""), op: NOTES };
      const sealed = this.#options.envelopes.seal(from, head, pack({ notes }));
      this.#engine.bus.publish(`r.${nameOf(to)}`, sealed);
    } catch {
      // Too much for one message, or no engine: progress may be lost.
    }
  }

  #hear(sealed: Uint8Array, address: string): void {
    const letter = this.#open(sealed, address);
    if (letter?.head.op !== NOTES) return;
    for (const note of unpack<{ notes: Note[] }>(letter.body).facts.notes) {
      const pending = this.#pending.get(note.call);
      // Of the process that was asked, and of no other.
      if (pending && nameOf(pending.to) === letter.head.from) pending.onNote?.(note);
    }
  }

  #open(sealed: Uint8Array, address: string): Letter | undefined {
    try {
      return this.#inbox.open(sealed, address);
    } catch (error) {
      if (!(error instanceof EnvelopeError)) throw error;
      this.#options.onRefused?.(error.code, error.message);
      return undefined;
    }
  }
}

function lostError(to: Member): LostAnswerError {
  return new LostAnswerError(`The answer of ${nameOf(to)} was lost.`);
}

/** Nothing has happened. */
function unaskedError(): EngineError {
  return new EngineError("no-responders", "It was not asked: one of the two has no lease.");
}

function headTo(to: string, server: string): Head {
  return { op: "news", server, key: "", revision: 0, to, reply: "", pieces: 0, deadline: 0 };
}
