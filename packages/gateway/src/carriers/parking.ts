type Id = string | number;

const STAY = 30_000;
const MOST_BYTES = 2 ** 20;

/** Answers that wait, for half a minute, for a View whose connection broke. */
export class Parking {
  // Only those who have a request under way, or had one when their connection broke.
  readonly #spaces = new Map<string, Space>();

  /** A View comes, for the first time or again. Without a ticket nothing can be kept for it. */
  enter(ticket: string | undefined, deliver: (text: string) => void): Lot {
    return new Lot(this.#spaces, ticket, deliver);
  }

  /** Whether anything is under way. */
  busy(): boolean {
    return [...this.#spaces.values()].some(({ running }) => running.size > 0);
  }

  close(): void {
    for (const { timer } of this.#spaces.values()) clearTimeout(timer);
    this.#spaces.clear();
  }
}

interface Space {
  running: Set<Id>;
  answers: Map<Id, string>;
  size: number;
  /** Of the connection there is, if any. */
  deliver: ((text: string) => void) | undefined;
  timer?: NodeJS.Timeout | undefined;
}

let anonymous = 0;

/** What one View has under way. */
export class Lot {
  /** Requests of an earlier connection, of which the answer is here or will come. */
  readonly pending: readonly Id[];
  readonly #spaces: Map<string, Space>;
  readonly #key: string;
  readonly #isKept: boolean;
  readonly #deliver: (text: string) => void;
  #space: Space | undefined;

  constructor(
    spaces: Map<string, Space>,
    ticket: string | undefined,
    deliver: (text: string) => void,
  ) {
    this.#spaces = spaces;
    this.#key = ticket ?? `anonymous-${++anonymous}`;
    this.#isKept = ticket !== undefined;
    this.#deliver = deliver;
    this.#space = spaces.get(this.#key);
    const { running = [], answers } = this.#space ?? {};
    this.pending = [...running, ...(answers?.keys() ?? [])];
    if (this.#space) this.#takeOver(this.#space);
  }

  begin(id: Id): void {
    this.#space ??= { running: new Set(), answers: new Map(), size: 0, deliver: this.#deliver };
    const { running } = this.#space;
    if (running.size === 0) this.#spaces.set(this.#key, this.#space);
    running.add(id);
  }

  end(id: Id, answer: string): void {
    const space = this.#space;
    if (!space?.running.delete(id)) return;
    if (space.deliver) {
      if (space.running.size === 0) this.#spaces.delete(this.#key);
      space.deliver(answer);
      return;
    }
    space.size += answer.length;
    // What does not fit is of unknown outcome to the Host: it is not in the list.
    if (space.size <= MOST_BYTES) space.answers.set(id, answer);
  }

  /** The View is gone; what it had under way is given up unless it comes back in time. */
  leave(giveUp: () => void): void {
    const space = this.#spaces.get(this.#key);
    // Nothing is under way, or another connection under the same ticket has taken over.
    if (!space || space.deliver !== this.#deliver) return;
    space.deliver = undefined;
    const end = (): void => {
      this.#spaces.delete(this.#key);
      giveUp();
    };
    if (this.#isKept) space.timer = setTimeout(end, STAY).unref();
    else end();
  }

  #takeOver(space: Space): void {
    clearTimeout(space.timer);
    space.deliver = this.#deliver;
    const waiting = [...space.answers.values()];
    space.answers.clear();
    space.size = 0;
    if (space.running.size === 0) this.#spaces.delete(this.#key);
    // After the word of welcome, which says what is to come.
    queueMicrotask(() => {
      for (const answer of waiting) this.#deliver(answer);
    });
  }
}
