// The gateway as a library. Adding a name here makes it public.

export {
  type Audit,
  type AuditEntry,
  AuditError,
  type AuditErrorCode,
  type AuditLevel,
  type AuditOptions,
  type AuditRecord,
  type AuditState,
  createAudit,
  exportAudit,
  readAudit,
  tailAudit,
  type Verification,
  type VerifyOptions,
  verifyAudit,
} from "./audit/index.ts";
export type {
  AuthConfig,
  GatewayConfig,
  OAuthConfig,
  SandboxSettings,
  ServerConfig,
} from "./config/config.ts";
export { type LoadedConfig, loadConfig } from "./config/load.ts";
export { ConfigError, type ConfigErrorCode, type Problem } from "./config/problem.ts";
export type { Refusal, RefusalCode } from "./errors/refusal.ts";
export { createGateway, type Gateway, type GatewayOptions } from "./gateway.ts";
export {
  CredentialError,
  type CredentialErrorCode,
} from "./identity/credentials/credential-error.ts";
export {
  type Credentials,
  type CredentialsOptions,
  createCredentials,
} from "./identity/credentials/credentials.ts";
export {
  type Authenticate,
  devAuthenticator,
  type JwtOptions,
  jwtAuthenticator,
  type User,
} from "./identity/user-token.ts";
export {
  createTickets,
  type TicketClaims,
  type TicketOptions,
  type Tickets,
} from "./identity/view-ticket.ts";
export type { CallerMessage, RequestMessage } from "./json-rpc/message.ts";
export { createLog, type Log } from "./observability/log.ts";
export { createScrubber, type Scrubber } from "./observability/scrubber.ts";
export { auditRecorder } from "./policy/audit-recorder.ts";
export type { Caller } from "./policy/caller.ts";
export type { RateLimits } from "./policy/checks/rate-limit.ts";
export type { Exchange } from "./policy/exchange.ts";
export type { Grant, Grants } from "./policy/grants.ts";
export type { Outcome, Pipeline, Recorder, Reply } from "./policy/pipeline.ts";
export type { ServerBinding, ServerSettings } from "./policy/server-binding.ts";
export type { ToolDefinition } from "./policy/tool-definition.ts";
export { OperatorError, type OperatorErrorCode } from "./service/operator-error.ts";
export { type Service, type ServiceOptions, startService } from "./service/service.ts";
export {
  type AddressGuard,
  type AddressGuardOptions,
  createAddressGuard,
  createHttpUpstream,
  createStdioUpstream,
  type HttpUpstreamOptions,
  type StdioUpstreamOptions,
  type Upstream,
  type UpstreamAnswer,
  type UpstreamCall,
  UpstreamError,
  type UpstreamErrorCode,
  type UpstreamEvent,
  type UpstreamScope,
} from "./upstreams/index.ts";
