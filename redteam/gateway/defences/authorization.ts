import type { GatewayDefence } from "../defence.ts";

const POLICIES = "packages/gateway/test/policy/authorization/authorizer.test.ts";
const GATEWAY = "packages/gateway/test/policy/authorization/authorization.process.test.ts";
const APPROVALS = "packages/gateway/test/policy/authorization/admin-approval.process.test.ts";
const QUOTAS = "packages/gateway/test/policy/limits/quotas.process.test.ts";
const LOGIN = "packages/gateway/test/identity/standard-login.process.test.ts";
const RESOURCES = "packages/gateway/test/identity/protected-resources.test.ts";
const KEYS = "packages/gateway/test/identity/issuer-keys.process.test.ts";

/** Log-in of standard hosts, and access policies. */
export const AUTHORIZATION_DEFENCES: readonly GatewayDefence[] = [
  {
    name: "gateway-token-audience",
    edits: [
      {
        file: "gateway/src/identity/user-token.ts",
        from: "return found?.audiences.some(isFor) ? found.user : undefined;",
        to: "return found?.user;",
      },
    ],
    noticedBy: [
      `${LOGIN}#accepts a token only for the server`,
      `${KEYS}#rejects a token for another`,
    ],
  },
  {
    name: "gateway-tenants-of-issuer",
    edits: [
      {
        file: "gateway/src/identity/user-token.ts",
        from: "if (tenants && !tenants.includes(tenant)) return undefined;",
        to: "",
      },
    ],
    noticedBy: [`${KEYS}#keeps the users of two issuers apart`],
  },
  {
    name: "gateway-issuers-of-server",
    edits: [
      {
        file: "gateway/src/identity/protected-resources.ts",
        from: "issuer === undefined || issuersOf(id).includes(issuer)",
        to: "issuer !== null",
      },
    ],
    noticedBy: [`${RESOURCES}#keeps the users of an issuer out of a server`],
  },
  {
    name: "gateway-metadata-issuer",
    edits: [
      {
        file: "gateway/src/identity/issuer-keys.ts",
        from: 'found?.issuer === issuer && typeof found.jwks_uri === "string"',
        to: 'typeof found?.jwks_uri === "string"',
      },
    ],
    noticedBy: [`${KEYS}#doesn't use metadata that names another issuer`],
  },
  {
    name: "gateway-token-outage",
    edits: [
      {
        file: "gateway/src/identity/issuer-keys.ts",
        from: "  errors.JWKSMultipleMatchingKeys,\n",
        to: "",
      },
    ],
    noticedBy: [`${KEYS}#doesn't take a token without a key's name`],
  },
  {
    name: "gateway-unevaluated-forbid",
    edits: [
      {
        file: "gateway/src/policy/authorization/authorizer.ts",
        from: "forbids.push(policyId);",
        to: "",
      },
    ],
    noticedBy: [`${POLICIES}#deny if a forbid can't be evaluated`],
  },
  {
    name: "gateway-entity-arguments",
    edits: [
      {
        file: "gateway/src/policy/authorization/access-request.ts",
        from: 'if (key.startsWith("__"))',
        to: 'if (key === "")',
      },
    ],
    noticedBy: [`${POLICIES}#don't let arguments become entities`],
  },
  {
    name: "gateway-policy-names",
    edits: [
      {
        file: "gateway/src/policy/authorization/access-request.ts",
        from: "tenant.replaceAll(/[%/]/g, encodeURIComponent)",
        to: "tenant",
      },
    ],
    noticedBy: [`${POLICIES}#keep tenants and names with slashes apart`],
  },
  {
    name: "gateway-exact-approval",
    edits: [
      {
        file: "gateway/src/policy/checks/approval.ts",
        from: "if (await grants.spend(exchange, { isExact: true })) return undefined;",
        to: "if (grants) return undefined;",
      },
    ],
    noticedBy: [`${GATEWAY}#lets a model's call wait for the user's approval`],
  },
  {
    name: "gateway-admin-approval",
    edits: [
      {
        file: "gateway/src/policy/pending-approvals.ts",
        from: "tool?.name, hash, given]);",
        to: "tool?.name, hash]);",
      },
    ],
    noticedBy: [`${APPROVALS}#makes a call once after an administrator`],
  },
  {
    name: "gateway-admin-approval-use",
    edits: [
      {
        file: "gateway/src/policy/pending-approvals.ts",
        from: "return bucket.delete(key, revision).then(",
        to: "return Promise.resolve().then(",
      },
    ],
    noticedBy: [`${APPROVALS}#makes a call once after an administrator`],
  },
  {
    name: "gateway-waiting-calls",
    edits: [
      {
        file: "gateway/src/policy/pending-approvals.ts",
        from: 'if (isFull(waiting(), exchange)) return { state: "full" };',
        to: "",
      },
    ],
    noticedBy: [`${APPROVALS}#bounds the calls of a user that wait`],
  },
  {
    name: "gateway-quotas-of-allowed-calls",
    edits: [
      {
        file: "gateway/src/gateway.ts",
        from: "      authorizationCheck(access),\n      quotaCheck(quotas),",
        to: "      quotaCheck(quotas),\n      authorizationCheck(access),",
      },
    ],
    noticedBy: [`${QUOTAS}#doesn't count calls that a policy denies`],
  },
  {
    name: "gateway-shared-quota",
    edits: [
      {
        file: "gateway/src/policy/call-windows.ts",
        from: "entry ? bucket.update(name, value, entry.revision) : bucket.create(name, value)",
        to: "bucket.put(name, value)",
      },
    ],
    noticedBy: [`${QUOTAS}#never allows more than the limit in several gateways`],
  },
  {
    name: "gateway-quota-in-flight",
    edits: [
      {
        file: "gateway/src/policy/quotas.ts",
        from: "if (quota.atOnce) start(key, exchange);",
        to: "if (quota.atOnce && !exchange) start(key, exchange);",
      },
    ],
    noticedBy: [`${QUOTAS}#limits concurrent calls`],
  },
  {
    name: "gateway-policy-of-templates",
    edits: [
      {
        file: "gateway/src/policy/authorization/access.ts",
        from: "return authorizer.mayReadSome({ caller, server: server.id, template });",
        to: "return template !== caller.user + server.id;",
      },
    ],
    noticedBy: [`${GATEWAY}#lists templates and reports updates`],
  },
  {
    name: "gateway-policy-of-updates",
    edits: [
      {
        file: "gateway/src/policy/subscriptions.ts",
        from: "if (await isReadable(uri)) uris.push(uri);",
        to: "if (isReadable) uris.push(uri);",
      },
    ],
    noticedBy: [`${GATEWAY}#lists templates and reports updates`],
  },
  {
    name: "gateway-consent-of-observers",
    edits: [
      {
        file: "gateway/src/policy/checks/consent.ts",
        from: 'access?.approval === "user" && !access.isOnlyRecorded',
        to: 'access?.approval === "user"',
      },
    ],
    noticedBy: [`${GATEWAY}#still asks the user before a view's call`],
  },
  {
    name: "gateway-policy-of-views",
    edits: [
      {
        file: "gateway/src/policy/checks/authorization.ts",
        from: 'if (frame.method === "resources/read") return',
        to: 'if (frame.method === "nothing") return',
      },
      {
        file: "gateway/src/policy/checks/authorization.ts",
        from: ": FREE.test(frame.method);",
        to: ": true;",
      },
    ],
    noticedBy: [`${GATEWAY}#neither lists nor opens a view of tools`, `${GATEWAY}#denies methods`],
  },
  {
    name: "gateway-known-decisions",
    edits: [
      {
        file: "gateway/src/policy/authorization/authorizer.ts",
        from: "JSON.stringify([call, rest])",
        to: "JSON.stringify([call.principal, call.resource, rest && 0])",
      },
    ],
    noticedBy: [`${POLICIES}#decide again about every caller and tool`],
  },
  {
    name: "gateway-known-decisions-of-arguments",
    edits: [
      {
        file: "gateway/src/policy/authorization/authorizer.ts",
        from: "if (found.some(({ readsArguments }) => readsArguments)) return evaluate(call, found);",
        to: "",
      },
    ],
    noticedBy: [`${POLICIES}#decide again about every caller and tool`],
  },
];
