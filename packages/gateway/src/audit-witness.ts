// The pipeline's witness that keeps the audit log: each request with what was decided, each answer with
// what came of it. What cannot be recorded is not done.

import type { AuditEntry } from "./audit/index.ts";
import { type Audit, AuditError } from "./audit/index.ts";
import type { Caller, Exchange } from "./pipeline/exchange.ts";
import type { Witness } from "./pipeline/pipeline.ts";
import { type Refusal, refuse } from "./pipeline/refusal.ts";

const LONGEST = 200;
const ALLOWED = { verdict: "allow" } as const;

/** Makes a witness of an audit log. */
export function auditWitness(audit: Audit): Witness {
  return {
    admit: (exchange) => {
      try {
        const { tool, frame } = exchange;
        const entry = about("request", exchange);
        entry.decision = ALLOWED;
        entry.sizes = { received: exchange.text.length };
        entry.arguments = tool && (frame.params?.arguments ?? {});
        entry.schema = tool?.inputSchema;
        audit.record(entry);
        const hold = audit.hold();
        return hold?.then(() => undefined, unrecorded);
      } catch (error) {
        return unrecorded(error);
      }
    },
    refused: (exchange, link, { code, data }) => {
      const { frame, text } = exchange;
      const cause = link === "internal" && typeof data?.cause === "string" ? data.cause : undefined;
      const entry = about("request", exchange);
      entry.decision = { verdict: "deny", link, code };
      entry.sizes = { received: text.length };
      if (frame?.method === "tools/call") entry.arguments = frame.params?.arguments ?? {};
      if (cause !== undefined) entry.detail = { cause: cause.slice(0, LONGEST) };
      tell(audit, entry);
      return audit.hold()?.catch(() => {});
    },
    answered: (exchange, { kind, code, bytes, milliseconds, result }) => {
      const entry = about("answer", exchange);
      entry.outcome = { kind, code };
      entry.sizes = { sent: bytes };
      entry.duration = milliseconds;
      entry.result = result;
      tell(audit, entry);
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

/** A View is the same for all calls of its connection, and spelled once by the log. */
const actors = new WeakMap<Caller, NonNullable<AuditEntry["actor"]>>();

function actorOf(caller: Caller): NonNullable<AuditEntry["actor"]> {
  const known = actors.get(caller);
  if (known) return known;
  const { tenant, user, ticket } = caller;
  const actor = { tenant, user, view: ticket?.jti };
  // Others come with a request and go with it.
  if (ticket) actors.set(caller, actor);
  return actor;
}

function about(event: AuditEntry["event"], { caller, server, frame, tool }: Exchange): AuditEntry {
  const name = tool?.name ?? (frame?.method === "tools/call" ? frame.params?.name : undefined);
  return {
    event,
    actor: actorOf(caller),
    server: server.id,
    method: frame?.method,
    tool: typeof name === "string" ? name : undefined,
    trace: traceIdOf(frame?.params?._meta),
    decision: undefined,
    sizes: undefined,
    arguments: undefined,
    schema: undefined,
    outcome: undefined,
    duration: undefined,
    result: undefined,
    detail: undefined,
  };
}

function traceIdOf(meta: unknown): string | undefined {
  if (typeof meta !== "object" || meta === null) return undefined;
  const { traceparent } = meta as { traceparent?: unknown };
  if (traceparent === undefined) return undefined;
  return /^[0-9a-f]{2}-([0-9a-f]{32})-/.exec(`${traceparent}`)?.[1];
}
