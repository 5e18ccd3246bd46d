import { CodedError } from "../errors/coded-error.ts";

/** Why an event wasn't recorded. */
export type AuditErrorCode =
  | "full" // the log is full: a call that can't be recorded must not be made
  | "unavailable" // the engine doesn't accept records at the moment
  | "closed" // the audit log was closed
  | "invalid"; // an invalid option

/** A failure of the audit log. */
export class AuditError extends CodedError<AuditErrorCode> {}

/** The error for a batch that the engine rejected. */
export function refusedError(cause: unknown): AuditError {
  const { code } = (cause ?? {}) as { code?: unknown };
  if (code === "full") {
    const text = "The audit log is full. Free space or trim it. Calls are refused until then.";
    return new AuditError("full", text, { cause });
  }
  const text = `The engine doesn't accept audit records (${String(code ?? "unknown")}). They are kept in memory and retried.`;
  return new AuditError("unavailable", text, { cause });
}

/** The error for a record that couldn't be written to the journal. */
export function unwrittenError(cause: unknown): AuditError {
  const { code } = (cause ?? {}) as { code?: unknown };
  const text = `The audit log's journal can't be written (${String(code ?? "unknown")}). Free space, or check the disk. Calls are refused until then.`;
  return new AuditError("full", text, { cause });
}

/** The error for records that were lost at shutdown. */
export function lostError(count: number, problem: AuditError | undefined): AuditError {
  const text = `${count} audit records weren't stored before the shutdown. The chain will show the gap.`;
  return new AuditError(problem?.code ?? "unavailable", text, { cause: problem });
}

/** The error for a closed log. */
export function closedError(): AuditError {
  return new AuditError("closed", "The audit log is closed. Open it again.");
}
