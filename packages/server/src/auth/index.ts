// Access tokens in front of an MCP server.
//
// Adding a name here makes it public.

export type { Auth, AuthClaims, AuthInfo } from "./auth.ts";
export { type AuthGuard, type RequireAuthOptions, requireAuth } from "./require-auth.ts";
export type { VerifiedToken, VerifyToken } from "./token-verifier.ts";
