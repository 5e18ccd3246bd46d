import { EngineError } from "../engine/errors.ts";
import type { Posted } from "./bundle.ts";
import type { CallTable } from "./call-table.ts";
import type { Head, Letter } from "./envelope.ts";
import type { Note } from "./notes.ts";

/** Who hears what becomes of a question: an answer or a failure, once. */
export interface Asker {
  onAnswer(body: string): void;
  /** An `EngineError` of the bus, of which `no-responders` means that nothing happened, or a `LostAnswerError`. */
  onFail(error: unknown): void;
  onNote?: ((note: Note) => void) | undefined;
}

/** The process that was asked is gone, or what came back is not its answer. */
export class LostAnswerError extends Error {
  override name = "LostAnswerError";
}

/** What is asked, and by whom. */
interface Question {
  head: Head;
  body: string;
  asker: Asker;
}

/** A question that somebody waits for; it is among the others until it is over. */
export class Asked implements Posted {
  readonly head: Head;
  readonly body: string;
  /** Hears the next letter in its place, while it is asked or answered in pieces. */
  aside: ((letter: Letter | undefined, error?: unknown) => void) | undefined;
  readonly #others: CallTable<Asked>;
  #asker: Asker | undefined;
  #hasLeft = false;
  #hasBegun = false;

  constructor(others: CallTable<Asked>, { head, body, asker }: Question) {
    this.head = head;
    this.body = body;
    this.#asker = asker;
    this.#others = others;
    others.set(head.call, this);
  }

  /** Nothing has come of it yet. */
  get isWaiting(): boolean {
    return !this.isOver && !this.#hasBegun;
  }

  get isOver(): boolean {
    return this.#asker === undefined;
  }

  leave(): boolean {
    // Somebody else may be asked by now.
    if (this.isOver) return false;
    this.#hasLeft = true;
    return true;
  }

  /** Its answer has begun to come; of a large one the rest is being fetched. */
  begin(): void {
    this.#hasBegun = true;
  }

  note(note: Note): void {
    this.#asker?.onNote?.(note);
  }

  finish(body: string): void {
    this.#end()?.onAnswer(body);
  }

  /** The message that it went with failed; if an answer has begun to come, that says nothing of the rest. */
  fail(error: unknown): void {
    if (!this.#hasBegun) this.end(error);
  }

  end(error: unknown): void {
    this.#end()?.onFail(error);
    this.aside?.(undefined, error);
  }

  /** Its answer will not come. */
  lose(): void {
    const { to } = this.head;
    const lost = new LostAnswerError(`The answer of ${to} was lost.`);
    this.end(this.#hasLeft ? lost : unaskedError());
  }

  /** Nobody waits for it any more. */
  forget(): void {
    this.#end();
  }

  /** Who is to hear how it ended. */
  #end(): Asker | undefined {
    const asker = this.#asker;
    this.#others.delete(this.head.call);
    this.#asker = undefined;
    return asker;
  }
}

/** Nothing has happened. */
export function unaskedError(): EngineError {
  return new EngineError("no-responders", "It was not asked: one of the two has no lease.");
}
