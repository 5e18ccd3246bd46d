import type { GatewayDefence } from "../defence.ts";

const ATTACKS = "packages/gateway/test/admin/attacks.process.test.ts";
const FILES = "packages/gateway/test/console/console-files.process.test.ts";
const TEXT = "packages/gateway/test/console/visible-text.test.ts";
const DIFF = "packages/gateway/test/console/definition-diff.test.ts";
const server = "gateway/src/admin/admin-server.ts";
const files = "gateway/src/admin/console.ts";

/** Defences of the admin port and its console. */
export const ADMIN_DEFENCES: readonly GatewayDefence[] = [
  {
    name: "gateway-admin-host",
    edits: [{ file: server, from: "if (!hosts.has(", to: "if (hosts.size < 0 && hosts.has(" }],
    noticedBy: [`${ATTACKS}#reads nothing under another name`, "admin-rebinding"],
  },
  {
    name: "gateway-admin-origin",
    edits: [
      {
        file: server,
        from: 'if (request.method !== "GET" && request.method !== "HEAD") checkChange(request);',
        to: "void checkChange;",
      },
    ],
    noticedBy: [`${ATTACKS}#changes something only from`],
  },
  {
    name: "gateway-admin-role",
    edits: [
      {
        file: server,
        from: 'if (method !== "GET" && role !== "operator") {',
        to: 'if (method !== "GET" && role === undefined) {',
      },
    ],
    noticedBy: [`${ATTACKS}#of a viewer reads everything`, "admin-roles"],
  },
  {
    name: "gateway-admin-audience",
    edits: [
      {
        file: "gateway/src/service/open-admin.ts",
        from: "return jwtAuthenticator(rest,",
        to: "return jwtAuthenticator({ ...rest, audience: _general },",
      },
    ],
    noticedBy: [`${ATTACKS}#without a role, or issued for the gateway`],
  },
  {
    name: "gateway-admin-revoked",
    edits: [
      {
        file: "gateway/src/admin/operators.ts",
        from: "if (!user || isRevoked(user, user.issuedAt)) return undefined;",
        to: "if (!user) return undefined;",
      },
    ],
    noticedBy: [`${ATTACKS}#ends with the access of its user`],
  },
  {
    name: "gateway-admin-guessing",
    edits: [{ file: server, from: "attempts.add(address);", to: "" }],
    noticedBy: [`${ATTACKS}#can't guess the token`],
  },
  {
    name: "gateway-console-framing",
    edits: [
      { file: files, from: "  \"frame-ancestors 'none'\",\n", to: "" },
      { file: files, from: '  "x-frame-options": "DENY",\n', to: "" },
      { file: server, from: '  "x-frame-options": "DENY",\n', to: "" },
    ],
    noticedBy: ["admin-framing"],
  },
  {
    name: "gateway-console-opener",
    edits: [
      { file: files, from: '  "cross-origin-opener-policy": "same-origin",\n', to: "" },
      { file: server, from: '  "cross-origin-opener-policy": "same-origin",\n', to: "" },
    ],
    noticedBy: [`${FILES}#allows no inline code`, "admin-framing"],
  },
  {
    name: "gateway-console-script",
    edits: [{ file: files, from: "\"script-src 'self'\"", to: "\"script-src 'unsafe-inline' *\"" }],
    noticedBy: [`${FILES}#allows no inline code`],
  },
  {
    name: "gateway-console-hidden-text",
    edits: [
      {
        file: "gateway/console/visible-text.ts",
        from: "return HIDDEN.test(character);",
        to: "return HIDDEN.test(character) && false;",
      },
    ],
    noticedBy: [`${TEXT}#shows characters that reorder`],
  },
  {
    name: "gateway-console-unread-change",
    edits: [
      {
        file: "gateway/console/definition-diff.ts",
        from: "    found.isComplete = false;\n",
        to: "",
      },
    ],
    noticedBy: [`${DIFF}#never reports a definition`],
  },
];
