/** Why something was not recorded. */
export type AuditErrorCode =
  | "full" // no room: what cannot be recorded must not be done
  | "unavailable" // the engine does not take records now
  | "closed" // the audit log was closed
  | "invalid"; // an option nobody can mean

/** What the audit log could not do. */
export class AuditError extends Error {
  readonly code: AuditErrorCode;

  constructor(code: AuditErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "AuditError";
    this.code = code;
  }
}

/** What the engine said when it did not take a batch. */
export function refusedError(cause: unknown): AuditError {
  const { code } = (cause ?? {}) as { code?: unknown };
  if (code === "full") {
    const text = "The audit log has no room; free space or trim it. Calls are refused until then.";
    return new AuditError("full", text, { cause });
  }
  const text = `The engine takes no audit records (${String(code ?? "unknown")}); they wait in memory.`;
  return new AuditError("unavailable", text, { cause });
}

/** What the system said when a record could not be written down. */
export function unwrittenError(cause: unknown): AuditError {
  const { code } = (cause ?? {}) as { code?: unknown };
  const text = `The audit log's journal cannot be written (${String(code ?? "unknown")}); free space, or look at the disk. Calls are refused until then.`;
  return new AuditError("full", text, { cause });
}

/** Says how many records were lost at the end. */
export function lostError(count: number, problem: AuditError | undefined): AuditError {
  const text = `${count} audit records were not stored before the end; the chain will show the gap.`;
  return new AuditError(problem?.code ?? "unavailable", text, { cause: problem });
}

/** Says that nothing more is recorded. */
export function closedError(): AuditError {
  return new AuditError("closed", "The audit log is closed; open it again.");
}
