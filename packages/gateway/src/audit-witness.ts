// The pipeline's witness that keeps the audit log: each request with what was decided, each answer with
// what came of it. What cannot be recorded is not done.

import type { AuditEntry } from "./audit/index.ts";
import { type Audit, AuditError, sharedOutcome } from "./audit/index.ts";
import type { Exchange } from "./pipeline/exchange.ts";
import type { Witness } from "./pipeline/pipeline.ts";
import { type Refusal, refuse } from "./pipeline/refusal.ts";

const LONGEST = 200;
/** Links that run when the arguments are known to fit the tool's schema. */
const AFTER_ARGUMENTS: ReadonlySet<string> = new Set(["consent", "audit"]);
const ALLOWED = { verdict: "allow" } as const;

/** Makes a witness of an audit log. */
export function auditWitness(audit: Audit): Witness {
  const outcomeOf = sharedOutcome((hold) => hold.then(() => undefined, unrecorded));
  const endOf = sharedOutcome((hold) => hold.catch(() => {}));
  return {
    admit: (exchange) => {
      try {
        const { tool, frame } = exchange;
        audit.record({
          ...about(exchange),
          event: "request",
          decision: ALLOWED,
          sizes: { received: exchange.size },
          arguments: tool && (frame.params?.arguments ?? {}),
          schema: tool?.inputSchema,
        });
        const hold = audit.hold(exchange.caller);
        return hold && outcomeOf(hold);
      } catch (error) {
        return unrecorded(error);
      }
    },
    refused: (exchange, link, { code, data }) => {
      const { frame, size, tool } = exchange;
      const cause = link === "internal" && typeof data?.cause === "string" ? data.cause : undefined;
      tell(audit, {
        ...about(exchange),
        event: "request",
        decision: { verdict: "deny", link, code },
        sizes: { received: size },
        ...(frame?.method === "tools/call" && deniedArguments(exchange, link)),
        schema: tool?.inputSchema,
        detail: cause === undefined ? undefined : { cause: cause.slice(0, LONGEST) },
      });
      const hold = audit.hold(exchange.caller);
      return hold && endOf(hold);
    },
    answered: (exchange, { kind, code, bytes, milliseconds, answer }) => {
      tell(audit, {
        ...about(exchange),
        event: "answer",
        outcome: { kind, code },
        sizes: { sent: bytes },
        duration: milliseconds,
        answer,
        schema: exchange.tool?.inputSchema,
        outputSchema: exchange.tool?.outputSchema,
      });
      // In the mode `wait` nobody hears of what is not on the disk.
      const hold = audit.hold(exchange.caller);
      return hold && endOf(hold);
    },
  };
}

/**
 * Arguments are recorded only if the schema that names the secrets among them is known and they fit it. A
 * password under a misspelt name is one that the schema doesn't mark.
 */
function deniedArguments(
  { frame, tool }: Exchange,
  link: string,
): Pick<AuditEntry, "arguments" | "withholdArguments"> {
  if (!tool || !AFTER_ARGUMENTS.has(link)) return { withholdArguments: true };
  return { arguments: frame.params?.arguments ?? {} };
}

/** After the fact: the call was made or refused, and the log itself counts what it could not keep. */
function tell(audit: Audit, entry: AuditEntry): void {
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
    "The request cannot be recorded, so it is not made; try again later.",
    {
      retryAfter: 5,
    },
  );
}

function about({ caller, server, frame, tool }: Exchange): Omit<AuditEntry, "event"> {
  const { tenant, user, ticket } = caller;
  const name = tool?.name ?? (frame?.method === "tools/call" ? frame.params?.name : undefined);
  return {
    actor: { tenant, user, view: ticket?.jti },
    server: server.id,
    method: frame?.method,
    tool: typeof name === "string" ? name : undefined,
    trace: traceIdOf(frame?.params?._meta),
  };
}

function traceIdOf(meta: unknown): string | undefined {
  if (typeof meta !== "object" || meta === null) return undefined;
  const { traceparent } = meta as { traceparent?: unknown };
  if (traceparent === undefined) return undefined;
  return /^[0-9a-f]{2}-([0-9a-f]{32})-/.exec(`${traceparent}`)?.[1];
}
