import type { GatewayDefence } from "../defence.ts";

/** Messages of servers on their way to clients. */
export const RESPONSE_DEFENCES: readonly GatewayDefence[] = [
  {
    name: "gateway-response-members",
    edits: [
      {
        file: "gateway/src/upstreams/frames/server-message.ts",
        from: "withoutLookalikes(parseJson(text))",
        to: "parseJson(text)",
      },
    ],
    noticedBy: ["packages/gateway/test/security/s04-server-members.process.test.ts#S4"],
  },
  {
    name: "gateway-finite-numbers",
    edits: [
      {
        file: "gateway/src/json-rpc/parse.ts",
        from: "Number(source) !== value) return finite(value);",
        to: "Number(source) !== value) return value;",
      },
    ],
    noticedBy: ["packages/gateway/test/security/s01-infinite-number.test.ts#S1"],
  },
  {
    name: "gateway-kept-answers",
    edits: [
      {
        file: "gateway/src/edge/resume-buffer.ts",
        from: "taken > MOST_OF_USER ||",
        to: "",
      },
    ],
    noticedBy: ["packages/gateway/test/edge/resume-buffer.test.ts#182"],
  },
  {
    name: "gateway-own-pieces",
    edits: [
      {
        file: "cluster/src/routing/request-receiver.ts",
        from: 'return [from, call].join(":");',
        to: 'return [from && "", call].join(":");',
      },
    ],
    noticedBy: ["packages/cluster/test/nats/hostile-peer.cluster.test.ts#178"],
  },
];
