// The pipeline's witness that keeps the audit log: each request with what was decided, each answer with
// what came of it. What cannot be recorded is not done.

import type { AuditEntry } from "./audit/index.ts";
import { type Audit, AuditError } from "./audit/index.ts";
import type { Exchange } from "./pipeline/exchange.ts";
import type { Witness } from "./pipeline/pipeline.ts";
import { type Refusal, refuse } from "./pipeline/refusal.ts";

const LONGEST = 200;

/** Makes a witness of an audit log. */
export function auditWitness(audit: Audit): Witness {
  return {
    admit: (exchange) => {
      try {
        const { tool, frame } = exchange;
        audit.record({
          ...about(exchange),
          event: "request",
          decision: { verdict: "allow" },
          sizes: { received: exchange.text.length },
          ...(tool && { arguments: frame.params?.arguments ?? {}, schema: tool.inputSchema }),
        });
        const hold = audit.hold();
        return hold?.then(() => undefined, unrecorded);
      } catch (error) {
        return unrecorded(error);
      }
    },
    refused: (exchange, link, { code, data }) => {
      const { frame, text } = exchange;
      const cause = link === "internal" && typeof data?.cause === "string" ? data.cause : undefined;
      tell(audit, {
        ...about(exchange),
        event: "request",
        decision: { verdict: "deny", link, code },
        sizes: { received: text.length },
        ...(frame?.method === "tools/call" && { arguments: frame.params?.arguments ?? {} }),
        ...(cause !== undefined && { detail: { cause: cause.slice(0, LONGEST) } }),
      });
    },
    answered: (exchange, { kind, code, bytes, milliseconds, result }) => {
      tell(audit, {
        ...about(exchange),
        event: "answer",
        outcome: { kind, ...(code !== undefined && { code }) },
        sizes: { sent: bytes },
        duration: milliseconds,
        ...(result !== undefined && { result }),
      });
      // In the mode `wait` nobody hears of what is not on the disk.
      return audit.hold()?.catch(() => {});
    },
  };
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
  const trace = traceIdOf(frame?.params?._meta);
  return {
    actor: { tenant, user, ...(ticket && { view: ticket.jti }) },
    server: server.id,
    ...(frame && { method: frame.method }),
    ...(typeof name === "string" && { tool: name }),
    ...(trace !== undefined && { trace }),
  };
}

function traceIdOf(meta: unknown): string | undefined {
  const { traceparent } = Object(meta) as { traceparent?: unknown };
  return /^[0-9a-f]{2}-([0-9a-f]{32})-/.exec(`${traceparent}`)?.[1];
}
