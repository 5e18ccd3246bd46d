// Limits that operators set for tenants, groups, users, servers and tools. Every quota that matches a call
// applies to it.

import { hashOf } from "../crypto/stable-hash.ts";
import type { Engine } from "../engine/engine.ts";
import { nameIn } from "./authorization/access-request.ts";
import { CallWindows, type Window } from "./call-windows.ts";
import type { Exchange } from "./exchange.ts";

/**
 * A limit on tool calls. A name restricts it to these calls. `*` counts each tenant, user, server or tool on its
 * own. Without either, all are counted together.
 */
export interface Quota {
  name: string;
  tenant?: string;
  /** With the tenant, as `acme/engineers`. */
  group?: string;
  /** With the tenant, as `acme/ann`. */
  user?: string;
  server?: string;
  tool?: string;
  perMinute?: number;
  perDay?: number;
  atOnce?: number;
}

/** A quota that is used up. */
export interface ExceededQuota {
  quota: Quota;
  limit: "perMinute" | "perDay" | "atOnce";
  /** Seconds until a call may be possible again. */
  retryAfter: number;
}

/** The quotas of a gateway. */
export interface Quotas {
  /** Counts a call in every quota that matches, or in none if one of them is used up. */
  take(exchange: Exchange): Promise<ExceededQuota | undefined>;
  close(): Promise<void>;
}

/** The options of `createQuotas`. */
export interface QuotasOptions {
  quotas: readonly Quota[];
  /** How many gateways share the engine. */
  gateways?: (() => number) | undefined;
  /** Milliseconds since 1970. */
  now?: (() => number) | undefined;
}

const WINDOWS = [
  ["perMinute", "minute"],
  ["perDay", "day"],
] as const satisfies readonly (readonly [ExceededQuota["limit"], Window])[];

/** Creates the quotas of a gateway. */
export function createQuotas(
  engine: Engine,
  { quotas, gateways = () => 1, now }: QuotasOptions,
): Quotas {
  // Without quotas, the engine needs no buckets for them.
  if (quotas.length === 0) return { take: async () => undefined, close: async () => {} };
  const windows = new CallWindows(engine, { ...(now && { now }) });
  const running = new Map<string, number>();

  /** Each gateway may use an equal part, because no gateway sees the calls of the others. */
  const isBusy = (key: string, atOnce: number): boolean =>
    (running.get(key) ?? 0) >= Math.max(1, Math.floor(atOnce / gateways()));
  const start = (key: string, exchange: Exchange): void => {
    running.set(key, (running.get(key) ?? 0) + 1);
    exchange.releases.push(() => {
      const left = (running.get(key) ?? 1) - 1;
      if (left === 0) running.delete(key);
      else running.set(key, left);
    });
  };

  return {
    take: async (exchange) => {
      const matching = quotas.flatMap((quota) => {
        const key = keyOf(quota, exchange);
        return key === undefined ? [] : [{ quota, key }];
      });
      const taken = await takeAll(windows, matching.flatMap(chargesOf));
      if ("quota" in taken) return taken;
      // Checked and counted without a pause in between, so that two calls can't take the same place.
      const busy = matching.find(({ quota: { atOnce }, key }) => atOnce && isBusy(key, atOnce));
      if (busy) {
        taken.giveBack();
        return { quota: busy.quota, limit: "atOnce", retryAfter: 1 };
      }
      for (const { quota, key } of matching) if (quota.atOnce) start(key, exchange);
      return undefined;
    },
    close: () => windows.close(),
  };
}

interface Charge {
  quota: Quota;
  key: string;
  limit: "perMinute" | "perDay";
  window: Window;
  most: number;
}

function chargesOf({ quota, key }: { quota: Quota; key: string }): Charge[] {
  return WINDOWS.flatMap(([limit, window]) => {
    const most = quota[limit];
    return most === undefined ? [] : [{ quota, key, limit, window, most }];
  });
}

/** Takes all charges, or none. */
async function takeAll(
  windows: CallWindows,
  charges: readonly Charge[],
): Promise<ExceededQuota | { giveBack(): void }> {
  const undos: (() => void)[] = [];
  const giveBack = (): void => {
    for (const undo of undos.splice(0)) undo();
  };
  for (const { quota, key, limit, window, most } of charges) {
    const taken = await windows.take(key, most, window).catch((error: unknown) => {
      giveBack();
      throw error;
    });
    if (typeof taken === "number") {
      giveBack();
      return { quota, limit, retryAfter: Math.ceil(taken / 1000) };
    }
    undos.push(taken);
  }
  return { giveBack };
}

/** The counter of a call in a quota. Undefined if the quota isn't about the call. */
function keyOf(quota: Quota, { caller, server, tool }: Exchange): string | undefined {
  const { tenant, groups = [] } = caller;
  const group = quota.group;
  if (group !== undefined && !groups.some((one) => nameIn(tenant, one) === group)) return undefined;
  const values = [
    [quota.tenant, tenant],
    [quota.user, nameIn(tenant, caller.user)],
    [quota.server, server.id],
    [quota.tool, tool?.name],
  ] as const;
  const parts: (string | null)[] = [];
  for (const [wanted, actual = ""] of values) {
    if (wanted !== undefined && wanted !== "*" && wanted !== actual) return undefined;
    parts.push(wanted === "*" ? actual : null);
  }
  // Tools of two servers may have the same name.
  if (quota.tool === "*") parts.push(server.id);
  return hashOf([quota.name, parts]);
}
