// A real authorization server on loopback, and a user who logs in to it without a browser.

import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
// @ts-expect-error It has no types.
import { Provider } from "oidc-provider";

/** Where clients are sent back to. */
export const REDIRECT = "http://127.0.0.1:1/callback";
/** A client that is registered already. */
export const REGISTERED = "a-registered-host";

/** An authorization server. */
export interface AuthorizationServer extends AsyncDisposable {
  readonly issuer: string;
  /** Its requests, as `POST /token`. */
  readonly requests: string[];
  /** Stops answering, as if it were down, or answers again. */
  setDown(isDown: boolean): void;
}

/** The options of `startAuthorizationServer`. */
export interface AuthorizationServerOptions {
  /** The scopes of each resource. */
  scopes?: string;
  /** The groups of each user. */
  groups?: Record<string, string[]>;
  port?: number;
}

/** Starts a server that issues JWTs for whatever resource a client names. */
export async function startAuthorizationServer(
  options: AuthorizationServerOptions = {},
): Promise<AuthorizationServer> {
  const { scopes = "mcp", groups = {} } = options;
  const server = createServer();
  await once(server.listen(options.port ?? 0, "127.0.0.1"), "listening");
  const issuer = `http://127.0.0.1:${portOf(server)}`;
  const requests: string[] = [];
  let isDown = false;
  const provider = new Provider(issuer, {
    cookies: { keys: ["a key of this test"] },
    scopes: ["openid", "offline_access", ...scopes.split(" ")],
    clients: [
      {
        client_id: REGISTERED,
        redirect_uris: [REDIRECT],
        token_endpoint_auth_method: "none",
        application_type: "native",
      },
    ],
    pkce: { required: () => true },
    findAccount: (_context: unknown, id: string) => ({
      accountId: id,
      claims: () => ({ sub: id }),
    }),
    extraTokenClaims: (_context: unknown, { accountId }: { accountId?: string }) => ({
      groups: groups[accountId ?? ""] ?? [],
    }),
    features: {
      devInteractions: { enabled: true },
      registration: { enabled: true },
      revocation: { enabled: true },
      resourceIndicators: {
        enabled: true,
        useGrantedResource: () => true,
        getResourceServerInfo: (_context: unknown, resource: string) => ({
          scope: scopes,
          audience: resource,
          accessTokenFormat: "jwt",
          accessTokenTTL: 3600,
        }),
      },
    },
  });
  const answer = provider.callback();
  server.on("request", (request, response) => {
    requests.push(`${request.method} ${request.url?.split("?")[0]}`);
    if (isDown) request.socket.destroy();
    else answer(request, response);
  });
  return {
    issuer,
    requests,
    setDown: (down) => {
      isDown = down;
    },
    [Symbol.asyncDispose]: async () => {
      server.close().closeAllConnections();
    },
  };
}

/** Logs a user in at an authorization address, and returns the address that they are sent back to. */
export async function logIn(address: URL, user: string): Promise<URL> {
  const cookies = new Map<string, string>();
  let next: URL = address;
  let form: URLSearchParams | undefined;
  for (let step = 0; step < 12; step++) {
    const response = await fetch(next, {
      redirect: "manual",
      headers: { cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join("; ") },
      ...(form && { method: "POST", body: form }),
    });
    for (const cookie of response.headers.getSetCookie()) {
      const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(cookie) ?? [];
      cookies.set(name, value);
    }
    form = undefined;
    const location = response.headers.get("location");
    if (location !== null) {
      next = new URL(location, next);
      if (next.origin !== address.origin) return next;
      continue;
    }
    // A page with a form: first the log-in, then the consent.
    const page = await response.text();
    const action = /<form[^>]* action="([^"]+)"/.exec(page)?.[1];
    if (action === undefined) throw new Error(`${response.status} ${next}: ${page.slice(0, 500)}`);
    const isLogin = page.includes('name="login"');
    form = new URLSearchParams(
      isLogin ? { prompt: "login", login: user, password: "any" } : { prompt: "consent" },
    );
    next = new URL(action, next);
  }
  throw new Error(`The log-in of ${user} doesn't end.`);
}

function portOf(server: Server): number {
  return (server.address() as AddressInfo).port;
}
