export { type Audit, type AuditOptions, type AuditState, createAudit } from "./audit.ts";
export { AuditError, type AuditErrorCode } from "./audit-error.ts";
export { HEADS_BUCKET } from "./chain-writer.ts";
export { exportAudit, type ReadRecord, readAudit, tailAudit } from "./reading.ts";
export type { AuditEntry, AuditLevel, AuditRecord } from "./record.ts";
export type { ChainHead } from "./sealed-head.ts";
export { scrub } from "./secret-text.ts";
export { type Verification, type VerifyOptions, verifyAudit } from "./verify.ts";
