// Who may use how much of the audit queue. Limits follow what is free, so there are no fixed quotas to
// configure: a tenant may have as many bytes waiting as the whole queue has free. One busy tenant gets half
// of the queue, n busy tenants get 1/(n+1) each, and a tenant that has nothing waiting always finds room.

/** Whose record it is. */
export interface RoomOwner {
  readonly tenant: string;
  readonly user: string;
}

interface Usage {
  bytes: number;
}

interface TenantUsage extends Usage {
  readonly users: Map<string, Usage>;
}

interface Waiting {
  readonly owner: RoomOwner;
  readonly bytes: number;
  readonly sequence: number;
}

/** Part of the free bytes that one user may have waiting, so that one user doesn't use up the tenant's room. */
const USER_PART = 1 / 4;
/** Records without an actor belong to the gateway itself. */
const GATEWAY: RoomOwner = { tenant: "", user: "" };
const NOTHING: Usage = { bytes: 0 };
const COMPACT_AT = 1024;

/** Room in the queue of records that wait for the disk. */
export class QueueRoom {
  readonly #most: number;
  readonly #tenants = new Map<string, TenantUsage>();
  #waiting: Waiting[] = [];
  /** Index of the first record in `#waiting` that is not stored. */
  #first = 0;
  #total = 0;

  constructor(most: number) {
    this.#most = most;
  }

  add(owner: RoomOwner = GATEWAY, { bytes, sequence }: { bytes: number; sequence: number }): void {
    this.#waiting.push({ owner, bytes, sequence });
    this.#change(owner, bytes);
  }

  /** Frees the room of the records up to this sequence. */
  release(sequence: number): void {
    for (;;) {
      const next = this.#waiting[this.#first];
      if (!next || next.sequence > sequence) break;
      this.#change(next.owner, -next.bytes);
      this.#first += 1;
    }
    if (this.#first < COMPACT_AT && this.#first < this.#waiting.length) return;
    this.#waiting = this.#waiting.slice(this.#first);
    this.#first = 0;
  }

  /** Whether a new call of this owner can be recorded. */
  fits(owner: RoomOwner = GATEWAY): boolean {
    const { tenant, user } = this.#usageOf(owner);
    const free = this.#most - this.#total;
    if (tenant.bytes === 0) return this.#total <= 2 * this.#most;
    return tenant.bytes <= free && user.bytes <= free * USER_PART;
  }

  /** Whether the end of a call that was let through can be recorded; it may use as much room again. */
  fitsEnd(owner: RoomOwner = GATEWAY): boolean {
    return this.#usageOf(owner).tenant.bytes <= 2 * this.#most - this.#total;
  }

  /** Whether calls of this owner should wait until some of its records are stored. */
  isSlow(owner: RoomOwner = GATEWAY): boolean {
    return !this.#isBelow(owner, 1 / 2);
  }

  /** Whether calls of this owner that waited can go on. */
  isCalm(owner: RoomOwner = GATEWAY): boolean {
    return this.#isBelow(owner, 1 / 4);
  }

  /** Whether there is so much in the queue that a single user would have to wait. */
  get isBusy(): boolean {
    return this.#total > (this.#most - this.#total) * USER_PART * (1 / 2);
  }

  #isBelow(owner: RoomOwner, part: number): boolean {
    const { tenant, user } = this.#usageOf(owner);
    const free = Math.max(0, this.#most - this.#total) * part;
    return tenant.bytes <= free && user.bytes <= free * USER_PART;
  }

  #usageOf({ tenant, user }: RoomOwner): { tenant: Usage; user: Usage } {
    const found = this.#tenants.get(tenant);
    return { tenant: found ?? NOTHING, user: found?.users.get(user) ?? NOTHING };
  }

  #change({ tenant, user }: RoomOwner, bytes: number): void {
    let usage = this.#tenants.get(tenant);
    if (!usage) {
      usage = { bytes: 0, users: new Map() };
      this.#tenants.set(tenant, usage);
    }
    let own = usage.users.get(user);
    if (!own) {
      own = { bytes: 0 };
      usage.users.set(user, own);
    }
    own.bytes += bytes;
    usage.bytes += bytes;
    this.#total += bytes;
    if (own.bytes === 0) usage.users.delete(user);
    if (usage.bytes === 0) this.#tenants.delete(tenant);
  }
}
