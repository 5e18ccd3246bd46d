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
    noticedBy: ["packages/gateway/test/security/s04-server-members.test.ts#S4"],
  },
];
