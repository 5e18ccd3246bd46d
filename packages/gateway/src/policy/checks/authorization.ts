import { type Refusal, refuse } from "../../errors/refusal.ts";
import { type Access, isViewOfTool, withApproval } from "../authorization/access.ts";
import type { AccessTarget } from "../authorization/access-request.ts";
import type { AccessDecision } from "../authorization/authorizer.ts";
import type { Exchange } from "../exchange.ts";
import type { PolicyCheck } from "../pipeline.ts";

/** Asks the policies about each call, prompt and resource, for models and views alike. */
export function authorizationCheck(access: Access): PolicyCheck {
  return {
    name: "authorization",
    run: async (exchange) => {
      const { authorizer, mode } = access;
      if (!authorizer) return undefined;
      const { caller, server, frame } = exchange;
      const target = targetOf(exchange);
      // A view belongs to the tools that show it.
      const isFree = target
        ? target.action === "read" && (await isViewOfTool(access, exchange, target.uri))
        : FREE.test(frame.method);
      if (isFree) return undefined;
      const decision = target
        ? authorizer.decide({ caller, server: server.id, target: withApproval(target, server) })
        : NOTHING_PERMITS;
      exchange.access = mode === "log" ? { ...decision, isOnlyRecorded: true } : decision;
      return decision.verdict === "deny" && mode === "enforce" ? deniedBy(decision) : undefined;
    },
  };
}

const NOTHING_PERMITS: AccessDecision = { verdict: "deny", policies: [] };

/** Requests about no single tool, prompt or resource. Lists are filtered; a task belongs to a call that was allowed. */
const FREE =
  /^(initialize|ping|server\/discover|logging\/setLevel|subscriptions\/listen|tasks\/(get|update|cancel|result)|(tools|prompts|resources|resources\/templates)\/list|notifications\/.*)$/;

function deniedBy({ policies }: Pick<AccessDecision, "policies">): Refusal {
  // The ids of policies are the operator's; the log has them.
  const message =
    policies.length > 0
      ? "A policy of your organization forbids this. Ask the operator."
      : "No policy of your organization permits this. Ask the operator.";
  return refuse("forbidden", message);
}

/** Undefined for requests that aren't about one tool, prompt or resource; lists are filtered instead. */
function targetOf({ frame, tool }: Exchange): AccessTarget | undefined {
  const { name, uri, arguments: given } = (frame.params ?? {}) as Record<string, unknown>;
  if (frame.method === "tools/call" && tool) return { action: "call", tool, arguments: given };
  if (frame.method === "prompts/get") return { action: "prompt", prompt: `${name}` };
  if (frame.method === "resources/read") return { action: "read", uri: `${uri}` };
  if (frame.method === "completion/complete") {
    const { ref } = (frame.params ?? {}) as { ref?: { name?: unknown; uri?: unknown } };
    return ref?.uri === undefined
      ? { action: "prompt", prompt: `${ref?.name}` }
      : { action: "read", uri: `${ref.uri}` };
  }
  return undefined;
}
