// Divides the limits of tenants among the processes. Each process gets a share by its recent demand and
// spends it alone, so a call never waits for another process. Demand is reported four times a second. A late
// report can let through at most a quarter of a second's worth of calls per process.

import type { TenantLimits } from "@vitrine/gateway/cluster-port";
import type { Membership } from "./membership/membership.ts";
import { pack, unpack } from "./routing/payload.ts";
import type { PeerRpc } from "./routing/peer-rpc.ts";

export interface TenantSharesOptions {
  rpc: PeerRpc;
  membership: Membership;
  /** Milliseconds between two reports. */
  interval?: number;
  /** Milliseconds of a monotonic clock. */
  now?: () => number;
}

/** Pairs and not an object: a tenant may have the name of a property of every object (S17). */
type Report = readonly (readonly [tenant: string, demand: number])[];

const SUBJECT = "rl";
/** Intervals after which the last report of a process no longer counts. */
const FRESH = 4;
/** The part of an equal share that a process without demand keeps. */
const RESERVE = 1 / 8;

/** Keeps the shares of one process up to date. */
export class TenantShares {
  readonly #limits: TenantLimits;
  readonly #options: Required<TenantSharesOptions>;
  readonly #reports = new Map<string, { demand: ReadonlyMap<string, number>; at: number }>();
  readonly #timer: NodeJS.Timeout;
  readonly #unsubscribe: () => void;

  constructor(limits: TenantLimits, options: TenantSharesOptions) {
    this.#limits = limits;
    this.#options = { interval: 250, now: () => performance.now(), ...options };
    const { rpc, membership, interval, now } = this.#options;
    limits.divideBy((tenant, demand) => this.#shareOf(tenant, demand));
    this.#unsubscribe = rpc.subscribe(SUBJECT, (body, from) => {
      const [node = ""] = from.split(".");
      if (node === membership.node) return;
      const { facts } = unpack<Report>(body);
      const demand = new Map<string, number>(Array.isArray(facts) ? facts : []);
      this.#reports.set(node, { demand, at: now() });
    });
    this.#timer = setInterval(() => this.report(), interval);
    this.#timer.unref();
  }

  /** Sends this process's demand and divides the limits again. Runs by itself once per interval. */
  report(): void {
    this.#dropStale();
    const report = this.#limits.report();
    if (report.length > 0) this.#options.rpc.publish(SUBJECT, "", pack(report));
  }

  close(): void {
    clearInterval(this.#timer);
    this.#unsubscribe();
  }

  #shareOf(tenant: string, own: number): number {
    const others = this.#options.membership.members("edge").length;
    if (others === 0) return 1;
    let total = own;
    for (const { demand } of this.#reports.values()) total += demand.get(tenant) ?? 0;
    const reserve = Math.max(1, RESERVE * total) / (others + 1);
    return (own + reserve) / (total + reserve * (others + 1));
  }

  /** A process that sends no report has no demand, unless this process is the one that is cut off. */
  #dropStale(): void {
    const { membership, interval, now } = this.#options;
    if (membership.silence > FRESH * interval + 1000) return;
    const before = now() - FRESH * interval;
    for (const [node, { at }] of this.#reports) if (at < before) this.#reports.delete(node);
  }
}
