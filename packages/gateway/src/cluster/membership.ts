// Who is alive. Each process holds one lease, a key of the bucket `nodes`, and renews it every second. The
// revision of its creation is the epoch: no other lease has had it or will have it.
//
// Why no two processes own the same thing at once. Let `b` be the moment at which the owner began the last
// renewal that succeeded. The engine wrote it no earlier than `b`, so the lease does not expire before
// `b + ttl`. The owner stops acting at `b + 0.6 ttl`, by a clock that nobody sets, and ends what it owns; it
// has `0.4 ttl` for that. A successor acts one second after it saw the lease expire, hence after
// `b + ttl + 1 s`; where it only sees that the lease is gone, it waits `ttl + 1 s` from then on. The second is
// for brokers whose clocks differ. A process that is stopped finds its time gone when it goes on, and its guard
// has ended its children meanwhile; where a machine sleeps with its clock, the first renewal afterwards fails.

import { randomBytes } from "node:crypto";
import type { Role } from "../config/config.ts";
import type { Change, Engine, Entry, Kv } from "../engine/engine.ts";
import { EngineError } from "../engine/errors.ts";
import { now } from "../monotonic-clock.ts";

/** A process in one of its lives. */
export interface Member {
  readonly node: string;
  readonly epoch: number;
}

/** How a process takes part. Times in milliseconds. */
export interface MembershipOptions {
  roles?: readonly Role[];
  /** After which a lease that is not renewed is gone. */
  ttl?: number;
  /** Between two renewals. */
  renewal?: number;
  /** What a successor waits on top. */
  grace?: number;
  /** A clock that nobody sets. */
  now?: () => number;
}

interface Living {
  epoch: number;
  roles: readonly Role[];
  /** When the last sign of life was seen. */
  seenAt: number;
}

interface Lease {
  readonly epoch: number;
  readonly revision: number;
  /** When the renewal began that it lives by. */
  readonly renewedAt: number;
}

/** The share of its time that a lease may be acted on. */
const TRUST = 0.6;
const ALL_ROLES: readonly Role[] = ["edge", "runner", "archiver"];
const MOST_GONE = 10_000;
const ATTEMPTS = 5;

/** The lease of this process, and what is known of the others'. */
export class Membership {
  readonly node: string = randomBytes(12).toString("hex");
  readonly roles: readonly Role[];
  readonly ttl: number;
  readonly #renewal: number;
  readonly #grace: number;
  readonly #now: () => number;
  readonly #kv: Kv;
  readonly #living = new Map<string, Living>();
  /** When those who are gone may be succeeded. */
  readonly #gone = new Map<string, number>();
  readonly #onFence = new Set<() => Promise<void> | void>();
  readonly #onJoin = new Set<(epoch: number) => void>();
  readonly #onGone = new Set<(member: Member) => void>();
  readonly #onBeat = new Set<(time: number) => void>();
  readonly #stopWatching: () => void;
  readonly #watched = Promise.withResolvers<void>();
  #lease: Lease | undefined;
  #answeredAt: number;
  #fenceTimer: NodeJS.Timeout | undefined;
  #tickTimer: NodeJS.Timeout | undefined;
  #fencing: Promise<void> | undefined;
  #isClosed = false;

  constructor(engine: Engine, options: MembershipOptions = {}) {
    this.roles = options.roles ?? ALL_ROLES;
    this.ttl = options.ttl ?? 5000;
    this.#renewal = options.renewal ?? this.ttl / 5;
    this.#grace = options.grace ?? 1000;
    this.#now = options.now ?? now;
    this.#answeredAt = this.#now();
    this.#kv = engine.kv("nodes", { ttl: this.ttl });
    this.#stopWatching = this.#kv.watch((change) => this.#see(change), {
      onReady: this.#watched.resolve,
    });
  }

  /** The epoch, while this process may act as an owner. */
  get epoch(): number | undefined {
    const lease = this.#lease;
    if (!lease || this.#fencing) return undefined;
    return this.#now() - lease.renewedAt < TRUST * this.ttl ? lease.epoch : undefined;
  }

  /** Milliseconds since the engine last answered. */
  get silence(): number {
    return this.#now() - this.#answeredAt;
  }

  /** Takes the first lease; rejects if the engine does not give it. */
  async join(): Promise<void> {
    await this.#watched.promise;
    // An engine that was just set up may take its time; an answer that came too late is in the way.
    for (let attempt = 1; this.#lease === undefined; attempt++) {
      const joining = attempt === 1 ? this.#take() : this.#rejoin();
      await joining.catch((error: unknown) => {
        if (attempt === ATTEMPTS) throw error;
      });
    }
    this.#schedule();
  }

  /** Whether a process is in that life, as far as is known here. */
  isAlive({ node, epoch }: Member): boolean {
    return node === this.node ? this.epoch === epoch : this.#living.get(node)?.epoch === epoch;
  }

  /** Those who have a role. */
  members(role: Role): Member[] {
    return [...this.#living]
      .filter(([node, { roles }]) => roles.includes(role) && node !== this.node)
      .map(([node, { epoch }]) => ({ node, epoch }));
  }

  /** Milliseconds until what a process owned may be taken over; nothing while it lives. */
  succession(member: Member): number | undefined {
    if (this.isAlive(member)) return undefined;
    // What this process owned in a former life has been ended before the next one began.
    if (member.node === this.node && this.epoch !== undefined && member.epoch < this.epoch)
      return 0;
    const key = nameOf(member);
    const since = this.#gone.get(key) ?? this.#miss(key);
    return Math.max(0, since - this.#now());
  }

  /** Hears that this process may not act as an owner any more; it waits for those who tidy up. */
  onFence(fn: () => Promise<void> | void): () => void {
    this.#onFence.add(fn);
    return () => this.#onFence.delete(fn);
  }

  /** Hears of each epoch of this process, at once of the present one. */
  onJoin(fn: (epoch: number) => void): () => void {
    if (this.#lease) fn(this.#lease.epoch);
    this.#onJoin.add(fn);
    return () => this.#onJoin.delete(fn);
  }

  /** Hears of others who are gone. */
  onGone(fn: (member: Member) => void): () => void {
    this.#onGone.add(fn);
    return () => this.#onGone.delete(fn);
  }

  /** Hears of each renewal, with the milliseconds for which it may be acted on. */
  onBeat(fn: (time: number) => void): () => void {
    this.#onBeat.add(fn);
    return () => this.#onBeat.delete(fn);
  }

  /** Gives the lease back; what was owned has to be ended before. */
  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    clearTimeout(this.#fenceTimer);
    clearTimeout(this.#tickTimer);
    this.#stopWatching();
    const lease = this.#lease;
    this.#lease = undefined;
    if (lease) await this.#kv.delete(this.node, lease.revision).catch(() => {});
  }

  #schedule(elapsed = 0): void {
    if (this.#isClosed) return;
    this.#tickTimer = setTimeout(() => void this.#tick(), Math.max(0, this.#renewal - elapsed));
    this.#tickTimer.unref();
  }

  /** Half an answer to the question whether the engine is there is no answer. */
  async #inTime<T>(asking: Promise<T>): Promise<T> {
    const { promise, reject } = Promise.withResolvers<never>();
    const late = new EngineError("timeout", `No answer within ${this.#renewal} ms.`);
    const timer = setTimeout(() => reject(late), this.#renewal);
    try {
      const answer = await Promise.race([asking, promise]);
      this.#answeredAt = this.#now();
      return answer;
    } catch (error) {
      if (isCode(error, "conflict") || isCode(error, "exists")) this.#answeredAt = this.#now();
      throw error;
    } finally {
      clearTimeout(timer);
    }
  }

  async #tick(): Promise<void> {
    const began = this.#now();
    try {
      if (this.#lease && this.epoch !== undefined) await this.#renew(this.#lease);
      else await this.#rejoin();
      await this.#askAboutSilent();
    } catch {
      // The engine does not answer: the clock decides, here and elsewhere.
    }
    this.#schedule(this.#now() - began);
  }

  async #renew(lease: Lease): Promise<void> {
    const began = this.#now();
    const { epoch } = lease;
    try {
      const renewing = this.#kv.update(this.node, this.#value(epoch), lease.revision);
      this.#hold({ epoch, revision: await this.#inTime(renewing), renewedAt: began });
    } catch (error) {
      if (!isCode(error, "conflict")) throw error;
      // An earlier renewal may have arrived although its answer did not; this one still has to.
      const entry = await this.#inTime(this.#kv.get(this.node));
      if (this.#lease !== lease) return;
      if (entry && entry.revision !== lease.revision && read(entry).epoch === epoch) {
        this.#lease = { ...lease, revision: entry.revision };
        await this.#renew(this.#lease);
      } else await this.#fence();
    }
  }

  async #take(): Promise<void> {
    const began = this.#now();
    const epoch = await this.#inTime(this.#kv.create(this.node, this.#value()));
    if (this.#isClosed) return;
    this.#hold({ epoch, revision: epoch, renewedAt: began });
    for (const fn of this.#onJoin) fn(epoch);
  }

  /** The old life first ends altogether: its lease stands in the way until then. */
  async #rejoin(): Promise<void> {
    await this.#fence();
    const old = await this.#inTime(this.#kv.get(this.node));
    if (old) await this.#inTime(this.#kv.delete(this.node, old.revision));
    if (!this.#isClosed) await this.#take();
  }

  #hold(lease: Lease): void {
    // An answer that took so long that the process has been fenced meanwhile is none.
    const rest = lease.renewedAt + TRUST * this.ttl - this.#now();
    if (this.#isClosed || (this.#lease?.epoch !== lease.epoch && lease.revision !== lease.epoch)) {
      return;
    }
    this.#lease = lease;
    clearTimeout(this.#fenceTimer);
    this.#fenceTimer = setTimeout(() => void this.#fence(), Math.max(0, rest));
    this.#fenceTimer.unref();
    if (rest > 0) for (const fn of this.#onBeat) fn(rest);
  }

  /** Ends what this process owns. Whoever asks meanwhile waits for the same end. */
  #fence(): Promise<void> {
    if (!this.#lease) return this.#fencing ?? Promise.resolve();
    clearTimeout(this.#fenceTimer);
    this.#lease = undefined;
    const ended = Promise.allSettled([...this.#onFence].map(async (fn) => fn()));
    this.#fencing = ended.then(() => {
      this.#fencing = undefined;
    });
    return this.#fencing;
  }

  #see({ key: node, entry, reason }: Change): void {
    const before = this.#living.get(node);
    if (entry) {
      const { epoch, roles } = read(entry);
      this.#living.set(node, { epoch, roles, seenAt: this.#now() });
      if (before && before.epoch !== epoch) this.#lose({ node, epoch: before.epoch }, false);
      return;
    }
    if (!before) return;
    this.#living.delete(node);
    this.#lose({ node, epoch: before.epoch }, reason === "expired");
  }

  #lose(member: Member, isExpired: boolean): void {
    const wait = isExpired ? this.#grace : this.ttl + this.#grace;
    this.#note(nameOf(member), this.#now() + wait);
    for (const fn of this.#onGone) fn(member);
  }

  #miss(key: string): number {
    const at = this.#now() + this.ttl + this.#grace;
    this.#note(key, at);
    return at;
  }

  #note(key: string, at: number): void {
    this.#gone.set(key, at);
    const [oldest] = this.#gone.keys();
    if (this.#gone.size > MOST_GONE && oldest !== undefined) this.#gone.delete(oldest);
  }

  /** A watch tells of the end only where the engine can, and only while it is not cut off. */
  async #askAboutSilent(): Promise<void> {
    const before = this.#now() - 1.2 * this.ttl;
    for (const [node, { seenAt }] of this.#living) {
      if (node === this.node || seenAt > before) continue;
      const entry = await this.#inTime(this.#kv.get(node));
      // Expired or deleted: nobody knows, so the longer wait holds.
      this.#see({ key: node, entry, reason: entry ? "put" : "deleted" });
    }
  }

  #value(epoch?: number): Uint8Array {
    return Buffer.from(JSON.stringify({ epoch, roles: this.roles }));
  }
}

const names = new WeakMap<Member, string>();

/** A process in one of its lives, in a word; made once, because each call compares it. */
export function nameOf(member: Member): string {
  let name = names.get(member);
  if (name === undefined) {
    name = `${member.node}.${member.epoch}`;
    names.set(member, name);
  }
  return name;
}

/** Who writes for the first time does not know the revision yet: it is the entry's. */
function read({ value, revision }: Entry): { epoch: number; roles: readonly Role[] } {
  const { epoch = revision, roles } = JSON.parse(Buffer.from(value).toString()) as {
    epoch?: number;
    roles: readonly Role[];
  };
  return { epoch, roles };
}

/** Whether an engine failed in a certain way. */
export function isCode(error: unknown, code: EngineError["code"]): boolean {
  return error instanceof EngineError && error.code === code;
}
