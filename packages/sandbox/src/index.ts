// The other origin. Adding a name here makes it public; `test/exports.test.ts` pins the list.

export { buildPolicy, policyHash, type ViewPolicy } from "./csp.ts";
export type { EgressMessage } from "./egress-probe.ts";
export type { Authorization, Authorize, EntranceRegistration } from "./entrance.ts";
export type { SandboxError, SandboxErrorCode } from "./errors.ts";
export {
  createSandbox,
  type Diagnostic,
  type Sandbox,
  type SandboxConfig,
} from "./handler.ts";
export type { Approval, DomainList, OperatorPolicy } from "./operator-policy.ts";
export {
  createOrigins,
  type DomainTier,
  type LocalhostTier,
  type Origins,
  type OriginsConfig,
  type SingleOriginTier,
  type ViewIdentity,
} from "./origins.ts";
export type { PermissionName } from "./permissions-policy.ts";
export type { Rejected, RejectionCode } from "./rejection.ts";
export type { RelayLimits } from "./relay/page-settings.ts";
export { type Explanation, explainViolation, type Violation } from "./reports.ts";
export { SANDBOX_SENTENCES } from "./sentences.ts";
export { type ParsedSource, parseSource, type Source, type SourceOptions } from "./source.ts";
export type { RegisteredView, SandboxLimits, ViewRegistration } from "./view-desk.ts";
export { createMemoryStore, type MemoryStoreOptions, type ViewStore } from "./view-store.ts";
