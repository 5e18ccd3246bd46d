import type { GatewayDefence } from "../defence.ts";

const S1 = "packages/gateway/test/security/s01-forwarded-value.process.test.ts";
const S4 = "packages/gateway/test/security/s02-s04-ambiguous-members.process.test.ts";
const FRAMES = "packages/gateway/test/policy/frames.process.test.ts";

/** What makes the gateway send exactly the message that it checked. */
export const MESSAGE_DEFENCES: readonly GatewayDefence[] = [
  {
    name: "gateway-checked-value",
    edits: [
      {
        file: "gateway/src/upstreams/http-modern.ts",
        from: "      body: serialize(message),",
        to: '      body: serialize({ ...message, "x-unchecked": true }),',
      },
    ],
    noticedBy: [`${S1}#what leaves the gateway is the serialized form`],
  },
  {
    name: "gateway-ambiguous-members",
    edits: [
      {
        file: "gateway/src/gateway.ts",
        from: "      memberNamesCheck,\n",
        to: "",
      },
    ],
    noticedBy: [`${S4}#S2`, `${S4}#S3`, `${S4}#S4`],
  },
  {
    name: "gateway-folded-letters",
    edits: [
      {
        file: "gateway/src/json-rpc/folded-key.ts",
        from: 'key.normalize("NFKC").toLowerCase()',
        to: "key.toLowerCase()",
      },
    ],
    noticedBy: [`${S4}#S4`],
  },
  {
    name: "gateway-argument-names",
    edits: [
      {
        file: "gateway/src/gateway.ts",
        from: "      argumentNamesCheck,\n",
        to: "",
      },
    ],
    noticedBy: [`${S4}#S4: an argument that imitates`],
  },
  {
    name: "gateway-request-not-response",
    edits: [
      {
        file: "gateway/src/policy/checks/message-shape.ts",
        from: "if (result !== undefined || error !== undefined) {",
        to: "if (result === null && error === null) {",
      },
    ],
    noticedBy: [`${S1}#a request can't be a response too`],
  },
  {
    name: "gateway-unguessable-ids",
    edits: [
      {
        file: "gateway/src/upstreams/sessions/multiplexer.ts",
        from: "let id = randomInt(1, LARGEST_ID);",
        to: "let id = this.#flights.size + 1;",
      },
    ],
    noticedBy: [`${S1}#nobody can guess the ids`],
  },
  {
    name: "gateway-large-numbers",
    edits: [
      {
        file: "gateway/src/policy/unfit-value.ts",
        from: 'if (isLargeNumber(value)) return "number";',
        to: "if (isLargeNumber(value)) return undefined;",
      },
    ],
    noticedBy: [`${FRAMES}#a number that a double can't hold`],
  },
  {
    name: "gateway-surrogates",
    edits: [
      {
        file: "gateway/src/policy/unfit-value.ts",
        from: 'if (typeof value === "string" && !value.isWellFormed()) return "surrogate";',
        to: "",
      },
    ],
    noticedBy: [`${FRAMES}#half of a surrogate pair`],
  },
  {
    name: "gateway-nesting",
    edits: [
      {
        file: "gateway/src/json-rpc/parse.ts",
        from: "  checkNesting(text);\n",
        to: "",
      },
    ],
    noticedBy: ["packages/gateway/test/json-rpc/parse.test.ts#nests too deep"],
  },
  {
    name: "gateway-same-reading",
    edits: [
      {
        file: "gateway/src/json-rpc/parse.ts",
        from: " || (serialize(value) as string) !== text",
        to: "",
      },
    ],
    noticedBy: [
      "packages/gateway/test/json-rpc/parse.test.ts#rejects text that it would write in another way",
    ],
  },
];
