import type { GatewayDefence } from "../defence.ts";

const S14 = "packages/cli/test/security/s14-dev-server.process.test.ts";
const DISCOVERY = "packages/server/test/discovery/discovered-views.process.test.ts";

/** The development server and the folders that views are read from. */
export const FILE_DEFENCES: readonly GatewayDefence[] = [
  {
    name: "cli-request-target",
    edits: [
      {
        file: "cli/src/stage/stage.ts",
        from: 'url.slice(1).split("?")[0] ||',
        to: 'new URL(url, "http://stage").pathname.slice(1) ||',
      },
    ],
    noticedBy: [`${S14}#S14: no request target`],
  },
  {
    name: "cli-reset-upgrade",
    edits: [
      {
        file: "cli/src/stage/stage.ts",
        from: 'socket.on("error", () => socket.destroy());',
        to: "",
      },
    ],
    noticedBy: [`${S14}#S14: connections that are reset`],
  },
  {
    name: "sandbox-reset-body",
    edits: [
      {
        file: "sandbox/src/adapters/node.ts",
        from: ".catch(() => outgoing.destroy());",
        to: ";",
      },
    ],
    noticedBy: [`${S14}#S14: a report whose body`],
  },
  {
    name: "server-linked-tool",
    edits: [
      {
        file: "server/src/discovery/folder-reader.ts",
        from: '`) !== "inside") return view;',
        to: '`) === "missing") return view;',
      },
    ],
    noticedBy: [`${DISCOVERY}#S33: nothing is read`],
  },
];
