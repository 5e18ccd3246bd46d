/** How many calls a tenant may make. */
export interface TenantLimitsOptions {
  perMinute: number;
  /** Milliseconds of a monotonic clock. */
  now?: () => number;
}

/** The part of a tenant's limit that this process may use, given the calls it asked for since the last report. */
export type ShareOf = (tenant: string, demand: number) => number;

interface Tenant {
  tokens: number;
  refilledAt: number;
  /** Calls since the last report, and in the report before. */
  demand: number;
  reported: number;
  share: number;
}

const MINUTE = 60_000;
/** A sixth of the limit may come at once. */
const BURST = 6;
const MOST_TENANTS = 4096;

/** A token bucket per tenant. In a cluster, each process has a share of every bucket. */
export class TenantLimits {
  readonly #perMinute: number;
  readonly #now: () => number;
  readonly #tenants = new Map<string, Tenant>();
  #shareOf: ShareOf = () => 1;
  #rejected = 0;

  constructor({ perMinute, now = () => performance.now() }: TenantLimitsOptions) {
    this.#perMinute = perMinute;
    this.#now = now;
  }

  /** Whether the tenant may make one more call. */
  take(name: string): boolean {
    const tenant = this.#tenant(name);
    const now = this.#now();
    tenant.demand += 1;
    const refill = ((now - tenant.refilledAt) * this.#perMinute * tenant.share) / MINUTE;
    tenant.tokens = Math.min(this.#burst(tenant.share), tenant.tokens + refill);
    tenant.refilledAt = now;
    if (tenant.tokens < 1) {
      this.#rejected += 1;
      return false;
    }
    tenant.tokens -= 1;
    return true;
  }

  /** Divides the limits among processes; without it, this process has all of them. */
  divideBy(shareOf: ShareOf): void {
    this.#shareOf = shareOf;
  }

  /**
   * Ends a reporting interval: divides the limits again and returns the demand by tenant, including tenants
   * that just became idle.
   */
  report(): [tenant: string, demand: number][] {
    const report: [string, number][] = [];
    for (const [name, tenant] of this.#tenants) {
      if (tenant.demand > 0 || tenant.reported > 0) report.push([name, tenant.demand]);
      tenant.reported = tenant.demand;
      tenant.demand = 0;
      tenant.share = this.#shareOf(name, tenant.reported);
    }
    return report;
  }

  /** Active tenants, the mean of their shares in this process, and the calls rejected so far. */
  get use(): { tenants: number; share: number; rejected: number } {
    const active = [...this.#tenants.values()].filter(
      ({ demand, reported }) => demand > 0 || reported > 0,
    );
    const sum = active.reduce((total, { share }) => total + share, 0);
    const share = active.length === 0 ? 0 : sum / active.length;
    return { tenants: active.length, share, rejected: this.#rejected };
  }

  #tenant(name: string): Tenant {
    const known = this.#tenants.get(name);
    if (known) return known;
    if (this.#tenants.size >= MOST_TENANTS) this.#dropIdle();
    const share = this.#shareOf(name, 0);
    const refilledAt = this.#now();
    const tenant = { tokens: this.#burst(share), refilledAt, demand: 0, reported: 0, share };
    this.#tenants.set(name, tenant);
    return tenant;
  }

  /** However small the share, one call at a time must be possible. */
  #burst(share: number): number {
    return Math.max(1, (this.#perMinute * share) / BURST);
  }

  #dropIdle(): void {
    const before = this.#now() - MINUTE;
    for (const [name, { refilledAt }] of this.#tenants) {
      if (refilledAt < before) this.#tenants.delete(name);
    }
  }
}
