import type { MessageText } from "../json-rpc/serialize.ts";
import type { Caller } from "../policy/caller.ts";

type Id = string | number;

const STAY = 30_000;
/** Characters of responses kept per ticket, per user, and in total. */
const MOST_OF_TICKET = 2 ** 20;
const MOST_OF_USER = 4 * 2 ** 20;
const MOST_OF_ALL = 64 * 2 ** 20;

/** The receiver of responses. */
export interface Recipient {
  /** The user whose quota the kept responses count towards. */
  readonly user: string;
  readonly caller: Caller;
  send(text: MessageText): void;
}

/** Keeps the responses for a View whose connection broke, for half a minute. */
export class ResumeBuffer {
  // Tickets with requests on an open connection, or with requests in progress when their connection broke.
  readonly #states = new Map<string, TicketState>();
  readonly #quota = new Quota();
  #anonymous = 0;

  /** Called when a View connects. Takes over what it left behind. Without a ticket, nothing can be kept. */
  open(ticket: string | undefined, recipient: Recipient): PendingResponses {
    const key = ticket ?? `anonymous-${++this.#anonymous}`;
    const left = this.#states.get(key);
    // A connection that is open and has no requests in progress has nothing to take over.
    const state = left && left.running.length + left.answers.size > 0 ? left : undefined;
    const isKept = ticket !== undefined;
    return new PendingResponses(this.#states, {
      ...{ key, isKept, recipient, state, quota: this.#quota },
    });
  }

  /** Cancels the requests of some callers and drops their responses. */
  end(which: (caller: Caller) => boolean): void {
    for (const { owner, end } of [...this.#states.values()]) if (which(owner)) end?.();
  }

  /** Whether any request is in progress. */
  busy(): boolean {
    return [...this.#states.values()].some(({ running }) => running.length > 0);
  }

  close(): void {
    for (const { timer } of this.#states.values()) clearTimeout(timer);
    this.#states.clear();
  }
}

/** Limits the kept responses, so that a user with many tickets can't use all memory. */
class Quota {
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

interface TicketState {
  /** An id can occur twice: a View may reuse one after it reconnects. */
  running: Id[];
  answers: Map<Id, MessageText>;
  size: number;
  /** The open connection, if any. */
  recipient: Recipient | undefined;
  readonly owner: Caller;
  timer?: NodeJS.Timeout | undefined;
  /** Cancels the requests. Undefined while the connection is open. */
  end?: (() => void) | undefined;
}

/** The requests and kept responses of one View. */
export class PendingResponses {
  /** Requests of an earlier connection whose responses are here or will come. */
  readonly pending: readonly Id[];
  readonly #states: Map<string, TicketState>;
  readonly #key: string;
  readonly #isKept: boolean;
  readonly #recipient: Recipient;
  readonly #quota: Quota;
  #state: TicketState | undefined;

  constructor(
    states: Map<string, TicketState>,
    of: {
      key: string;
      isKept: boolean;
      recipient: Recipient;
      state: TicketState | undefined;
      quota: Quota;
    },
  ) {
    this.#states = states;
    this.#key = of.key;
    this.#isKept = of.isKept;
    this.#recipient = of.recipient;
    this.#quota = of.quota;
    this.#state = of.state;
    this.pending = of.state ? [...of.state.running, ...of.state.answers.keys()] : [];
    if (of.state) this.#takeOver(of.state);
  }

  begin(id: Id): void {
    this.#state ??= {
      running: [],
      answers: new Map(),
      size: 0,
      recipient: this.#recipient,
      owner: this.#recipient.caller,
    };
    const { running } = this.#state;
    if (running.length === 0) this.#states.set(this.#key, this.#state);
    running.push(id);
  }

  end(id: Id, answer: MessageText | undefined): void {
    const state = this.#state;
    const index = state?.running.indexOf(id) ?? -1;
    if (!state || index < 0) return;
    state.running.splice(index, 1);
    if (answer === undefined) return;
    if (state.recipient) {
      state.recipient.send(answer);
      return;
    }
    // A response that doesn't fit isn't listed, so the Host reports an unknown outcome.
    const { length } = answer;
    if (state.size + length > MOST_OF_TICKET || !this.#quota.take(this.#recipient.user, length))
      return;
    state.size += length;
    state.answers.set(id, answer);
  }

  /** Called when the View disconnects. Its requests are cancelled unless it reconnects in time. */
  disconnect(onTimeout: () => void): void {
    const state = this.#states.get(this.#key);
    // No request is in progress, or another connection with the same ticket took over.
    if (!state || state.recipient !== this.#recipient) return;
    if (state.running.length === 0) {
      this.#states.delete(this.#key);
      return;
    }
    state.recipient = undefined;
    const end = (): void => {
      clearTimeout(state.timer);
      this.#states.delete(this.#key);
      this.#empty(state);
      onTimeout();
    };
    state.end = end;
    if (this.#isKept) state.timer = setTimeout(end, STAY).unref();
    else end();
  }

  #takeOver(state: TicketState): void {
    clearTimeout(state.timer);
    state.end = undefined;
    state.recipient = this.#recipient;
    const waiting = [...state.answers.values()];
    this.#empty(state);
    if (state.running.length === 0) this.#states.delete(this.#key);
    // Sent after the welcome message, which lists them.
    queueMicrotask(() => {
      for (const answer of waiting) this.#recipient.send(answer);
    });
  }
  #empty(state: TicketState): void {
    this.#quota.free(this.#recipient.user, state.size);
    state.answers.clear();
    state.size = 0;
  }
}
