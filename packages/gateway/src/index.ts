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
export { auditWitness } from "./audit-witness.ts";
export type {
  AuthConfig,
  GatewayConfig,
  OAuthConfig,
  SandboxSettings,
  ServerConfig,
} from "./config/config.ts";
export { type LoadedConfig, loadConfig } from "./config/load.ts";
export { ConfigError, type ConfigErrorCode, type Problem } from "./config/problem.ts";
export { createGateway, type Gateway, type GatewayOptions } from "./gateway.ts";
export type { Grant, Grants } from "./grants.ts";
export {
  type Credentials,
  type CredentialsOptions,
  createCredentials,
} from "./identity/credentials/credentials.ts";
export { CredentialError, type CredentialErrorCode } from "./identity/credentials/errors.ts";
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
export { createLog, type Log } from "./operate/log.ts";
export { OperatorError, type OperatorErrorCode } from "./operate/operator-error.ts";
export { createScrubber, type Scrubber } from "./operate/scrubber.ts";
export { type Service, type ServiceOptions, startService } from "./operate/service.ts";
export type { Caller, Exchange, ToolDefinition } from "./pipeline/exchange.ts";
export type { RateLimits } from "./pipeline/links/rate.ts";
export type { Outcome, Pipeline, Reply, Witness } from "./pipeline/pipeline.ts";
export type { Refusal, RefusalCode } from "./pipeline/refusal.ts";
export type { ServerBinding, ServerSettings } from "./servers.ts";
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
