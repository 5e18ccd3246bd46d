// Which processes are alive. Each process holds one lease, a key of the bucket `nodes`, and renews it every
// second. The revision at which the lease was created is its epoch, which no other lease ever has.
//
// Why two processes never own the same thing at once. Let `b` be the start of the owner's last successful
// renewal. The engine wrote it no earlier than `b`, so the lease doesn't expire before `b + ttl`. The owner
// stops acting at `b + 0.6 ttl`, by a monotonic clock, and has `0.4 ttl` to end what it owns. A successor acts
// one second after it saw the lease expire, hence after `b + ttl + 1 s`. If it only sees that the lease is
// gone, it waits `ttl + 1 s` from then on. The extra second allows for brokers whose clocks differ. A process
// that was paused finds its lease over when it continues, and its guard has ended its children by then. If a
// machine sleeps and its clock stops too, the first renewal afterwards fails.

import { randomBytes } from "node:crypto";
import type { ClusterMember, MemberFacts, Role } from "@vitrine/gateway/cluster-port";
import type { Change, Engine, Kv } from "@vitrine/gateway/engine";
import { EngineError } from "@vitrine/gateway/engine";
import { type MemberEntry, readEntry, writeEntry } from "./member-entry.ts";
import { commonWire, OWN_WIRE, type WireRange } from "./wire-version.ts";

/** A process in one epoch. */
export interface Member {
  readonly node: string;
  readonly epoch: number;
}

/** How a process takes part. Times in milliseconds. */
export interface MembershipOptions {
  roles?: readonly Role[];
  /** After this time without a renewal a lease is gone. */
  ttl?: number;
  /** Additional time that a successor waits. */
  grace?: number;
  /** A monotonic clock. */
  now?: () => number;
  /** The wire versions that this process supports. */
  wire?: WireRange;
  /** What the other processes learn about this one. */
  facts?: MemberFacts;
  /** Called with the other processes before this one joins. What it throws keeps this one out. */
  admit?: (others: readonly ClusterMember[]) => void;
}

interface Living extends MemberEntry {
  /** When the last sign of life was seen. */
  seenAt: number;
}

interface Lease {
  readonly epoch: number;
  readonly revision: number;
  /** The start of its last successful renewal. */
  readonly renewedAt: number;
}

/** The share of its TTL for which the owner of a lease may act. */
const TRUST = 0.6;
const ALL_ROLES: readonly Role[] = ["edge", "runner", "archiver"];
const MOST_GONE = 10_000;
const ATTEMPTS = 5;

/** The lease of this process, and the known leases of the others. */
export class Membership {
  readonly node: string = randomBytes(12).toString("hex");
  readonly roles: readonly Role[];
  readonly ttl: number;
  readonly wire: WireRange;
  readonly #facts: MemberFacts;
  readonly #admit: NonNullable<MembershipOptions["admit"]>;
  /** Time between two renewals. */
  readonly #renewal: number;
  readonly #grace: number;
  readonly #now: () => number;
  readonly #kv: Kv;
  readonly #living = new Map<string, Living>();
  /** When the successors of gone processes may act. */
  readonly #gone = new Map<string, number>();
  readonly #onFence = new Set<() => Promise<void> | void>();
  readonly #onJoin = new Set<(epoch: number) => void>();
  readonly #onGone = new Set<(member: Member) => void>();
  readonly #onRenew = new Set<(time: number) => void>();
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
    this.wire = options.wire ?? OWN_WIRE;
    this.#facts = options.facts ?? {};
    this.#admit = options.admit ?? (() => {});
    this.#renewal = this.ttl / 5;
    this.#grace = options.grace ?? 1000;
    this.#now = options.now ?? (() => performance.now());
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

  /** Takes the first lease. Rejects if the engine doesn't grant it. */
  async join(): Promise<void> {
    await this.#watched.promise;
    this.#admit(this.others());
    // A new engine may respond late; the lease of a late response has to be deleted first.
    for (let attempt = 1; this.#lease === undefined; attempt++) {
      const joining = attempt === 1 ? this.#take() : this.#rejoin();
      await joining.catch((error: unknown) => {
        if (attempt === ATTEMPTS) throw error;
      });
    }
    this.#schedule();
  }

  /** Whether a process is alive in that epoch, as far as this process knows. */
  isAlive({ node, epoch }: Member): boolean {
    return node === this.node ? this.epoch === epoch : this.#living.get(node)?.epoch === epoch;
  }

  /** The other processes that have a role, except those that share no wire version with this one. */
  members(role: Role): Member[] {
    return this.others()
      .filter(({ roles, version }) => roles.includes(role) && version !== undefined)
      .map(({ node, epoch }) => ({ node, epoch }));
  }

  /** All other processes. */
  others(): ClusterMember[] {
    const others = [...this.#living].filter(([node]) => node !== this.node);
    const epochs = others.map(([, { epoch }]) => epoch);
    const first = Math.min(this.#lease?.epoch ?? Number.POSITIVE_INFINITY, ...epochs);
    return others.map(([node, { epoch, roles, wire, facts }]) => ({
      ...{ node, epoch, roles, wire, facts, isFirst: epoch === first },
      version: commonWire(this.wire, wire),
    }));
  }

  /** The newest wire version that this process shares with another, or with all others that share any. */
  wireWith(node?: string): number | undefined {
    if (node === undefined) {
      const versions = this.others().map(({ version }) => version ?? this.wire.newest);
      return Math.min(this.wire.newest, ...versions);
    }
    const other = this.#living.get(node);
    // Its entry isn't known yet, so only the oldest version is safe.
    return other ? commonWire(this.wire, other.wire) : this.wire.oldest;
  }

  /**
   * Whether this process may own something: not while it shares no wire version with the process that joined
   * first, because others couldn't reach it.
   */
  get mayOwn(): boolean {
    return !this.others().some(({ version, isFirst }) => version === undefined && isFirst);
  }

  /** Milliseconds until a successor may take over; `undefined` while the process is alive. */
  succession(member: Member): number | undefined {
    if (this.isAlive(member)) return undefined;
    // This process ended everything of an earlier epoch before the current one started.
    if (member.node === this.node && this.epoch !== undefined && member.epoch < this.epoch)
      return 0;
    const key = nameOf(member);
    const since = this.#gone.get(key) ?? this.#miss(key);
    return Math.max(0, since - this.#now());
  }

  /** Calls `fn` when this process must stop acting as an owner, and waits for its promise. */
  onFence(fn: () => Promise<void> | void): () => void {
    this.#onFence.add(fn);
    return () => this.#onFence.delete(fn);
  }

  /** Calls `fn` with each epoch of this process, at once with the current one. */
  onJoin(fn: (epoch: number) => void): () => void {
    if (this.#lease) fn(this.#lease.epoch);
    this.#onJoin.add(fn);
    return () => this.#onJoin.delete(fn);
  }

  /** Calls `fn` with each other process that is gone. */
  onGone(fn: (member: Member) => void): () => void {
    this.#onGone.add(fn);
    return () => this.#onGone.delete(fn);
  }

  /** Calls `fn` after each renewal, with the milliseconds for which this process may act. */
  onRenew(fn: (time: number) => void): () => void {
    this.#onRenew.add(fn);
    return () => this.#onRenew.delete(fn);
  }

  /** Gives up the lease. The caller has ended everything it owned before. */
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

  /** Limits a request to the time of one renewal, and notes that the engine responded. */
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
      // The engine doesn't respond: the clock decides, here and in the other processes.
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
      // An earlier renewal may have succeeded although its response was lost; then this one is sent again.
      const entry = await this.#inTime(this.#kv.get(this.node));
      if (this.#lease !== lease) return;
      if (entry && entry.revision !== lease.revision && readEntry(entry).epoch === epoch) {
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

  /** Ends the old epoch completely first; its lease blocks a new one until then. */
  async #rejoin(): Promise<void> {
    await this.#fence();
    const old = await this.#inTime(this.#kv.get(this.node));
    if (old) await this.#inTime(this.#kv.delete(this.node, old.revision));
    if (!this.#isClosed) await this.#take();
  }

  #hold(lease: Lease): void {
    // A response that arrives after the process was fenced doesn't count.
    const rest = lease.renewedAt + TRUST * this.ttl - this.#now();
    if (this.#isClosed || (this.#lease?.epoch !== lease.epoch && lease.revision !== lease.epoch)) {
      return;
    }
    this.#lease = lease;
    clearTimeout(this.#fenceTimer);
    this.#fenceTimer = setTimeout(() => void this.#fence(), Math.max(0, rest));
    this.#fenceTimer.unref();
    if (rest > 0) for (const fn of this.#onRenew) fn(rest);
  }

  /** Ends what this process owns. Concurrent calls share one promise. */
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
      const found = readEntry(entry);
      const { epoch } = found;
      this.#living.set(node, { ...found, seenAt: this.#now() });
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

  /** Asks for processes that were silent: a watch misses the end of a lease while it is disconnected. */
  async #askAboutSilent(): Promise<void> {
    const before = this.#now() - 1.2 * this.ttl;
    for (const [node, { seenAt }] of this.#living) {
      if (node === this.node || seenAt > before) continue;
      const entry = await this.#inTime(this.#kv.get(node));
      // It isn't known whether the lease expired or was deleted, so the longer wait applies.
      this.#see({ key: node, entry, reason: entry ? "put" : "deleted" });
    }
  }

  #value(epoch?: number): Uint8Array {
    const { roles, wire } = this;
    return writeEntry({ epoch, roles, wire, facts: this.#facts });
  }
}

/** The address of a process in one epoch. */
export function nameOf({ node, epoch }: Member): string {
  return `${node}.${epoch}`;
}

/** The process of an address. */
export function memberOf(name: string): Member {
  const [node = "", epoch] = name.split(".");
  return { node, epoch: Number(epoch) };
}

/** Whether an engine failed in a certain way. */
export function isCode(error: unknown, code: EngineError["code"]): boolean {
  return error instanceof EngineError && error.code === code;
}
