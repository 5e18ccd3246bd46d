import type { GatewayDefence } from "../defence.ts";

const bodies = "packages/gateway/test/security/s06-bodies.process.test.ts";
const floods = "packages/gateway/test/security/s07-floods.timed.test.ts";
const reasons = "packages/gateway/test/observability/reasons.process.test.ts";
const sockets = "packages/gateway/test/security/s18-sockets.process.test.ts";

/** Defences that keep a caller, authenticated or not, from using up the process: connections, bodies, messages. */
export const EDGE_DEFENCES: readonly GatewayDefence[] = [
  {
    name: "gateway-admission-before-body",
    edits: [
      {
        file: "gateway/src/edge/http-endpoint.ts",
        from: 'app.post("/servers/:id/mcp", { onRequest: admit,',
        to: 'app.post("/servers/:id/mcp", { preValidation: admit,',
      },
    ],
    noticedBy: [`${bodies}#is refused while the body is on its way`],
  },
  {
    name: "gateway-unread-bodies",
    edits: [
      {
        file: "gateway/src/edge/http-endpoint.ts",
        from: "if (isRead || declaredLength(request) === 0) done();",
        to: "if (isRead || declaredLength(request) !== -1) done();",
      },
    ],
    noticedBy: [`${bodies}#is answered before its body arrives`],
  },
  {
    name: "gateway-body-budget",
    edits: [
      {
        file: "gateway/src/edge/http-admission.ts",
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
        file: "gateway/src/edge/http-endpoint.ts",
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
        file: "gateway/src/edge/connection-guard.ts",
        from: "if (own.size > connectionsPerAddress && !isProxy) this.#closeFirst(own);",
        to: "",
      },
    ],
    noticedBy: [`${bodies}#S6: a new connection replaces`],
  },
  {
    name: "gateway-message-rate",
    edits: [
      {
        file: "gateway/src/policy/traffic.ts",
        from: "if (wait > 0) return Math.ceil(wait);",
        to: "",
      },
    ],
    noticedBy: [`${floods}#S7: refused calls over four sockets`],
  },
  {
    name: "gateway-fair-turns",
    edits: [
      {
        file: "gateway/src/policy/fair-turns.ts",
        from: "const SLICE = 8;",
        to: "const SLICE = 1e9;",
      },
    ],
    noticedBy: [`${floods}#S7: a tenant's messages that came together`],
  },
  {
    name: "gateway-flood-close",
    edits: [
      {
        file: "gateway/src/edge/inbound-queue.ts",
        from: "if (at - this.#blockedSince > PATIENCE) this.#end();",
        to: "if (at < 0) this.#end();",
      },
    ],
    noticedBy: [`${floods}#S7: a socket that floods for long`],
  },
  {
    name: "gateway-requests-in-flight",
    edits: [
      {
        file: "gateway/src/edge/inbound-queue.ts",
        from: 'if (isClogged() || !meter.hold("atOnce")) return RETRY;',
        to: 'meter.hold("atOnce", 0); if (isClogged()) return RETRY;',
      },
    ],
    noticedBy: [`${floods}#S7: a caller whose requests don't end`],
  },
  {
    name: "gateway-unread-responses",
    edits: [
      {
        file: "gateway/src/edge/outbound-queue.ts",
        from: 'if (!this.#meter.hold("unread", bufferedAmount)) return false;',
        to: 'this.#meter.hold("unread", bufferedAmount);',
      },
    ],
    noticedBy: [`${floods}#S7: a socket that doesn't read its responses`],
  },
  {
    name: "gateway-notification-rate",
    edits: [
      {
        file: "gateway/src/policy/checks/rate-limit.ts",
        from: "      const at = performance.now();",
        to: "      if (frame.id === undefined) return undefined;\n      const at = performance.now();",
      },
    ],
    noticedBy: [`${floods}#S2: notifications count`],
  },
  {
    name: "gateway-socket-count",
    edits: [
      {
        file: "gateway/src/edge/websocket-endpoint.ts",
        from: 'if (!meter.hold("sockets")) {',
        to: 'if (!meter.hold("sockets", 0)) {',
      },
    ],
    noticedBy: [`${sockets}#S18: one ticket holds sixteen`, `${sockets}#S18: a user and a tenant`],
  },
  {
    name: "gateway-accepts-per-address",
    edits: [
      {
        file: "gateway/src/edge/websocket-endpoint.ts",
        from: "accepts.take(addressKey(addresses.of({ headers, socket })))",
        to: 'accepts.take(addressKey(addresses.of({ headers, socket })) && "")',
      },
    ],
    noticedBy: [`${sockets}#S18: the turns of one address`],
  },
  {
    name: "gateway-half-open-upgrades",
    edits: [
      { file: "gateway/src/edge/websocket-endpoint.ts", from: "  socket.destroySoon();\n", to: "" },
    ],
    noticedBy: [`${sockets}#S18: a refused upgrade`],
  },
  {
    name: "gateway-large-responses",
    edits: [
      {
        file: "gateway/src/policy/traffic.ts",
        from: "this.#charge(Math.floor(bytes / PIECE));",
        to: "",
      },
    ],
    noticedBy: [
      "packages/gateway/test/security/s07-large-responses.process.test.ts#S7: a user who asks",
      "packages/gateway/test/security/s07-large-responses.process.test.ts#S7: responses over HTTP",
    ],
  },
  {
    name: "gateway-proxies-must-be-trusted",
    edits: [
      {
        file: "gateway/src/edge/client-address.ts",
        from: 'list.check(address, family === 6 ? "ipv6" : "ipv4")',
        to: '(list.check(address, family === 6 ? "ipv6" : "ipv4") || true)',
      },
    ],
    noticedBy: [`${reasons}#isn't taken from a header of a client`],
  },
  {
    name: "gateway-sampled-refusals",
    edits: [
      {
        file: "gateway/src/observability/line-sampler.ts",
        from: "return count <= each;",
        to: "return count <= each || true;",
      },
    ],
    noticedBy: [`${reasons}#a flood of refusals`],
  },
];
