import type { GatewayDefence } from "../defence.ts";

const REVOCATIONS = "packages/gateway/test/identity/revocations.process.test.ts";
const CLUSTER = "packages/cluster/test/revocations.cluster.test.ts";

/** Users whose access was revoked. */
export const REVOCATION_DEFENCES: readonly GatewayDefence[] = [
  {
    name: "gateway-revoked-requests",
    edits: [
      {
        file: "gateway/src/policy/admission.ts",
        from: "if (revoked) return revoked;",
        to: "",
      },
    ],
    noticedBy: [`${REVOCATIONS}#ends tokens, tickets`, `${CLUSTER}#ends everything`],
  },
  {
    name: "gateway-revoked-sockets",
    edits: [
      {
        file: "gateway/src/edge/websocket-endpoint.ts",
        from: 'closeWithCredentialCode(socket, "revoked");',
        to: "",
      },
    ],
    noticedBy: [`${REVOCATIONS}#ends tokens, tickets`, `${CLUSTER}#ends everything`],
  },
  {
    name: "gateway-revoked-calls",
    edits: [
      {
        file: "gateway/src/policy/checks/revoked-caller.ts",
        from: "if (isRevoked(caller)) end.abort();",
        to: "if (isRevoked(caller)) void end;",
      },
    ],
    noticedBy: [`${REVOCATIONS}#ends tokens, tickets`],
  },
  {
    name: "gateway-unreadable-revocation",
    edits: [
      {
        file: "gateway/src/identity/revocations.ts",
        from: 'unreadable: "fail"',
        to: 'unreadable: "absent"',
      },
    ],
    noticedBy: [`${REVOCATIONS}#blocks the user of a value`],
  },
  {
    name: "gateway-revocation-silence",
    edits: [
      {
        file: "gateway/src/identity/revocations.ts",
        from: "!isReady || silence() > LONGEST_SILENCE",
        to: "silence() < 0",
      },
    ],
    noticedBy: [
      `${REVOCATIONS}#admits nobody after a minute`,
      `${REVOCATIONS}#admits nobody before`,
    ],
  },
  {
    name: "gateway-revoked-issue-time",
    edits: [
      {
        file: "gateway/src/identity/revocations.ts",
        from: "return isRestored === true;",
        to: "return true;",
      },
    ],
    noticedBy: [`${REVOCATIONS}#counts a token without an issue time`],
  },
];
