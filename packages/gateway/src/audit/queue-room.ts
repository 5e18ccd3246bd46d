// Shares the audit queue between tenants. Limits follow the free space, so there are no fixed quotas to
// configure: a tenant may have as many bytes waiting as the whole queue has free. One busy tenant gets half
// of the queue, n busy tenants get 1/(n+1) each, and a tenant with nothing waiting always gets in.

/** The owner of a record. */
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

/** Share of the free bytes that one user may have waiting, so that one user can't use up the tenant's share. */
const USER_PART = 1 / 4;
/** Records without an actor belong to the gateway itself. */
const GATEWAY: RoomOwner = { tenant: "", user: "" };
const NOTHING: Usage = { bytes: 0 };

/** Free space in the queue of records that wait for the disk. */
export class QueueRoom {
  readonly #most: number;
  readonly #tenants = new Map<string, TenantUsage>();
  readonly #waiting: Waiting[] = [];
  #total = 0;

  constructor(most: number) {
    this.#most = most;
  }

  add(owner: RoomOwner = GATEWAY, { bytes, sequence }: { bytes: number; sequence: number }): void {
    this.#waiting.push({ owner, bytes, sequence });
    this.#change(owner, bytes);
  }

  /** Frees the space of the records up to this sequence number. */
  release(sequence: number): void {
    const left = this.#waiting.findIndex((each) => each.sequence > sequence);
    const stored = this.#waiting.splice(0, left < 0 ? this.#waiting.length : left);
    for (const { owner, bytes } of stored) this.#change(owner, -bytes);
  }

  /** Whether a new call of this owner can be recorded. */
  fits(owner: RoomOwner = GATEWAY): boolean {
    const { tenant, user } = this.#usageOf(owner);
    const free = this.#most - this.#total;
    if (tenant.bytes === 0) return this.#total <= 2 * this.#most;
    return tenant.bytes <= free && user.bytes <= free * USER_PART;
  }

  /** Whether the end of an allowed call can be recorded. It may use as much space again. */
  fitsEnd(owner: RoomOwner = GATEWAY): boolean {
    return this.#usageOf(owner).tenant.bytes <= 2 * this.#most - this.#total;
  }

  /** Whether calls of this owner should wait until some of its records are stored. */
  isSlow(owner: RoomOwner = GATEWAY): boolean {
    return !this.#isBelow(owner, 1 / 2);
  }

  /** Whether waiting calls of this owner can continue. */
  isCalm(owner: RoomOwner = GATEWAY): boolean {
    return this.#isBelow(owner, 1 / 4);
  }

  /** Whether the queue is so full that a single user would have to wait. */
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
