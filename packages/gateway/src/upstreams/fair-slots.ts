// A bounded number of slots for calls to one server, with a bounded queue. A tenant, and each of its users, can
// have only a part of both, so that slow calls of one tenant never take the last slot. A slot that becomes free
// goes to the waiting tenant that holds the fewest, and within it to the user who holds the fewest.

import type { CallLifetime } from "./call-lifetime.ts";
import { UpstreamError, type UpstreamScope } from "./upstream.ts";

/** The number of slots, and how many of them a tenant or user may hold. */
export interface SlotLimits {
  /** Slots. */
  limit: number;
  /** Calls that may wait, in total. */
  queue: number;
  /** Slots per tenant. Defaults to three quarters. */
  perTenant?: number | undefined;
  /** Slots per user. Defaults to a quarter. */
  perUser?: number | undefined;
}

type Start = () => void;

/** The calls of one user, or of one tenant. */
interface Share {
  held: number;
  waiting: number;
}

interface UserShare extends Share {
  readonly queue: Set<Start>;
}

interface TenantShare extends Share {
  /** Both maps are in round-robin order: the one served last is at the end. */
  readonly users: Map<string, UserShare>;
}

type Scope = Pick<UpstreamScope, "tenant" | "user">;

/** Slots that tenants and users share fairly. */
export class FairSlots {
  readonly #limits: Required<{ [Key in keyof SlotLimits]: number }>;
  readonly #tenants = new Map<string, TenantShare>();
  #taken = 0;
  #waiting = 0;

  constructor({ limit, queue, perTenant, perUser }: SlotLimits) {
    const ofTenant = Math.min(limit, perTenant ?? part(limit, 3 / 4));
    const ofUser = Math.min(ofTenant, perUser ?? part(limit, 1 / 4));
    this.#limits = { limit, queue, perTenant: ofTenant, perUser: ofUser };
  }

  get taken(): number {
    return this.#taken;
  }

  get waiting(): number {
    return this.#waiting;
  }

  /** Takes a slot, immediately if there is one. Returns a function that releases it. Rejects with `busy`. */
  async take(scope: Scope, lifetime?: CallLifetime): Promise<() => void> {
    if (lifetime?.reason) throw lifetime.reason;
    const tenant = this.#tenantOf(scope);
    const user = userOf(tenant, scope);
    // A caller that waits although a slot is free has reached its own limit.
    if (this.#isOpenTo(tenant, user)) return this.#hold(scope, tenant, user);
    return this.#wait(scope, { tenant, user, lifetime });
  }

  #isOpenTo(tenant: TenantShare, user: UserShare): boolean {
    const { limit, perTenant, perUser } = this.#limits;
    return this.#taken < limit && tenant.held < perTenant && user.held < perUser;
  }

  #hold(scope: Scope, tenant: TenantShare, user: UserShare): () => void {
    this.#taken += 1;
    tenant.held += 1;
    user.held += 1;
    let isReleased = false;
    return () => {
      if (isReleased) return;
      isReleased = true;
      this.#taken -= 1;
      tenant.held -= 1;
      user.held -= 1;
      this.#forget(scope, tenant, user);
      if (this.#waiting > 0) this.#startNext();
    };
  }

  #wait(scope: Scope, { tenant, user, lifetime }: Waiting): Promise<() => void> {
    const full = this.#fullQueue(tenant, user);
    if (full) {
      this.#forget(scope, tenant, user);
      return Promise.reject(new UpstreamError("busy", full));
    }
    return new Promise((resolve, reject) => {
      const leaveQueue = (): void => {
        user.queue.delete(start);
        this.#count(tenant, user, -1);
      };
      const start = (): void => {
        undo?.();
        leaveQueue();
        resolve(this.#hold(scope, tenant, user));
      };
      user.queue.add(start);
      this.#count(tenant, user, 1);
      const undo = lifetime?.onEnd((reason) => {
        leaveQueue();
        this.#forget(scope, tenant, user);
        const isLate = reason.code === "timeout";
        reject(isLate ? new UpstreamError("busy", "No slot became free in time.") : reason);
      });
    });
  }

  /** Why another call can't wait. Tenants and users get the same share of the queue as of the slots. */
  #fullQueue(tenant: TenantShare, user: UserShare): string | undefined {
    const { limit, queue, perTenant, perUser } = this.#limits;
    if (this.#waiting >= queue) {
      return `${this.#taken} calls are running and ${this.#waiting} are waiting. Try again later.`;
    }
    if (tenant.waiting >= part(queue, perTenant / limit)) {
      return `${tenant.waiting} calls of this tenant are waiting for the server. Try again later.`;
    }
    if (user.waiting >= part(queue, perUser / limit)) {
      return `${user.waiting} calls of this user are waiting for the server. Try again later.`;
    }
    return undefined;
  }

  #count(tenant: TenantShare, user: UserShare, change: number): void {
    this.#waiting += change;
    tenant.waiting += change;
    user.waiting += change;
  }

  #startNext(): void {
    const { limit, perTenant, perUser } = this.#limits;
    while (this.#taken < limit) {
      const canStart = ({ users }: TenantShare): boolean => fewest(users, perUser) !== undefined;
      const next = fewest(this.#tenants, perTenant, canStart);
      const nextUser = next && fewest(next[1].users, perUser);
      if (!next || !nextUser) return;
      const [[tenantName, tenant], [userName, user]] = [next, nextUser];
      toTheEnd(this.#tenants, tenantName, tenant);
      toTheEnd(tenant.users, userName, user);
      const [start] = user.queue;
      start?.();
    }
  }

  #tenantOf({ tenant: name }: Scope): TenantShare {
    let tenant = this.#tenants.get(name);
    if (!tenant) {
      tenant = { held: 0, waiting: 0, users: new Map() };
      this.#tenants.set(name, tenant);
    }
    return tenant;
  }

  #forget(scope: Scope, tenant: TenantShare, user: UserShare): void {
    if (user.held === 0 && user.waiting === 0) tenant.users.delete(scope.user);
    if (tenant.users.size === 0) this.#tenants.delete(scope.tenant);
  }
}

interface Waiting {
  tenant: TenantShare;
  user: UserShare;
  lifetime: CallLifetime | undefined;
}

function userOf({ users }: TenantShare, { user: name }: Scope): UserShare {
  let user = users.get(name);
  if (!user) {
    user = { held: 0, waiting: 0, queue: new Set() };
    users.set(name, user);
  }
  return user;
}

/** The waiting share below its limit that holds the fewest slots. Among equals, the first in order. */
function fewest<Kind extends Share>(
  shares: ReadonlyMap<string, Kind>,
  most: number,
  canStart: (share: Kind) => boolean = () => true,
): [string, Kind] | undefined {
  let found: [string, Kind] | undefined;
  for (const [name, share] of shares) {
    if (share.waiting === 0 || share.held >= (found?.[1].held ?? most)) continue;
    if (canStart(share)) found = [name, share];
  }
  return found;
}

function toTheEnd<Kind>(shares: Map<string, Kind>, name: string, share: Kind): void {
  shares.delete(name);
  shares.set(name, share);
}

/** At least one. */
function part(whole: number, fraction: number): number {
  return Math.max(1, Math.floor(whole * fraction));
}
