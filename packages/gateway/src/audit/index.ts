export { type Audit, type AuditOptions, type AuditState, createAudit } from "./audit.ts";
export { HEADS_BUCKET } from "./chain-writer.ts";
export { AuditError, type AuditErrorCode } from "./errors.ts";
export { exportAudit, type ReadRecord, readAudit, tailAudit } from "./reading.ts";
export type { AuditEntry, AuditLevel, AuditRecord } from "./record.ts";
export { scrub } from "./redaction.ts";
export type { ChainHead } from "./sealed-head.ts";
export { sharedOutcome } from "./shared-outcome.ts";
export { type Verification, type VerifyOptions, verifyAudit } from "./verify.ts";
