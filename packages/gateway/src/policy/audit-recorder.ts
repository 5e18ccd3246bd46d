// Writes the pipeline's audit records: each request with the decision, each response with its outcome. A
// request that can't be recorded isn't executed.

import { type Audit, type AuditEntry, AuditError } from "../audit/index.ts";
import { type Refusal, refuse } from "../errors/refusal.ts";
import { outcomeOf } from "./authorization/replay.ts";
import { namesOfHints } from "./authorization/tool-hints.ts";
import type { Exchange } from "./exchange.ts";
import type { Recorder } from "./pipeline.ts";
import { traceIdOf } from "./trace-id.ts";

const LONGEST = 200;
/** Checks that run once the arguments are known to match the tool's schema. */
const AFTER_ARGUMENTS: ReadonlySet<string> = new Set([
  "authorization",
  "quota",
  "approval",
  "consent",
  "audit",
]);

/** Creates a recorder that writes to an audit log. */
export function auditRecorder(audit: Audit): Recorder {
  return {
    admit: (exchange) => {
      try {
        const { tool, frame } = exchange;
        audit.record({
          ...about(exchange),
          ...seenByPolicies(exchange),
          event: "request",
          decision: { verdict: "allow", ...policiesOf(exchange) },
          sizes: { received: exchange.size },
          arguments: tool && (frame.params?.arguments ?? {}),
          schema: tool?.inputSchema,
        });
        return audit.hold(exchange.caller)?.then(() => undefined, unrecorded);
      } catch (error) {
        return unrecorded(error);
      }
    },
    refused: (exchange, link, { code, data }) => {
      const { frame, size, tool } = exchange;
      const cause = link === "internal" && typeof data?.cause === "string" ? data.cause : undefined;
      record(audit, {
        ...about(exchange),
        ...seenByPolicies(exchange),
        event: "request",
        decision: { verdict: "deny", link, code, ...policiesOf(exchange) },
        sizes: { received: size },
        ...(frame?.method === "tools/call" && deniedArguments(exchange, link)),
        schema: tool?.inputSchema,
        detail: cause === undefined ? undefined : { cause: cause.slice(0, LONGEST) },
      });
      return audit.hold(exchange.caller)?.catch(() => {});
    },
    answered: (exchange, { kind, code, bytes, milliseconds, answer }) => {
      record(audit, {
        ...about(exchange),
        event: "answer",
        outcome: { kind, code },
        sizes: { sent: bytes },
        duration: milliseconds,
        answer,
        schema: exchange.tool?.inputSchema,
        outputSchema: exchange.tool?.outputSchema,
      });
      // In the mode `wait`, a response is sent only after its record is on disk.
      return audit.hold(exchange.caller)?.catch(() => {});
    },
  };
}

/**
 * Records arguments only if they match a known schema, because the schema marks the secrets among them. A
 * password under a misspelt name wouldn't be marked.
 */
function deniedArguments(
  { frame, tool }: Exchange,
  link: string,
): Pick<AuditEntry, "arguments" | "withholdArguments"> {
  if (!tool || !AFTER_ARGUMENTS.has(link)) return { withholdArguments: true };
  return { arguments: frame.params?.arguments ?? {} };
}

/** Records a call that was already made or refused. The log counts records that it couldn't keep. */
function record(audit: Audit, entry: AuditEntry): void {
  try {
    audit.record(entry);
  } catch (error) {
    if (!(error instanceof AuditError)) throw error;
  }
}

function unrecorded(error: unknown): Refusal {
  if (!(error instanceof AuditError)) throw error;
  return refuse(
    "audit-full",
    "The request can't be written to the audit log, so it wasn't executed. Try again later.",
    {
      retryAfter: 5,
    },
  );
}

function about({ caller, server, frame, tool }: Exchange): Omit<AuditEntry, "event"> {
  const { tenant, user, ticket, address } = caller;
  const name = tool?.name ?? (frame?.method === "tools/call" ? frame.params?.name : undefined);
  return {
    actor: { tenant, user, view: ticket?.jti, address },
    server: server.id,
    method: frame?.method,
    tool: typeof name === "string" ? name : undefined,
    trace: traceIdOf(frame?.params?._meta),
  };
}

/** The facts that `policy dry-run` needs. */
function seenByPolicies({ caller, tool, server }: Exchange): Pick<AuditEntry, "caller" | "hints"> {
  const { party, groups, issuer, ticket } = caller;
  return {
    caller: { party, groups, issuer, viewUri: ticket?.resource },
    ...(tool && { hints: namesOfHints(tool, server.isApproved(tool)) }),
  };
}

/** What the policies decided. In the mode `log`, another outcome than `allow` is only observed. */
function policiesOf({ access, approvedBy }: Exchange): Partial<AuditEntry["decision"]> {
  if (!access) return {};
  const outcome = outcomeOf(access);
  const observed = access.isOnlyRecorded && outcome !== "allow" ? outcome : undefined;
  return {
    policies: access.policies.length > 0 ? access.policies.join(",") : undefined,
    observed,
    approval: access.isOnlyRecorded ? undefined : access.approval,
    approvedBy,
  };
}
