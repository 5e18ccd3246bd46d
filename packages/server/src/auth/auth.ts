// The user of a call, as the access token describes them.

/**
 * The claims of a token. Declare yours to get their types:
 * `declare module "@vitrine/server" { interface AuthClaims { email?: string } }`.
 */
// biome-ignore lint/suspicious/noEmptyInterface: users add to it.
export interface AuthClaims {}

/** The user of a call. */
export interface Auth {
  /** The user's id at the issuer; unique together with `issuer`. */
  readonly subject: string;
  readonly issuer: string;
  /** The client that the user allowed, such as a chat product. */
  readonly clientId: string;
  readonly scopes: readonly string[];
  readonly claims: AuthClaims & Readonly<Record<string, unknown>>;
}

/** The official SDK's type of a checked token, by its shape. */
export interface AuthInfo {
  token: string;
  clientId: string;
  scopes: string[];
  expiresAt?: number;
  resource?: URL;
  resourceMetadataUrl?: string;
  extra?: Record<string, unknown>;
}

type Sdk = { http?: { authInfo?: AuthInfo }; authInfo?: AuthInfo };

/** The user of a call, from either SDK's context; `undefined` without `requireAuth`. */
export function authOf(sdk: unknown): Auth | undefined {
  const { http, authInfo = http?.authInfo } = Object(sdk) as Sdk;
  const auth = authInfo?.extra?.auth;
  const { subject, issuer } = Object(auth) as Partial<Auth>;
  return typeof subject === "string" && typeof issuer === "string" ? (auth as Auth) : undefined;
}
