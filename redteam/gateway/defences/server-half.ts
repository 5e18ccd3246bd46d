import type { GatewayDefence } from "../defence.ts";

const handler = "packages/host/test/remote/apps-handler.test.ts";
const tokens = "packages/host/test/remote/signed-token.test.ts";
const policy = "host/src/remote/call-policy.ts";

/** Defences of `createAppsHandler`, which checks what a page's views ask of a product's MCP clients. */
export const SERVER_HALF_DEFENCES: readonly GatewayDefence[] = [
  {
    name: "host-remote-visibility",
    edits: [{ file: policy, from: "if (!decided.allow || !tool) {", to: "if (!tool) {" }],
    noticedBy: [`${handler}#rejects tools that aren't for apps`],
  },
  {
    name: "host-remote-methods",
    edits: [
      {
        file: policy,
        from: "if (!isUpstreamMethod(method) || !methods.includes(method)) {",
        to: "if (!isUpstreamMethod(method)) {",
      },
    ],
    noticedBy: [`${handler}#rejects methods that aren't for views`],
  },
  {
    name: "host-remote-consent-once",
    edits: [
      {
        file: policy,
        from: "if (spent.has(stated.id) || spent.size >= MOST_SPENT) return false;",
        to: "",
      },
    ],
    noticedBy: [`${handler}#rejects a consent that was used`],
  },
  {
    name: "host-remote-consent-binding",
    edits: [{ file: policy, from: " || stated.call !== hash", to: "" }],
    noticedBy: [
      `${handler}#rejects a consent that was used`,
      `${handler}#rejects a consent and a view of another user`,
      `${handler}#rejects a consent for a tool that changed`,
    ],
  },
  {
    name: "host-remote-view-owner",
    edits: [
      {
        file: "host/src/remote/apps-handler.ts",
        from: "=== user.id && stated.tenant === (user.tenant ?? null);",
        to: "!== undefined;",
      },
    ],
    noticedBy: [`${handler}#rejects a consent and a view of another user`],
  },
  {
    name: "host-remote-signature",
    edits: [
      {
        file: "host/src/remote/signed-token.ts",
        from: 'if (!(await crypto.subtle.verify("HMAC", await load(), signature, body))) return undefined;',
        to: "",
      },
    ],
    noticedBy: [`${tokens}#rejects a statement that was changed`],
  },
  {
    name: "host-remote-body-size",
    edits: [
      {
        file: "host/src/remote/request-body.ts",
        from: "if (size > longest) {",
        to: "if (size < 0) {",
      },
    ],
    noticedBy: [`${handler}#rejects requests without a user`],
  },
  {
    name: "host-remote-user-limits",
    edits: [
      {
        file: "host/src/remote/user-limits.ts",
        from: "if (!use.rate() || use[count] >= MOST[count]) return undefined;",
        to: "",
      },
    ],
    noticedBy: [`${handler}#limits the requests of one user`],
  },
];
