import type { MessageText } from "../json-rpc/serialize.ts";

type Id = string | number;

const STAY = 30_000;
/** Characters of answers that are kept for one ticket, for all tickets of a user, and for everybody. */
const MOST_OF_TICKET = 2 ** 20;
const MOST_OF_USER = 4 * 2 ** 20;
const MOST_OF_ALL = 64 * 2 ** 20;

/** Whom answers are for. */
export interface Recipient {
  /** The user whose room its kept answers take. */
  readonly user: string;
  tell(text: MessageText): void;
}

/** Answers that wait, for half a minute, for a View whose connection broke. */
export class Parking {
  // Those who have asked something on a connection that is open, or had a request under way when it broke.
  readonly #spaces = new Map<string, Space>();
  readonly #room = new Room();
  #anonymous = 0;

  /** A View comes again: what it left here, if anything. */
  find(ticket: string | undefined, recipient: Recipient): Lot | undefined {
    const space = ticket === undefined ? undefined : this.#spaces.get(ticket);
    // Of a connection that is open and has nothing under way there is nothing to take over.
    if (!space || space.running.length + space.answers.size === 0) return undefined;
    const room = this.#room;
    return new Lot(this.#spaces, { ticket, key: `${ticket}`, recipient, space, room });
  }

  /** A View has its first request. Without a ticket nothing can be kept for it. */
  open(ticket: string | undefined, recipient: Recipient): Lot {
    const key = ticket ?? `anonymous-${++this.#anonymous}`;
    const room = this.#room;
    return new Lot(this.#spaces, { ticket, key, recipient, space: undefined, room });
  }

  /** Whether anything is under way. */
  busy(): boolean {
    return [...this.#spaces.values()].some(({ running }) => running.length > 0);
  }

  close(): void {
    for (const { timer } of this.#spaces.values()) clearTimeout(timer);
    this.#spaces.clear();
  }
}

/** Room for kept answers: a user with many tickets must not take the memory of all. */
class Room {
  readonly #users = new Map<string, number>();
  #taken = 0;

  take(user: string, size: number): boolean {
    const taken = (this.#users.get(user) ?? 0) + size;
    if (taken > MOST_OF_USER || this.#taken + size > MOST_OF_ALL) return false;
    this.#users.set(user, taken);
    this.#taken += size;
    return true;
  }

  free(user: string, size: number): void {
    const left = (this.#users.get(user) ?? 0) - size;
    if (left > 0) this.#users.set(user, left);
    else this.#users.delete(user);
    this.#taken -= size;
  }
}

interface Space {
  /** Few: an array is quicker than a `Set` that is emptied again and again. */
  running: Id[];
  answers: Map<Id, MessageText>;
  size: number;
  /** Of the connection there is, if any. */
  recipient: Recipient | undefined;
  timer?: NodeJS.Timeout | undefined;
}

/** What one View has under way. */
export class Lot {
  /** Requests of an earlier connection, of which the answer is here or will come. */
  readonly pending: readonly Id[];
  readonly #spaces: Map<string, Space>;
  readonly #key: string;
  readonly #isKept: boolean;
  readonly #recipient: Recipient;
  readonly #room: Room;
  #space: Space | undefined;

  constructor(
    spaces: Map<string, Space>,
    of: {
      ticket: string | undefined;
      key: string;
      recipient: Recipient;
      space: Space | undefined;
      room: Room;
    },
  ) {
    this.#spaces = spaces;
    this.#key = of.key;
    this.#isKept = of.ticket !== undefined;
    this.#recipient = of.recipient;
    this.#room = of.room;
    this.#space = of.space;
    this.pending = of.space ? [...of.space.running, ...of.space.answers.keys()] : [];
    if (of.space) this.#takeOver(of.space);
  }

  begin(id: Id): void {
    this.#space ??= {
      running: [],
      answers: new Map(),
      size: 0,
      recipient: this.#recipient,
    };
    const { running } = this.#space;
    if (running.length === 0) this.#spaces.set(this.#key, this.#space);
    running.push(id);
  }

  end(id: Id, answer: MessageText | undefined): void {
    const space = this.#space;
    const place = space?.running.indexOf(id) ?? -1;
    if (!space || place < 0) return;
    space.running.splice(place, 1);
    if (answer === undefined) return;
    if (space.recipient) {
      space.recipient.tell(answer);
      return;
    }
    // What does not fit is of unknown outcome to the Host: it is not in the list.
    const { length } = answer;
    if (space.size + length > MOST_OF_TICKET || !this.#room.take(this.#recipient.user, length))
      return;
    space.size += length;
    space.answers.set(id, answer);
  }

  /** The View is gone; what it had under way is given up unless it comes back in time. */
  leave(giveUp: () => void): void {
    const space = this.#spaces.get(this.#key);
    // Nothing was asked, or another connection under the same ticket has taken over.
    if (!space || space.recipient !== this.#recipient) return;
    if (space.running.length === 0) {
      this.#spaces.delete(this.#key);
      return;
    }
    space.recipient = undefined;
    const end = (): void => {
      this.#spaces.delete(this.#key);
      this.#empty(space);
      giveUp();
    };
    if (this.#isKept) space.timer = setTimeout(end, STAY).unref();
    else end();
  }

  #takeOver(space: Space): void {
    clearTimeout(space.timer);
    space.recipient = this.#recipient;
    const waiting = [...space.answers.values()];
    this.#empty(space);
    if (space.running.length === 0) this.#spaces.delete(this.#key);
    // After the word of welcome, which says what is to come.
    queueMicrotask(() => {
      for (const answer of waiting) this.#recipient.tell(answer);
    });
  }
  #empty(space: Space): void {
    this.#room.free(this.#recipient.user, space.size);
    space.answers.clear();
    space.size = 0;
  }
}
