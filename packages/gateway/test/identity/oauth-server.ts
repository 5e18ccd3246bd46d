import { createHash, randomBytes } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { serveStation2 } from "@vitrine/internal/station-servers";

/** A small authorization server: metadata, registration, consent that is always given, code, rotation. */
export class OAuthServer implements AsyncDisposable {
  readonly #http = createServer((request, response) => {
    this.#route(request, response).catch(() => response.writeHead(500).end());
  });
  readonly #clients = new Map<string, { redirect_uris: string[] }>();
  readonly #codes = new Map<string, Code>();
  readonly #refreshTokens = new Map<
    string,
    { clientId: string; resource: string; scope: string }
  >();
  /** Access tokens by what they are for. */
  readonly tokens = new Map<string, { resource: string; scope: string }>();
  /** Changes what the metadata say. */
  metadata: Record<string, unknown> = {};
  /** Whether answers name the issuer. */
  namesItself = true;
  /** Seconds that a token lives. */
  lifetime = 3600;
  /** Gives out tokens that no server takes. */
  givesDeadTokens = false;
  /** Gives out the same access token each time. */
  repeats = false;
  /** Answers token requests with this status. */
  tokenStatus: number | undefined;
  /** Milliseconds that a token request takes. */
  delay = 0;
  /** Milliseconds that the answer to a token request takes once the token exists. */
  answerDelay = 0;
  /** Each request to the token endpoint, as its form. */
  readonly tokenRequests: URLSearchParams[] = [];
  readonly registrations: unknown[] = [];
  /** How often the metadata was asked for. */
  discoveries = 0;
  /** Each request to the revocation endpoint, as its form. */
  readonly revocations: URLSearchParams[] = [];
  /** Milliseconds that a revocation takes. */
  revocationDelay = 0;
  /** Refresh tokens that were used twice: a rotating server ends the login then. */
  reused = 0;
  issued = 0;

  async listen(): Promise<this> {
    await new Promise<void>((resolve) => this.#http.listen(0, "127.0.0.1", resolve));
    return this;
  }

  get issuer(): string {
    return `http://127.0.0.1:${(this.#http.address() as AddressInfo).port}`;
  }

  get host(): string {
    return new URL(this.issuer).host;
  }

  /** Ends all logins. */
  revokeAll(): void {
    this.tokens.clear();
    this.#refreshTokens.clear();
  }

  /** A browser that opens an authorization address: where it is sent. */
  async open(url: string): Promise<URL> {
    const answer = await fetch(url, { redirect: "manual" });
    const location = answer.headers.get("location");
    if (!location) throw new Error(`HTTP ${answer.status}: ${await answer.text()}`);
    return new URL(location);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#http.closeAllConnections();
    await new Promise((resolve) => this.#http.close(resolve));
  }

  async #route(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(`${request.url}`, this.issuer);
    const { pathname } = url;
    if (pathname === "/.well-known/oauth-authorization-server")
      return json(response, this.#describe());
    if (pathname === "/register") return this.#register(await body(request), response);
    if (pathname === "/authorize") return this.#authorize(url.searchParams, response);
    if (pathname === "/token") {
      return this.#token(new URLSearchParams(await body(request)), response);
    }
    if (pathname === "/revoke") {
      const form = new URLSearchParams(await body(request));
      this.revocations.push(form);
      await new Promise((resolve) => setTimeout(resolve, this.revocationDelay));
      this.tokens.delete(form.get("token") ?? "");
      this.#refreshTokens.delete(form.get("token") ?? "");
      return void response.writeHead(200).end();
    }
    response.writeHead(404).end();
  }

  #describe(): object {
    this.discoveries++;
    return {
      issuer: this.issuer,
      authorization_endpoint: `${this.issuer}/authorize`,
      token_endpoint: `${this.issuer}/token`,
      registration_endpoint: `${this.issuer}/register`,
      revocation_endpoint: `${this.issuer}/revoke`,
      response_types_supported: ["code"],
      code_challenge_methods_supported: ["S256"],
      token_endpoint_auth_methods_supported: ["none"],
      ...(this.namesItself && { authorization_response_iss_parameter_supported: true }),
      ...this.metadata,
    };
  }

  #register(text: string, response: ServerResponse): void {
    const client = JSON.parse(text) as { redirect_uris: string[] };
    this.registrations.push(client);
    const client_id = `client-${this.#clients.size + 1}`;
    this.#clients.set(client_id, client);
    json(response, { ...client, client_id }, 201);
  }

  #authorize(query: URLSearchParams, response: ServerResponse): void {
    const get = (name: string): string => query.get(name) ?? "";
    const client = this.#clients.get(get("client_id"));
    const redirect = get("redirect_uri");
    // Letter by letter, as it must be.
    const isRight =
      client?.redirect_uris.includes(redirect) && get("code_challenge_method") === "S256";
    if (!isRight) {
      json(response, { error: "invalid_request" }, 400);
      return;
    }
    const code = secret("code");
    this.#codes.set(code, {
      clientId: get("client_id"),
      redirect,
      challenge: get("code_challenge"),
      resource: get("resource"),
      scope: get("scope"),
    });
    const location = new URL(redirect);
    location.searchParams.set("code", code);
    location.searchParams.set("state", get("state"));
    if (this.namesItself) location.searchParams.set("iss", this.issuer);
    response.writeHead(302, { location: location.href }).end();
  }

  async #token(form: URLSearchParams, response: ServerResponse): Promise<void> {
    this.tokenRequests.push(form);
    if (this.delay) await new Promise((resolve) => setTimeout(resolve, this.delay));
    if (this.tokenStatus) return void response.writeHead(this.tokenStatus).end();
    const given =
      form.get("grant_type") === "refresh_token" ? this.#refresh(form) : this.#redeem(form);
    if (!given) return json(response, { error: "invalid_grant" }, 400);
    const { clientId, resource, scope } = given;
    const access_token = this.repeats ? "CANARY-access-again" : secret("access");
    const refresh_token = secret("refresh");
    if (!this.givesDeadTokens) this.tokens.set(access_token, { resource, scope });
    this.#refreshTokens.set(refresh_token, { clientId, resource, scope });
    this.issued++;
    await new Promise((resolve) => setTimeout(resolve, this.answerDelay));
    json(response, {
      access_token,
      refresh_token,
      token_type: "Bearer",
      expires_in: this.lifetime,
      ...(scope && { scope }),
    });
  }

  #redeem(form: URLSearchParams): Granted | undefined {
    const code = this.#codes.get(form.get("code") ?? "");
    this.#codes.delete(form.get("code") ?? "");
    const verifier = createHash("sha256")
      .update(form.get("code_verifier") ?? "")
      .digest("base64url");
    const isRight =
      code?.challenge === verifier &&
      code.redirect === form.get("redirect_uri") &&
      code.clientId === form.get("client_id") &&
      code.resource === form.get("resource");
    return isRight ? code : undefined;
  }

  #refresh(form: URLSearchParams): Granted | undefined {
    const given = form.get("refresh_token") ?? "";
    const found = this.#refreshTokens.get(given);
    this.#refreshTokens.delete(given);
    if (!found) {
      this.reused++;
      this.revokeAll();
    }
    return found;
  }
}

interface Granted {
  clientId: string;
  resource: string;
  scope: string;
}

interface Code extends Granted {
  redirect: string;
  challenge: string;
}

/** A weather station that wants tokens of an authorization server. */
export interface ProtectedStation extends AsyncDisposable {
  url: string;
  host: string;
  /** Authorization headers, as they came. */
  seen: (string | undefined)[];
  /** All headers of all requests. */
  headers: string[];
  /** Changes what the metadata say. */
  metadata: Record<string, unknown>;
  /** A scope without which calls are refused. */
  scope: string | undefined;
}

export async function serveProtectedStation(authority: OAuthServer): Promise<ProtectedStation> {
  const station = await serveStation2();
  const served: ProtectedStation = {
    url: "",
    host: "",
    seen: [],
    headers: [],
    metadata: {},
    scope: undefined,
    [Symbol.asyncDispose]: async () => {
      http.closeAllConnections();
      await new Promise((resolve) => http.close(resolve));
      await station[Symbol.asyncDispose]();
    },
  };
  const challenge = (more = ""): string =>
    `Bearer resource_metadata="${new URL("/.well-known/oauth-protected-resource/mcp", served.url)}"${more}`;
  const http = createServer(async (request, response) => {
    if (request.url?.startsWith("/.well-known/oauth-protected-resource")) {
      return json(response, {
        resource: served.url,
        authorization_servers: [authority.issuer],
        ...served.metadata,
      });
    }
    if (request.url !== "/mcp") return void response.writeHead(404).end();
    const { authorization } = request.headers;
    served.seen.push(authorization);
    served.headers.push(JSON.stringify(request.headers));
    const token = authority.tokens.get(`${authorization}`.replace(/^Bearer /, ""));
    if (token?.resource !== served.url) {
      return void response.writeHead(401, { "www-authenticate": challenge() }).end();
    }
    if (served.scope && !token.scope.split(" ").includes(served.scope)) {
      const wanted = `, error="insufficient_scope", scope="${served.scope}"`;
      return void response.writeHead(403, { "www-authenticate": challenge(wanted) }).end();
    }
    const headers = new Headers(request.headers as Record<string, string>);
    for (const name of ["host", "connection", "content-length", "authorization"])
      headers.delete(name);
    const answer = await fetch(station.url, {
      method: "POST",
      headers,
      body: await body(request),
    });
    response.writeHead(answer.status, { "content-type": `${answer.headers.get("content-type")}` });
    response.end(await answer.text());
  });
  await new Promise<void>((resolve) => http.listen(0, "127.0.0.1", resolve));
  served.host = `127.0.0.1:${(http.address() as AddressInfo).port}`;
  served.url = `http://${served.host}/mcp`;
  return served;
}

/** A secret that is found wherever it leaks. */
function secret(kind: string): string {
  return `CANARY-${kind}-${randomBytes(16).toString("hex")}`;
}

async function body(request: IncomingMessage): Promise<string> {
  let text = "";
  for await (const chunk of request) text += chunk;
  return text;
}

function json(response: ServerResponse, value: unknown, status = 200): void {
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(value));
}
