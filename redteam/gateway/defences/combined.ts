import type { GatewayDefence } from "../defence.ts";

const NAMES = "packages/gateway/test/combined/combined-names.test.ts";
const ENDPOINT = "packages/gateway/test/combined/combined.process.test.ts";
const LOGIN = "packages/gateway/test/identity/combined-login.process.test.ts";

/** The endpoint that combines all servers keeps them and their users apart. */
export const COMBINED_DEFENCES: readonly GatewayDefence[] = [
  {
    name: "gateway-combined-source",
    edits: [
      {
        file: "gateway/src/policy/combined/rewriting.ts",
        from: "_meta: { ...withView(server, meta), [SOURCE_KEY]: source },",
        to: "_meta: { [SOURCE_KEY]: source, ...withView(server, meta) },",
      },
    ],
    noticedBy: [`${NAMES}#name their server, whatever`],
  },
  {
    name: "gateway-combined-view-address",
    edits: [
      {
        file: "gateway/src/policy/combined/addresses.ts",
        from: "return parsed?.prefix === prefixOf(server) ? parsed.uri : uri;",
        to: "return parsed?.uri ?? uri;",
      },
    ],
    noticedBy: [
      `${NAMES}#are read by a view only below`,
      `${ENDPOINT}#opens views at the real server`,
    ],
  },
  {
    name: "gateway-combined-visible",
    edits: [
      {
        file: "gateway/src/gateway.ts",
        from: "maySeeServer(access, caller, id) &&",
        to: "",
      },
    ],
    noticedBy: [`${ENDPOINT}#shows and calls only what the policies permit`],
  },
  {
    name: "gateway-combined-issuer",
    edits: [
      {
        file: "gateway/src/gateway.ts",
        from: "(resources?.acceptsIssuer(caller.issuer, id) ?? true)",
        to: "true",
      },
    ],
    noticedBy: [`${LOGIN}#shows users of an issuer only`],
  },
  {
    name: "gateway-combined-scopes",
    edits: [
      {
        file: "gateway/src/gateway.ts",
        from: "scopesCheck(resources),",
        to: "",
      },
    ],
    noticedBy: [`${LOGIN}#asks for the scopes of a single server`],
  },
  {
    name: "gateway-combined-audience",
    edits: [
      {
        file: "gateway/src/identity/protected-resources.ts",
        from: "(isPageRoute ? [id, COMBINED] : [id])",
        to: "[id, COMBINED]",
      },
    ],
    noticedBy: [`${LOGIN}#lets the official client log in to all servers`],
  },
  {
    name: "gateway-combined-list-time",
    edits: [
      {
        file: "gateway/src/policy/combined/lists.ts",
        from: "      }, time);",
        to: "      }, 60_000);",
      },
    ],
    noticedBy: [`${ENDPOINT}#leaves out a server that is down`],
  },
  {
    name: "gateway-combined-rate",
    edits: [
      {
        file: "gateway/src/policy/combined/combined-server.ts",
        from: "      ...options.first,\n",
        to: "      options.first[0] as PolicyCheck,\n",
      },
    ],
    noticedBy: [`${ENDPOINT}#counts one request of the user`],
  },
];
