// A bounded number of slots for calls to one server, with a bounded queue. A tenant, and each of its users, can
// have only a part of both, so that slow calls of one tenant never take the last slot. A slot that becomes free
// goes to the waiting tenant that holds the fewest, and within it to the user who holds the fewest.

import type { CallLifetime } from "./call-lifetime.ts";
import { UpstreamError, type UpstreamScope } from "./upstream.ts";

/** How many slots there are, and how many of them one tenant or user may hold. */
export interface SlotLimits {
  /** Slots. */
  limit: number;
  /** Calls that may wait, of everybody together. */
  queue: number;
  /** Slots of one tenant; three quarters of all if not set. */
  perTenant?: number | undefined;
  /** Slots of one user; a quarter of all if not set. */
  perUser?: number | undefined;
}

type Start = () => void;

/** Calls of one user or, together, of one tenant. */
interface Share {
  held: number;
  waiting: number;
}

interface UserShare extends Share {
  readonly queue: Set<Start>;
}

interface TenantShare extends Share {
  /** Both maps are in the order of turns: who was served last is at the end. */
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

  /** Takes a slot, at once if there is one; returns how to release it. Rejects with `busy`. */
  take(scope: Scope, lifetime?: CallLifetime): (() => void) | Promise<() => void> {
    if (lifetime?.reason) return Promise.reject(lifetime.reason);
    const tenant = this.#tenantOf(scope);
    const user = userOf(tenant, scope);
    // Whoever waits while there is a free slot has reached a limit of their own.
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

  /** Why one more can't wait. The queue is shared in the same parts as the slots. */
  #fullQueue(tenant: TenantShare, user: UserShare): string | undefined {
    const { limit, queue, perTenant, perUser } = this.#limits;
    if (this.#waiting >= queue) {
      return `${this.#taken} calls are under way and ${this.#waiting} wait; try again later.`;
    }
    if (tenant.waiting >= part(queue, perTenant / limit)) {
      return `${tenant.waiting} calls of this tenant wait for the server; try again later.`;
    }
    if (user.waiting >= part(queue, perUser / limit)) {
      return `${user.waiting} calls of this user wait for the server; try again later.`;
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

/** The one that waits, is below its limit and holds the fewest; the first in order among equals. */
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
