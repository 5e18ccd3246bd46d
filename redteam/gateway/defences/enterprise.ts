import type { GatewayDefence } from "../defence.ts";

const TEST = "packages/gateway/test/identity/enterprise.process.test.ts";
const GRANTS = "gateway/src/identity/enterprise-grants.ts";

/** Assertions of companies' identity providers, and the tokens that the gateway issues for them. */
export const ENTERPRISE_DEFENCES: readonly GatewayDefence[] = [
  {
    name: "gateway-assertion-replay",
    edits: [
      { file: GRANTS, from: "await remember(used, [provider.issuer, jti]);", to: "void jti;" },
    ],
    noticedBy: [
      `${TEST}#rejects the second use of an assertion`,
      `${TEST}#rejects the second use at`,
    ],
  },
  {
    name: "gateway-assertion-type",
    edits: [{ file: GRANTS, from: "typ: ASSERTION_TYPE,", to: "" }],
    noticedBy: [`${TEST}#rejects an assertion of another type`],
  },
  {
    name: "gateway-assertion-audience",
    edits: [{ file: GRANTS, from: "audience: issuer,", to: "" }],
    noticedBy: [`${TEST}#rejects an assertion for another audience`],
  },
  {
    name: "gateway-assertion-client",
    edits: [
      {
        file: GRANTS,
        from: "payload.client_id !== request.clientId",
        to: "payload.client_id === 0",
      },
    ],
    noticedBy: [`${TEST}#rejects an assertion issued to another client`],
  },
  {
    name: "gateway-assertion-lifetime",
    edits: [{ file: GRANTS, from: "exp * 1000 > clock() + REMEMBERED", to: "exp < 0" }],
    noticedBy: [`${TEST}#rejects an assertion that lives for a day`],
  },
  {
    name: "gateway-assertion-resource",
    edits: [
      { file: GRANTS, from: "requested !== undefined && requested !== only", to: "only === 0" },
    ],
    noticedBy: [`${TEST}#never widens scopes`],
  },
  {
    name: "gateway-assertion-scopes",
    edits: [
      {
        file: GRANTS,
        from: "sets.every((set) => set.has(scope))",
        to: "sets.length >= 0 || scope",
      },
    ],
    noticedBy: [`${TEST}#never widens scopes`],
  },
  {
    name: "gateway-client-secret",
    edits: [
      {
        file: GRANTS,
        from: "if (client && (isSame || isPublic)) return;",
        to: "if (client) return;",
      },
    ],
    noticedBy: [`${TEST}#authenticates clients`],
  },
  {
    name: "gateway-revoked-assertion",
    edits: [
      {
        file: GRANTS,
        from: 'if (revocations.refusal(user, iat * 1000)) throw invalid("The user\'s access was revoked.");',
        to: "void revocations.refusal(user, iat);",
      },
    ],
    noticedBy: [`${TEST}#issues nothing for a user whose access was revoked`],
  },
  {
    name: "gateway-token-endpoint-rate",
    edits: [
      {
        file: "gateway/src/edge/token-endpoint.ts",
        from: "atOnce < AT_ONCE ? rate.take(addressKey(request.ip)) : undefined",
        to: "rate && AT_ONCE ? 0 : undefined",
      },
    ],
    noticedBy: [`${TEST}#limits how often an address may ask`],
  },
];
