// A gateway whose users log in at a real authorization server, and a host that logs in with the official client.

import {
  Client,
  type OAuthClientProvider,
  type StoredOAuthClientInformation,
  type StoredOAuthTokens,
  StreamableHTTPClientTransport,
  UnauthorizedError,
} from "@modelcontextprotocol/client";
import { serveStation2 } from "@vitrine/internal/station-servers";
import { expect } from "vitest";
import { jwtAuthenticator } from "../../src/identity/user-token.ts";
import { freePort } from "../service/stage.ts";
import { openStage, type StageOptions, upstreamTo } from "../stage.ts";
import { type AuthorizationServer, logIn, REDIRECT } from "./authorization-server.ts";

/** What a test opened, in the order in which it did. */
export type Opened = AsyncDisposable[];

/** Keeps everything in memory, as a host does for one user. */
export class MemoryLogin implements OAuthClientProvider {
  readonly redirectUrl = REDIRECT;
  readonly clientMetadata = {
    client_name: "a host",
    redirect_uris: [REDIRECT],
    token_endpoint_auth_method: "none",
    application_type: "native",
  };
  readonly addresses: URL[] = [];
  #client: StoredOAuthClientInformation | undefined;
  #verifier = "";
  tokens_: StoredOAuthTokens | undefined;
  /** A client that the operator registered. Others register themselves, with the first scopes they need. */
  constructor(clientId?: string) {
    if (clientId !== undefined) this.#client = { client_id: clientId } as never;
  }
  clientInformation = () => this.#client;
  saveClientInformation = (client: StoredOAuthClientInformation) => {
    this.#client = client;
  };
  tokens = () => this.tokens_;
  saveTokens = (tokens: StoredOAuthTokens) => {
    this.tokens_ = tokens;
  };
  redirectToAuthorization = (address: URL) => void this.addresses.push(address);
  saveCodeVerifier = (verifier: string) => {
    this.#verifier = verifier;
  };
  codeVerifier = () => this.#verifier;
}

/** Connects, logs in when the gateway asks for it, and connects again. */
export async function connect(
  open: Opened,
  url: string,
  { user = "ann", login = new MemoryLogin() }: { user?: string; login?: MemoryLogin } = {},
): Promise<{ client: Client; login: MemoryLogin }> {
  const transportTo = () =>
    new StreamableHTTPClientTransport(new URL(url), { authProvider: login });
  const client = () => new Client({ name: "host", version: "1.0.0" });
  const first = transportTo();
  // A second log-in starts with a token that isn't enough.
  const failure = await client()
    .connect(first)
    .catch((error: unknown) => error);
  expect(failure).toBeInstanceOf(UnauthorizedError);
  const back = await logIn(login.addresses.at(-1) as URL, user);
  await first.finishAuth(back.searchParams);
  const connected = client();
  await connected.connect(transportTo());
  open.push({ [Symbol.asyncDispose]: () => connected.close() });
  return { client: connected, login };
}

/** Opens a gateway with the servers `station` and `vault`. */
export async function openLoginGateway(
  open: Opened,
  servers: AuthorizationServer[],
  {
    settings,
    scopes = ["mcp"],
    basePath = "",
  }: Pick<StageOptions, "settings" | "basePath"> & { scopes?: string[] } = {},
) {
  const port = await freePort();
  const publicUrl = `http://127.0.0.1:${port}${basePath}`;
  const station = await serveStation2();
  const upstream = upstreamTo(station.url);
  const stage = await openStage({
    port,
    basePath,
    authenticate: jwtAuthenticator(
      servers.map(({ issuer }, place) => ({ issuer, tenant: `t${place}`, groupsClaim: "groups" })),
    ),
    login: { publicUrl, issuers: servers.map(({ issuer }) => issuer), scopes },
    servers: {
      station: { upstream: upstreamTo(station.url) },
      vault: { upstream, ...(settings && { settings }) },
    },
  });
  open.push(stage, station);
  return { stage, publicUrl, upstream };
}
