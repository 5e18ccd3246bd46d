import { TenantLimits } from "../../gateway/src/policy/tenant-limits.ts";
import { TenantShares } from "../src/tenant-shares.ts";
import type { Process } from "./stage.ts";

/** The limits of one process and its shares, which only report on request. */
export interface SharedLimits {
  take(tenant: string): boolean;
  report(): void;
  close(): void;
}

export function openShares(
  processes: readonly Process[],
  { perMinute, now }: { perMinute: number; now: () => number },
): SharedLimits[] {
  return processes.map(({ cluster }) => {
    const limits = new TenantLimits({ perMinute, now });
    const { rpc, membership } = cluster;
    const shares = new TenantShares(limits, { rpc, membership, interval: 2 ** 30, now });
    return {
      take: (tenant) => limits.take(tenant),
      report: () => shares.report(),
      close: () => shares.close(),
    };
  });
}
