// Tracks what callers use of this process: messages, requests in flight, sockets and bytes of bodies. Counts
// before a message is parsed, so that a flood slows down its sender and not other tenants.

import type { Caller } from "./caller.ts";
import { FairTurns } from "./fair-turns.ts";

/** Limits per user. The limits of tickets and tenants follow from them. */
export interface TrafficLimits {
  /** Requests that the policy allows. Five times as many messages of any kind are read. */
  userPerMinute: number;
  userAtOnce: number;
  /** Open WebSockets. */
  ticketSockets: number;
  userSockets: number;
  tenantSockets: number;
  /** Bytes of HTTP bodies in memory and of unread responses, for all tenants together. */
  bodyBytes: number;
}

export const TRAFFIC_LIMITS: TrafficLimits = {
  userPerMinute: 1200,
  userAtOnce: 64,
  ticketSockets: 16,
  userSockets: 64,
  tenantSockets: 4096,
  bodyBytes: 64 * 2 ** 20,
};

/** The limits of a ticket, a user, a tenant, or of all tenants together. */
interface Level {
  perSecond: number;
  burst: number;
  atOnce: number;
  sockets: number;
  bodyBytes: number;
  /** Bytes of responses that the client hasn't read yet. */
  unread: number;
}

interface Account {
  readonly level: Level;
  tokens: number;
  at: number;
  atOnce: number;
  sockets: number;
  bodyBytes: number;
  unread: number;
}

type Countable = "atOnce" | "sockets" | "bodyBytes" | "unread";

const MINUTE = 60_000;
/** Burst size in seconds. A larger burst would be served before anyone else's next message. */
const BURST = 0.5;
const TENANT_BURST = 2;
const MESSAGES_PER_REQUEST = 5;
const USERS = 20;
/** Each of these many bytes counts as another message, because a large message takes more time. */
const PIECE = 2 ** 12;
const SWEEP = 10_000;
// Not Infinity, because Infinity times 0 is NaN.
const MANY = 1e15;
const UNLIMITED = { perSecond: MANY, burst: MANY, atOnce: MANY, sockets: MANY };

/** The traffic of one process. */
export class Traffic {
  readonly #levels: Readonly<Record<"ticket" | "user" | "tenant", Level>>;
  readonly #accounts = new Map<string, Account>();
  readonly #all: Account;
  readonly #turns = new FairTurns();
  #swept = 0;

  /** `largest` is the maximum body size. Every caller may have one body of that size. */
  constructor(limits: TrafficLimits, largest: number) {
    const perSecond = (limits.userPerMinute * MESSAGES_PER_REQUEST) / 60;
    const share = (part: number): number => Math.max(largest, limits.bodyBytes / part);
    const user: Level = {
      perSecond,
      burst: Math.max(1, perSecond * BURST),
      atOnce: 2 * limits.userAtOnce,
      sockets: limits.userSockets,
      bodyBytes: share(8),
      unread: share(2),
    };
    this.#levels = {
      user,
      ticket: { ...user, sockets: limits.ticketSockets },
      tenant: {
        perSecond: USERS * perSecond,
        burst: Math.max(1, TENANT_BURST * perSecond),
        atOnce: USERS * limits.userAtOnce,
        sockets: limits.tenantSockets,
        bodyBytes: share(4),
        unread: share(1),
      },
    };
    this.#all = open({ ...UNLIMITED, bodyBytes: share(1), unread: 2 * share(1) });
  }

  /** Returns the accounts that a caller's traffic is charged to. */
  meter({ tenant, user, ticket }: Caller): Meter {
    this.#sweep();
    const accounts = [
      this.#all,
      this.#account("tenant", tenant),
      this.#account("user", JSON.stringify([tenant, user])),
    ];
    if (ticket) accounts.push(this.#account("ticket", ticket.jti));
    return new Meter(accounts, (start) => this.#turns.run(tenant, start));
  }

  #account(kind: "ticket" | "user" | "tenant", name: string): Account {
    const key = `${kind} ${name}`;
    let account = this.#accounts.get(key);
    if (!account) {
      account = open(this.#levels[kind]);
      this.#accounts.set(key, account);
    }
    return account;
  }

  /** Removes accounts that are idle and have all their tokens. */
  #sweep(): void {
    const at = performance.now();
    if (at - this.#swept < SWEEP) return;
    this.#swept = at;
    for (const [key, account] of this.#accounts) {
      const isUsed = account.atOnce + account.sockets + account.bodyBytes + account.unread > 0;
      if (!isUsed && at - account.at > MINUTE) this.#accounts.delete(key);
    }
  }
}

/** The accounts of one caller. Each method counts in all of them or in none. */
export class Meter {
  readonly #accounts: readonly Account[];
  /** Calls `start` when the tenant is next in the queue. */
  readonly inTurn: (start: () => void) => void;

  constructor(accounts: readonly Account[], inTurn: (start: () => void) => void) {
    this.#accounts = accounts;
    this.inTurn = inTurn;
  }

  /** Counts a message. If it comes too soon, returns the milliseconds to wait instead. */
  take(bytes: number): number {
    const at = performance.now();
    let wait = 0;
    for (const account of this.#accounts) {
      const { perSecond, burst } = account.level;
      account.tokens = Math.min(burst, account.tokens + ((at - account.at) * perSecond) / 1000);
      account.at = at;
      if (account.tokens < 1) wait = Math.max(wait, ((1 - account.tokens) / perSecond) * 1000);
    }
    if (wait > 0) return Math.ceil(wait);
    this.#charge(1 + Math.floor(bytes / PIECE));
    return 0;
  }

  /** Charges a large response like a large message, which delays the caller's next message. */
  spend(bytes: number): void {
    this.#charge(Math.floor(bytes / PIECE));
  }

  /** Reserves an amount, unless a limit would be exceeded. */
  hold(what: Countable, amount = 1): boolean {
    for (const account of this.#accounts) {
      if (account[what] + amount > account.level[what]) return false;
    }
    for (const account of this.#accounts) account[what] += amount;
    return true;
  }

  /** Releases what `hold` reserved. */
  release(what: Countable, amount = 1): void {
    for (const account of this.#accounts) account[what] -= amount;
  }

  /** Charges at most a burst, so that one large message doesn't lock out its sender. */
  #charge(cost: number): void {
    for (const account of this.#accounts) {
      const least = Math.min(account.tokens, -account.level.burst);
      account.tokens = Math.max(least, account.tokens - cost);
    }
  }
}

function open(level: Level): Account {
  return {
    level,
    tokens: level.burst,
    at: performance.now(),
    atOnce: 0,
    sockets: 0,
    bodyBytes: 0,
    unread: 0,
  };
}
