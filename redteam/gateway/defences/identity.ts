import type { GatewayDefence } from "../defence.ts";

const S21 = "packages/gateway/test/security/s21-expiry.test.ts";
const S22 = "packages/gateway/test/security/s22-stored-values.test.ts";

/** Log-ins, tokens, tickets and what is stored of them. */
export const IDENTITY_DEFENCES: readonly GatewayDefence[] = [
  {
    name: "gateway-idle-expiry",
    edits: [
      {
        file: "gateway/src/carriers/websocket.ts",
        from: "if (connection.isExpired) expire(socket);",
        to: "if (connection.isExpired) void socket;",
      },
    ],
    noticedBy: [`${S21}#S21: an idle socket of a host`, `${S21}#S21: an idle socket of a view`],
  },
  {
    name: "gateway-expired-call",
    edits: [
      {
        file: "gateway/src/carriers/websocket.ts",
        from: "else if (connection?.isExpired) expire(this);",
        to: "",
      },
    ],
    noticedBy: [`${S21}#S21: a call over a socket`],
  },
  {
    name: "gateway-token-expiry",
    edits: [
      {
        file: "gateway/src/pipeline/admission.ts",
        from: "...(expires !== undefined && { expires })",
        to: "",
      },
    ],
    noticedBy: [`${S21}#S21: an idle socket of a host`, `${S21}#S21: a stream over HTTP`],
  },
  {
    name: "gateway-stream-expiry",
    edits: [
      {
        file: "gateway/src/carriers/http.ts",
        from: "onExpiry(admitted.caller.expires, () => over.abort())",
        to: "onExpiry(undefined, () => over.abort())",
      },
    ],
    noticedBy: [`${S21}#S21: a stream over HTTP`],
  },
  {
    name: "gateway-sealed-store",
    edits: [
      {
        file: "gateway/src/operate/service.ts",
        from: "const engine = sealStore(opened, keyring, log);",
        to: "const engine = opened;",
      },
    ],
    noticedBy: [`${S22}#S22: a forged grant`, `${S22}#S22: no bucket holds a value`],
  },
  {
    name: "gateway-sealed-place",
    edits: [
      {
        file: "gateway/src/engine/sealed-engine.ts",
        from: "return [PURPOSE, bucket, key];",
        to: "return [PURPOSE];",
      },
    ],
    noticedBy: [`${S22}#S22: a sealed value opens in its own bucket`],
  },
  {
    name: "gateway-unreadable-change",
    edits: [
      {
        file: "gateway/src/engine/sealed-engine.ts",
        from: "else fn({ ...change, entry: undefined",
        to: "else if (!change.entry) fn({ ...change, entry: undefined",
      },
    ],
    noticedBy: [`${S22}#S22: garbage in the store ends a grant`],
  },
  {
    name: "gateway-unreadable-approval",
    edits: [
      {
        file: "gateway/src/views.ts",
        from: 'unreadable: "fail"',
        to: 'unreadable: "absent"',
      },
    ],
    noticedBy: [`${S22}#S22: an approval that can't be read`],
  },
];
