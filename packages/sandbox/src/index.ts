// The sandbox. Adding a name here makes it public; `test/exports.test.ts` pins the list.

export type { AnonymousLimits } from "./anonymous-quota.ts";
export type { CredentialOptions } from "./credential.ts";
export { buildPolicy, policyHash, type ViewPolicy } from "./csp.ts";
export type { EgressMessage } from "./egress-probe.ts";
export type {
  Authorization,
  Authorize,
  RegistrationMode,
  RequestClient,
} from "./entrance.ts";
export type { EntranceClaim, EntranceRegistration } from "./entrance-registration.ts";
export type { SandboxErrorCode } from "./error-messages.ts";
export { SANDBOX_ERROR_MESSAGES } from "./error-messages.ts";
export type { SandboxError } from "./errors.ts";
export { withFirstScript } from "./guarded-document.ts";
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
  type ViewVersion,
} from "./origins.ts";
export type { PermissionName } from "./permissions-policy.ts";
export type { Rejected, RejectionCode } from "./rejection.ts";
export type { RelayLimits } from "./relay/page-settings.ts";
export { type Explanation, explainViolation, type Violation } from "./reports.ts";
export { type ParsedSource, parseSource, type Source, type SourceOptions } from "./source.ts";
export type { StableDomain, StableOrigin } from "./stable-domains.ts";
export type { RegisteredView, SandboxLimits, ViewRegistration } from "./view-registry.ts";
export { createMemoryStore, type MemoryStoreOptions, type ViewStore } from "./view-store.ts";
export type { SandboxWarning } from "./warnings.ts";
