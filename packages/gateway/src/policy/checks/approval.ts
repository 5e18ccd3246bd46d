import { EngineError } from "../../engine/engine-error.ts";
import { type Refusal, refuse } from "../../errors/refusal.ts";
import type { Exchange } from "../exchange.ts";
import type { Grants } from "../grants.ts";
import type { PendingApprovals } from "../pending-approvals.ts";
import type { PolicyCheck } from "../pipeline.ts";

/** Where approvals are stored. */
export interface ApprovalStores {
  grants: Grants;
  approvals: PendingApprovals;
}

/** A policy may permit a call only if the user or an administrator approves exactly this call, once. */
export function approvalCheck({ grants, approvals }: ApprovalStores): PolicyCheck {
  return {
    name: "approval",
    run: async (exchange) => {
      const { approval, isOnlyRecorded } = exchange.access ?? {};
      if (approval === undefined || isOnlyRecorded) return undefined;
      return approval === "user" ? askUser(exchange, grants) : askAdmin(exchange, approvals);
    },
  };
}

async function askUser(exchange: Exchange, grants: Grants): Promise<Refusal | undefined> {
  if (await grants.spend(exchange, { isExact: true })) return undefined;
  const message =
    "The user has to approve this call. Ask the user, record the consent for these arguments, then repeat the call.";
  const data = { server: exchange.server.id, tool: exchange.tool?.name, approval: "exact" };
  return refuse("consent-required", message, { data });
}

async function askAdmin(
  exchange: Exchange,
  approvals: PendingApprovals,
): Promise<Refusal | undefined> {
  const answer = await approvals.ask(exchange).catch((error: unknown) => {
    if (error instanceof EngineError) return undefined;
    throw error;
  });
  if (!answer) {
    const message = "The gateway can't check approvals at the moment. Try again later.";
    return refuse("unavailable", message, { retryAfter: 5 });
  }
  if (answer.state === "approved") {
    exchange.approvedBy = answer.by;
    return undefined;
  }
  if (answer.state === "full") {
    const message =
      "An administrator has to approve this call, but too many calls already wait. Try again later.";
    return refuse("busy", message, { retryAfter: 60 });
  }
  const { state, id, expires } = answer;
  const data = {
    ...{ server: exchange.server.id, tool: exchange.tool?.name, approval: "admin", state },
    ...{ id, expires: new Date(expires).toISOString() },
  };
  return refuse("approval-required", MESSAGES[state], { data });
}

const MESSAGES = {
  pending:
    "An administrator has to approve this call. It waits for approval now. Tell the user, and repeat exactly the same call once it's approved.",
  rejected: "An administrator rejected this call. Tell the user; don't repeat it.",
} as const;
