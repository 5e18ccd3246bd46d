import { EngineError } from "../../engine/engine-error.ts";
import { type Refusal, refuse } from "../../errors/refusal.ts";
import type { PolicyCheck } from "../pipeline.ts";
import type { ExceededQuota, Quotas } from "../quotas.ts";

/**
 * Counts calls that the policies allow, so that nobody can use up a quota with calls they may not make. A call
 * that waits for an approval counts as well.
 */
export function quotaCheck(quotas: Quotas): PolicyCheck {
  return {
    name: "quota",
    run: async (exchange) => {
      if (!exchange.tool) return undefined;
      try {
        const exceeded = await quotas.take(exchange);
        return exceeded && refusalOf(exceeded);
      } catch (error) {
        if (!(error instanceof EngineError)) throw error;
        // A call that can't be counted isn't made.
        const message = "The gateway can't count this call at the moment. Try again later.";
        return refuse("unavailable", message, { retryAfter: 5 });
      }
    },
  };
}

const TEXTS = {
  perMinute: "calls a minute",
  perDay: "calls a day",
  atOnce: "calls at a time",
} as const;

function refusalOf({ quota, limit, retryAfter }: ExceededQuota): Refusal {
  const message = `The quota "${quota.name}" allows ${quota[limit]} ${TEXTS[limit]}. Try again in ${retryAfter} s.`;
  return refuse("rate", message, { retryAfter, data: { limit: `${quota.name}.${limit}` } });
}
