// What a tenant may use in all processes together. Each has a share of it, by what was asked of it lately,
// and hands out that much by itself: a call never waits for another process. Use is reported four times a
// second; what can be handed out too much is what a report that is not there yet would have prevented, hence
// at most a quarter of a second's worth for each process.

import type { Courier } from "./courier.ts";
import type { Membership } from "./membership.ts";
import { pack, unpack } from "./parcel.ts";

/** So many in a minute, for each tenant. */
export interface TenantSharesOptions {
  perMinute: number;
  /** The others; without them everything is here. */
  cluster?: { courier: Courier; membership: Membership } | undefined;
  /** Milliseconds between two reports. */
  interval?: number;
  now?: () => number;
}

/** Asked for in an interval, by tenant; pairs, since a tenant may be named like a member of every object. */
type Report = readonly (readonly [tenant: string, asked: number])[];

interface Tenant {
  tokens: number;
  at: number;
  /** Since the last report. */
  asked: number;
  /** In the last report. */
  reported: number;
  share: number;
}

const SUBJECT = "rl";
const MINUTE = 60_000;
/** A sixth of a minute's worth may come at once. */
const BURST = 6;
/** Reports after which a process that says nothing more asks for nothing. */
const FRESH = 4;
/** The part of a fair share that is kept for who asked for nothing. */
const RESERVE = 1 / 8;
const SWEEP = 4096;

/** The limits of tenants. */
export class TenantShares {
  readonly #options: Required<Omit<TenantSharesOptions, "cluster">>;
  readonly #cluster: TenantSharesOptions["cluster"];
  readonly #tenants = new Map<string, Tenant>();
  readonly #reports = new Map<string, { report: ReadonlyMap<string, number>; at: number }>();
  readonly #timer: NodeJS.Timeout | undefined;
  readonly #unsubscribe: (() => void) | undefined;
  #refused = 0;

  constructor({ cluster, ...options }: TenantSharesOptions) {
    this.#options = { interval: 250, now: () => performance.now(), ...options };
    this.#cluster = cluster;
    if (!cluster) return;
    const { node } = cluster.membership;
    this.#unsubscribe = cluster.courier.subscribe(SUBJECT, (body, from) => {
      const [other = ""] = from.split(".");
      if (other === node) return;
      const { facts } = unpack<Report>(body);
      const report = new Map<string, number>(Array.isArray(facts) ? facts : []);
      this.#reports.set(other, { report, at: this.#options.now() });
    });
    this.#timer = setInterval(() => this.tick(), this.#options.interval);
    this.#timer.unref();
  }

  /** Whether the tenant may have one more. */
  take(name: string): boolean {
    const tenant = this.#tenant(name);
    const { perMinute, now } = this.#options;
    const at = now();
    tenant.asked += 1;
    // However small a share, one at a time must be possible.
    const most = Math.max(1, (perMinute * tenant.share) / BURST);
    const refilled = tenant.tokens + ((at - tenant.at) * perMinute * tenant.share) / MINUTE;
    tenant.tokens = Math.min(most, refilled);
    tenant.at = at;
    if (tenant.tokens < 1) {
      this.#refused += 1;
      return false;
    }
    tenant.tokens -= 1;
    return true;
  }

  /** Says what was used and divides anew; by itself it does so in each interval. */
  tick(): void {
    const report: [string, number][] = [];
    for (const [name, tenant] of this.#tenants) {
      if (tenant.asked > 0 || tenant.reported > 0) report.push([name, tenant.asked]);
      tenant.reported = tenant.asked;
      tenant.asked = 0;
    }
    this.#forget();
    for (const [name, tenant] of this.#tenants) tenant.share = this.#shareOf(name, tenant.reported);
    if (report.length > 0) {
      this.#cluster?.courier.publish(SUBJECT, "", pack(report));
    }
  }

  /** Tenants that asked for something in the last interval, the mean of what is theirs here, and refusals. */
  get use(): { tenants: number; share: number; refused: number } {
    let [tenants, sum] = [0, 0];
    for (const { asked, reported, share } of this.#tenants.values()) {
      if (asked === 0 && reported === 0) continue;
      tenants += 1;
      sum += share;
    }
    return { tenants, share: tenants === 0 ? 0 : sum / tenants, refused: this.#refused };
  }

  close(): void {
    clearInterval(this.#timer);
    this.#unsubscribe?.();
  }

  #tenant(name: string): Tenant {
    const known = this.#tenants.get(name);
    if (known) return known;
    if (this.#tenants.size >= SWEEP) this.#sweep();
    const share = this.#shareOf(name, 0);
    const { perMinute, now } = this.#options;
    const tokens = Math.max(1, (perMinute * share) / BURST);
    const tenant = { tokens, at: now(), asked: 0, reported: 0, share };
    this.#tenants.set(name, tenant);
    return tenant;
  }

  /** By the last reports, those of this process too: then all who have them divide alike. */
  #shareOf(name: string, own: number): number {
    const others = this.#cluster?.membership.members("edge").length ?? 0;
    if (others === 0) return 1;
    let total = own;
    for (const { report } of this.#reports.values()) total += report.get(name) ?? 0;
    const reserve = Math.max(1, RESERVE * total) / (others + 1);
    return (own + reserve) / (total + reserve * (others + 1));
  }

  /** Who says nothing has nothing to say, unless it is this process that cannot hear. */
  #forget(): void {
    const { interval, now } = this.#options;
    if ((this.#cluster?.membership.silence ?? 0) > FRESH * interval + 1000) return;
    const before = now() - FRESH * interval;
    for (const [node, { at }] of this.#reports) if (at < before) this.#reports.delete(node);
  }

  #sweep(): void {
    const before = this.#options.now() - MINUTE;
    for (const [name, { at }] of this.#tenants) if (at < before) this.#tenants.delete(name);
  }
}
