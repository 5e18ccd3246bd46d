// An identity provider to try log-in with: any password is accepted. A company uses its own.

import { createServer } from "node:http";
import { Provider } from "oidc-provider";

const GROUPS = { ann: ["finance"], bob: ["sales"], kim: ["platform"] };
const port = 8070;
const issuer = `http://127.0.0.1:${port}`;

// It warns about its defaults for development, which are right here.
console.warn = () => {};
const provider = new Provider(issuer, {
  cookies: { keys: ["only for a trial"] },
  scopes: ["openid", "offline_access", "mcp"],
  pkce: { required: () => true },
  findAccount: (_context, id) => ({ accountId: id, claims: () => ({ sub: id }) }),
  extraTokenClaims: (_context, { accountId }) => ({ groups: GROUPS[accountId] ?? [] }),
  features: {
    devInteractions: { enabled: true },
    registration: { enabled: true },
    // RFC 8707: a token is for the address that the client named.
    resourceIndicators: {
      enabled: true,
      useGrantedResource: () => true,
      getResourceServerInfo: (_context, resource) => ({
        scope: "mcp",
        audience: resource,
        accessTokenFormat: "jwt",
        accessTokenTTL: 3600,
      }),
    },
  },
});
createServer(provider.callback()).listen(port, "127.0.0.1", () => console.log(issuer));
