// The gateway as a small authorization server (RFC 6749, RFC 7523, RFC 8414): it only exchanges assertions of
// companies' identity providers for access tokens. There is no log-in page and no refresh token.

import { setTimeout as sleep } from "node:timers/promises";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import {
  type EnterpriseGrants,
  GrantError,
  type GrantErrorCode,
  type GrantRequest,
  type IssuedToken,
} from "../identity/enterprise-grants.ts";
import { AcceptRate } from "./accept-rate.ts";
import { addressKey } from "./connection-guard.ts";
import { allowAnyPage } from "./resource-metadata.ts";

/** The options of `addTokenEndpoint`. */
export interface TokenEndpointOptions {
  issuer: string;
  grants: EnterpriseGrants;
  scopes: readonly string[];
  /** Requests a second from one address. */
  perSecond?: number;
  onIssued?(issued: Omit<IssuedToken, "token">): void;
  /** Called for each request without a token. The cause is for the operator only. */
  onRejected?(error: GrantError, client: string, remote: string): void;
}

export const JWT_BEARER = "urn:ietf:params:oauth:grant-type:jwt-bearer";
const ID_JAG = "urn:ietf:params:oauth:grant-profile:id-jag";
const BODY = 32 * 1024;
const PER_SECOND = 50;
const AT_ONCE = 64;
const SECONDS = 300;
const LONGEST_NAME = 2048;

const STATUSES: Partial<Record<GrantErrorCode, number>> = {
  invalid_client: 401,
  temporarily_unavailable: 503,
};

/** Adds the routes to a gateway's HTTP endpoint. */
export function addTokenEndpoint(app: FastifyInstance, options: TokenEndpointOptions): void {
  const { issuer, grants, scopes, perSecond = PER_SECOND } = options;
  const metadata = {
    issuer,
    token_endpoint: `${issuer}/oauth/token`,
    // Some clients don't accept metadata without it. It answers that there is no log-in page.
    authorization_endpoint: `${issuer}/oauth/authorize`,
    jwks_uri: `${issuer}/.well-known/jwks.json`,
    scopes_supported: scopes,
    response_types_supported: [],
    grant_types_supported: [JWT_BEARER],
    authorization_grant_profiles_supported: [ID_JAG],
    token_endpoint_auth_methods_supported: ["client_secret_basic", "client_secret_post", "none"],
  };
  const rate = new AcceptRate(perSecond);
  let atOnce = 0;

  app.get("/.well-known/oauth-authorization-server", async (_request, reply) =>
    allowAnyPage(reply).header("cache-control", `public, max-age=${SECONDS}`).send(metadata),
  );
  app.get("/oauth/authorize", async (_request, reply) =>
    sendError(reply, {
      code: "unsupported_response_type",
      message: "This gateway has no log-in page. Use an assertion of your identity provider.",
      status: 400,
    }),
  );
  app.options("/oauth/token", async (_request, reply) =>
    allowAnyPage(reply)
      .header("access-control-allow-methods", "POST")
      .header("access-control-allow-headers", "authorization, content-type, mcp-protocol-version")
      .header("access-control-max-age", "600")
      .code(204)
      .send(),
  );
  // Only this route reads forms.
  app.register(async (scope) => {
    scope.addContentTypeParser(
      "application/x-www-form-urlencoded",
      { parseAs: "string", bodyLimit: BODY },
      (_request, body, done) => done(null, body),
    );
    const onRequest = async (request: FastifyRequest, reply: FastifyReply) => {
      const wait = atOnce < AT_ONCE ? rate.take(addressKey(request.ip)) : undefined;
      if (wait !== undefined) {
        if (wait > 0) await sleep(wait, undefined, { ref: false });
        return undefined;
      }
      const message = "Too many token requests. Try again in a moment.";
      reply.header("retry-after", "1").header("connection", "close");
      return sendError(reply, { code: "temporarily_unavailable", message, status: 429 });
    };
    scope.post("/oauth/token", { onRequest, bodyLimit: BODY }, async (request, reply) => {
      let client = "";
      atOnce += 1;
      try {
        const wanted = readRequest(request);
        client = wanted.clientId;
        const { token, ...issued } = await grants.exchange(wanted);
        options.onIssued?.(issued);
        return allowAnyPage(reply).send({
          access_token: token,
          token_type: "Bearer",
          expires_in: issued.lifetime,
          scope: issued.scope,
        });
      } catch (error) {
        if (!(error instanceof GrantError)) throw error;
        options.onRejected?.(error, client, request.ip);
        const status = STATUSES[error.code] ?? 400;
        if (status === 401 && request.headers.authorization) {
          reply.header("www-authenticate", "Basic");
        }
        return sendError(reply, { code: error.code, message: error.message, status });
      } finally {
        atOnce -= 1;
      }
    });
  });
}

function sendError(
  reply: FastifyReply,
  { code, message, status }: { code: string; message: string; status: number },
): FastifyReply {
  return allowAnyPage(reply)
    .code(status)
    .type("application/json")
    .send({ error: code, error_description: message });
}

function readRequest({ body, headers }: FastifyRequest): GrantRequest {
  const form = new URLSearchParams(typeof body === "string" ? body : "");
  const one = (name: string): string | undefined => {
    const values = form.getAll(name);
    if (values.length > 1) throw new GrantError("invalid_request", `${name} is repeated.`);
    return values[0];
  };
  if (one("grant_type") !== JWT_BEARER) {
    throw new GrantError("unsupported_grant_type", `grant_type must be ${JWT_BEARER}.`);
  }
  const basic = basicOf(headers.authorization);
  const [id, secret] = [one("client_id"), one("client_secret")];
  if (basic && (secret !== undefined || (id !== undefined && id !== basic.id))) {
    throw new GrantError("invalid_request", "The client authenticates in two ways. Use one.");
  }
  const clientId = basic?.id ?? id ?? "";
  const assertion = one("assertion") ?? "";
  if (clientId === "" || clientId.length > LONGEST_NAME || assertion === "") {
    throw new GrantError("invalid_request", "client_id or assertion is missing.");
  }
  return {
    ...{ clientId, assertion, clientSecret: basic?.secret ?? secret },
    ...{ resource: one("resource"), scope: one("scope") },
  };
}

/** RFC 6749 section 2.3.1: both parts are form-encoded. */
function basicOf(header: string | undefined): { id: string; secret: string } | undefined {
  const [, encoded] = /^Basic ([\w+/=-]+)$/i.exec(header ?? "") ?? [];
  if (encoded === undefined) return undefined;
  const [id = "", ...rest] = Buffer.from(encoded, "base64").toString().split(":");
  const decode = (text: string): string => new URLSearchParams(`x=${text}`).get("x") ?? "";
  return { id: decode(id), secret: decode(rest.join(":")) };
}
