// Denials cost their sender nothing, so a flood of them must not fill the log or displace other records. The
// first denial of a kind is recorded in full. Further ones within the window are counted in one record of the
// event `denials`.

import type { AuditEntry } from "./record.ts";

/** Milliseconds after which counted denials are recorded. */
const WINDOW = 10_000;
/** Denials that are recorded in full within a window. */
const MOST_OF_USER = 16;
const MOST_OF_TENANT = 256;
/** Kinds of denials that are counted separately within a window. */
const MOST_KINDS = 512;
const MOST_TENANTS = 1_024;

interface Kind {
  readonly about: Omit<AuditEntry, "event">;
  count: number;
  from: string;
  to: string;
}

interface TenantDenials {
  /** Denials recorded in full. */
  full: number;
  readonly users: Map<string, number>;
  readonly kinds: Map<string, Kind>;
}

export interface DenialsOptions {
  /** Records the count of a kind. */
  record(entry: AuditEntry): void;
  clock(): string;
  window?: number | undefined;
}

/** Counts similar denials. */
export class Denials {
  readonly #options: DenialsOptions;
  readonly #tenants = new Map<string, TenantDenials>();
  #timer: NodeJS.Timeout | undefined;

  constructor(options: DenialsOptions) {
    this.#options = options;
  }

  /** Returns true if this denial should be recorded in full. Otherwise it was counted. */
  take(entry: AuditEntry, { isShort }: { isShort: boolean }): boolean {
    const { actor, server, method, tool, decision } = entry;
    if (!actor) return true;
    const denials = this.#denialsOf(actor.tenant);
    const { link, code } = decision ?? {};
    const own = [actor.user, link, code];
    const key = JSON.stringify([...own, actor.view, server, method, tool]);
    const known = denials.kinds.get(key);
    if (known) {
      this.#count(known);
      return false;
    }
    const ofUser = denials.users.get(actor.user) ?? 0;
    if (!isShort && ofUser < MOST_OF_USER && denials.full < MOST_OF_TENANT) {
      denials.full += 1;
      denials.users.set(actor.user, ofUser + 1);
      this.#kind(denials, key, { actor, server, method, tool, decision });
      return true;
    }
    // A caller that changes the tool's name with each call gets one record for all of them.
    const { tenant, user } = actor;
    const isBelowLimit = denials.kinds.size < MOST_KINDS;
    this.#count(
      isBelowLimit
        ? this.#kind(denials, JSON.stringify(own), { actor: { tenant, user }, decision })
        : this.#kind(denials, JSON.stringify([link, code]), {
            actor: { tenant, user: "" },
            decision,
          }),
    );
    return false;
  }

  /** Records the counts so far. */
  flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const tenants = [...this.#tenants.values()];
    this.#tenants.clear();
    for (const { kinds } of tenants) {
      for (const { about, count, from, to } of kinds.values()) {
        if (count === 0) continue;
        this.#options.record({ ...about, event: "denials", repeats: { count, from, to } });
      }
    }
  }

  #denialsOf(tenant: string): TenantDenials {
    const known = this.#tenants.get(tenant);
    if (known) return known;
    if (this.#tenants.size >= MOST_TENANTS) this.flush();
    this.#timer ??= setTimeout(() => this.flush(), this.#options.window ?? WINDOW).unref();
    const denials: TenantDenials = { full: 0, users: new Map(), kinds: new Map() };
    this.#tenants.set(tenant, denials);
    return denials;
  }

  #kind({ kinds }: TenantDenials, key: string, about: Kind["about"]): Kind {
    const known = kinds.get(key);
    if (known) return known;
    const kind: Kind = { about, count: 0, from: "", to: "" };
    kinds.set(key, kind);
    return kind;
  }

  #count(kind: Kind): void {
    const now = this.#options.clock();
    if (kind.count === 0) kind.from = now;
    kind.to = now;
    kind.count += 1;
  }
}
