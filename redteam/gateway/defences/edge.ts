import type { GatewayDefence } from "../defence.ts";

const bodies = "packages/gateway/test/security/s06-bodies.test.ts";

/** What keeps one caller, or a stranger, from using up the process: connections, bodies, messages. */
export const EDGE_DEFENCES: readonly GatewayDefence[] = [
  {
    name: "gateway-admission-before-body",
    edits: [
      {
        file: "gateway/src/carriers/http.ts",
        from: 'app.post("/servers/:id/mcp", { onRequest: admit }',
        to: 'app.post("/servers/:id/mcp", { preHandler: admit }',
      },
    ],
    noticedBy: [`${bodies}#S6: no credential is refused`],
  },
  {
    name: "gateway-unread-bodies",
    edits: [
      {
        file: "gateway/src/carriers/http.ts",
        from: "if (isRead || declaredLength(request) === 0) done();",
        to: "if (isRead || declaredLength(request) !== -1) done();",
      },
    ],
    noticedBy: [`${bodies}#S6: DELETE /servers/station/mcp`],
  },
  {
    name: "gateway-body-budget",
    edits: [
      {
        file: "gateway/src/carriers/http-admission.ts",
        from: 'if (!meter.hold("bodyBytes", bytes)) {',
        to: 'if (!meter.hold("bodyBytes", 0)) {',
      },
    ],
    noticedBy: [`${bodies}#S6: bodies of one user`],
  },
  {
    name: "gateway-request-timeout",
    edits: [
      {
        file: "gateway/src/carriers/http.ts",
        from: "    requestTimeout: request,\n    http: times,\n",
        to: "",
      },
    ],
    noticedBy: [`${bodies}#S6: heads and bodies that stall`],
  },
  {
    name: "gateway-idle-connections",
    edits: [
      {
        file: "gateway/src/carriers/connection-guard.ts",
        from: "if (own.size > connectionsPerAddress) this.#closeFirst(own);",
        to: "",
      },
    ],
    noticedBy: [`${bodies}#S6: a new connection replaces`],
  },
];
