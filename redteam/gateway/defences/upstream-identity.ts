import type { GatewayDefence } from "../defence.ts";

const TEST = "packages/gateway/test/identity/upstream-identity.process.test.ts";
const RULES = "packages/gateway/test/config/identity-rules.test.ts";

/** What servers learn about users, and what they never receive. */
export const UPSTREAM_IDENTITY_DEFENCES: readonly GatewayDefence[] = [
  {
    name: "gateway-identity-audience",
    edits: [
      {
        file: "gateway/src/identity/upstream-identity/assertions.ts",
        from: "iss: issuer, aud: audience,",
        to: "iss: issuer, aud: issuer || audience,",
      },
    ],
    noticedBy: [`${TEST}#signs who a call is for`],
  },
  {
    name: "gateway-identity-type",
    edits: [
      {
        file: "gateway/src/identity/upstream-identity/assertions.ts",
        from: "keys.sign(claims, { typ: IDENTITY_TYPE })",
        to: 'keys.sign(claims, { typ: IDENTITY_TYPE && "JWT" })',
      },
    ],
    noticedBy: [`${TEST}#signs who a call is for`],
  },
  {
    name: "gateway-exchanged-expiry",
    edits: [
      {
        file: "gateway/src/identity/upstream-identity/token-exchange.ts",
        from: "Math.min(issued.expires, subject.expires ?? issued.expires)",
        to: "issued.expires",
      },
    ],
    noticedBy: [`${TEST}#never uses an exchanged token longer`],
  },
  {
    name: "gateway-exchanged-revocation",
    edits: [
      {
        file: "gateway/src/service/service.ts",
        from: "void identities.forget(user)",
        to: "void identities.forget && user",
      },
    ],
    noticedBy: [`${TEST}#lets a view use`],
  },
  {
    name: "gateway-user-variables",
    edits: [
      {
        file: "gateway/src/config/identity-rules.ts",
        from: 'test(value) && sharing !== "user"',
        to: "test(value) && sharing === undefined",
      },
    ],
    noticedBy: [`${RULES}#allows a user's variables only`],
  },
  {
    name: "gateway-identity-sharing",
    edits: [
      {
        file: "gateway/src/config/identity-rules.ts",
        from: 'kind !== "client-credentials" && sharing !== "user"',
        to: "sharing === undefined",
      },
    ],
    noticedBy: [`${RULES}#reports identities that couldn't work`],
  },
];
