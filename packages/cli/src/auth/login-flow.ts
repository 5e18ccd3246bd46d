// OAuth for one server, step by step: the official client does discovery, registration, PKCE, the
// exchange and the refresh. Here are the checks that hold a log-in together.

import { randomBytes } from "node:crypto";
import {
  computeScopeUnion,
  discoverOAuthServerInfo,
  exchangeAuthorization,
  isStrictScopeSuperset,
  refreshAuthorization,
  registerClient,
  type StoredOAuthClientInformation,
  type StoredOAuthTokens,
  selectResourceURL,
  startAuthorization,
} from "@modelcontextprotocol/client";
import { Failure } from "../failure.ts";
import type { Fetch } from "./login-fetch.ts";
import { resourceOf, type SavedLogin } from "./login-file.ts";
import type { LoginChallenge } from "./login-needed.ts";

/** A client that the issuer knows already. */
export interface GivenClient {
  id: string;
  secret?: string | undefined;
}

type ServerInfo = Awaited<ReturnType<typeof discoverOAuthServerInfo>>;

/** Where to log in, as the server's and the issuer's documents say. */
export interface LoginPlan {
  readonly info: ServerInfo;
  readonly metadata: NonNullable<ServerInfo["authorizationServerMetadata"]>;
  readonly issuer: string;
  /** The resource indicator; none if the server has no resource metadata. */
  readonly resource: string | undefined;
}

/** A log-in that waits for the user. */
export interface StartedLogin {
  readonly plan: LoginPlan;
  readonly state: string;
  readonly verifier: string;
  readonly address: URL;
  readonly redirect: string;
  readonly client: StoredOAuthClientInformation;
}

/** Reads the documents of the server and its issuer, and checks that they belong together. */
export async function planLogin(
  server: URL,
  { challenge, fetch }: { challenge?: LoginChallenge | undefined; fetch: Fetch },
): Promise<LoginPlan> {
  needSafe(server, "The server");
  const info = await discoverOAuthServerInfo(server, {
    ...(challenge?.metadata && { resourceMetadataUrl: challenge.metadata }),
    fetchFn: fetch,
  });
  const { authorizationServerMetadata: metadata, resourceMetadata } = info;
  if (!metadata) {
    throw new Failure(
      "login-failed",
      resourceMetadata
        ? `The authorization server ${info.authorizationServerUrl} has no metadata document (RFC 8414).`
        : `${server.href} doesn't say where to log in: it has no resource metadata (RFC 9728). If it takes a key, pass it with --header "Authorization: …".`,
    );
  }
  // Throws if the server names another server as its resource.
  await selectResourceURL(server, {} as never, resourceMetadata);
  needSafe(new URL(metadata.authorization_endpoint), "The authorization endpoint");
  needSafe(new URL(metadata.token_endpoint), "The token endpoint");
  if (!metadata.code_challenge_methods_supported?.includes("S256"))
    throw new Failure(
      "login-failed",
      `The authorization server ${metadata.issuer} doesn't support PKCE with S256, so a log-in there isn't safe.`,
    );
  return { info, metadata, issuer: metadata.issuer, resource: resourceMetadata?.resource };
}

/** Chooses or registers a client, and creates the address where the user logs in. */
export async function startLogin(
  plan: LoginPlan,
  options: {
    saved: SavedLogin | undefined;
    given?: GivenClient | undefined;
    challenge?: LoginChallenge | undefined;
    scope?: string | undefined;
    redirect: string;
    fetch: Fetch;
  },
): Promise<StartedLogin> {
  const { redirect, saved } = options;
  const scope = scopeOf(plan, options);
  const { authorizationServerUrl: base } = plan.info;
  const client = options.given
    ? givenClient(options.given, plan.issuer)
    : (knownClient(saved, { issuer: plan.issuer, redirect, scope }) ??
      (await register(plan, { redirect, fetch: options.fetch })));
  const state = randomBytes(32).toString("base64url");
  const { authorizationUrl, codeVerifier } = await startAuthorization(base, {
    metadata: plan.metadata,
    clientInformation: client,
    redirectUrl: redirect,
    state,
    ...(scope !== undefined && { scope }),
    ...(plan.resource !== undefined && { resource: plan.resource }),
  });
  return { plan, state, verifier: codeVerifier, address: authorizationUrl, redirect, client };
}

/** Exchanges the code for tokens, at the issuer with which the log-in began. */
export async function completeLogin(
  { plan, verifier, redirect, client }: StartedLogin,
  { code, iss, fetch }: { code: string; iss: string | undefined; fetch: Fetch },
): Promise<StoredOAuthTokens> {
  const tokens = await exchangeAuthorization(plan.info.authorizationServerUrl, {
    metadata: plan.metadata,
    clientInformation: client,
    authorizationCode: code,
    codeVerifier: verifier,
    redirectUri: redirect,
    fetchFn: fetch,
    ...(iss !== undefined && { iss }),
    ...(plan.resource !== undefined && { resource: plan.resource }),
  });
  return needBearer({ ...tokens, issuer: plan.issuer });
}

/** New tokens for a stored log-in; its refresh token goes to its own issuer only. */
export async function refreshLogin(
  plan: LoginPlan,
  { client, tokens, issuer }: SavedLogin,
  fetch: Fetch,
): Promise<StoredOAuthTokens | undefined> {
  if (!client || !tokens?.refresh_token || issuer !== plan.issuer) return undefined;
  const fresh = await refreshAuthorization(plan.info.authorizationServerUrl, {
    metadata: plan.metadata,
    clientInformation: client,
    refreshToken: tokens.refresh_token,
    fetchFn: fetch,
    ...(plan.resource !== undefined && { resource: plan.resource }),
  });
  return needBearer({
    ...(tokens.scope !== undefined && { scope: tokens.scope }),
    ...fresh,
    issuer,
  });
}

/** An entry for the file. */
export function toSaved(
  server: URL,
  { client, tokens }: { client: StoredOAuthClientInformation; tokens: StoredOAuthTokens },
): SavedLogin {
  const seconds = tokens.expires_in;
  return {
    resource: resourceOf(server),
    issuer: tokens.issuer ?? "",
    client,
    tokens,
    ...(seconds !== undefined && { expires: Date.now() + seconds * 1000 }),
  };
}

/** Tokens and codes must not travel in plain text; this machine is an exception. */
export function needSafe(url: URL, what: string): void {
  const isLocal =
    /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/.test(url.hostname) ||
    url.hostname.endsWith(".localhost");
  if (url.protocol === "https:" || (url.protocol === "http:" && isLocal)) return;
  throw new Failure(
    "login-failed",
    `${what} ${url.origin} doesn't use https, so a log-in isn't safe. Only servers on this machine may use http.`,
  );
}

function scopeOf(
  { info, metadata }: LoginPlan,
  {
    saved,
    challenge,
    scope,
  }: {
    saved: SavedLogin | undefined;
    challenge?: LoginChallenge | undefined;
    scope?: string | undefined;
  },
): string | undefined {
  const wanted =
    scope ?? challenge?.scope ?? info.resourceMetadata?.scopes_supported?.join(" ") ?? undefined;
  // A server that wants one more scope doesn't repeat the others.
  const all = challenge?.isStepUp ? computeScopeUnion(saved?.tokens?.scope, wanted) : wanted;
  const canRefresh = metadata.scopes_supported?.includes("offline_access");
  return all !== undefined && canRefresh ? computeScopeUnion(all, "offline_access") : all;
}

function givenClient({ id, secret }: GivenClient, issuer: string): StoredOAuthClientInformation {
  return { client_id: id, issuer, ...(secret !== undefined && { client_secret: secret }) };
}

/** A registration is for one redirect, and another port may be used today; it may limit scopes too. */
function knownClient(
  saved: SavedLogin | undefined,
  { issuer, redirect, scope }: { issuer: string; redirect: string; scope: string | undefined },
): StoredOAuthClientInformation | undefined {
  if (!saved?.client || saved.issuer !== issuer) return undefined;
  const { redirect_uris: redirects, scope: limit } = saved.client as {
    redirect_uris?: string[];
    scope?: string;
  };
  if (redirects && !redirects.includes(redirect)) return undefined;
  return limit !== undefined && isStrictScopeSuperset(scope, limit) ? undefined : saved.client;
}

async function register(
  { info, metadata, issuer }: LoginPlan,
  { redirect, fetch }: { redirect: string; fetch: Fetch },
): Promise<StoredOAuthClientInformation> {
  if (!metadata.registration_endpoint) {
    throw new Failure(
      "login-failed",
      `The authorization server ${issuer} doesn't register clients by itself. Register one there with the redirect ${redirect}, and log in with \`vitrine login <server> --client-id <id>\`.`,
    );
  }
  needSafe(new URL(metadata.registration_endpoint), "The registration endpoint");
  const client = await registerClient(info.authorizationServerUrl, {
    metadata,
    clientMetadata: {
      client_name: "Vitrine",
      redirect_uris: [redirect],
      grant_types: ["authorization_code", "refresh_token"],
      response_types: ["code"],
      token_endpoint_auth_method: "none",
      application_type: "native",
    },
    // Without a scope: one would limit the client, and the server may want more later.
    fetchFn: fetch,
  });
  return { ...client, issuer };
}

function needBearer(tokens: StoredOAuthTokens): StoredOAuthTokens {
  if (tokens.token_type.toLowerCase() === "bearer") return tokens;
  throw new Failure(
    "login-failed",
    `The authorization server issued a token of the type "${tokens.token_type.slice(0, 40)}". Only Bearer tokens are supported.`,
  );
}
