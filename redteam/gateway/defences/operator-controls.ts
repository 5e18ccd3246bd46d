import type { GatewayDefence } from "../defence.ts";

const CONTROL = "packages/gateway/test/policy/server-control.process.test.ts";
const ROUTES = "packages/gateway/test/admin/routes.process.test.ts";
const OFF_BOARDING = "packages/gateway/test/admin/off-boarding.process.test.ts";
const REGISTRY = "packages/gateway/test/admin/registry.process.test.ts";

/** What an operator stopped stays stopped: paused servers, held tools, ended views, off-boarded users. */
export const OPERATOR_CONTROL_DEFENCES: readonly GatewayDefence[] = [
  {
    name: "gateway-paused-servers",
    edits: [{ file: "gateway/src/gateway.ts", from: "pauseCheck(states),", to: "" }],
    noticedBy: [`${CONTROL}#a paused server refuses`],
  },
  {
    name: "gateway-pause-at-start",
    edits: [
      {
        file: "gateway/src/policy/server-states.ts",
        from: "isReady ? refusalOf(server.id) : states.isReady.then(() => refusalOf(server.id)),",
        to: "refusalOf(server.id),",
      },
    ],
    noticedBy: [`${CONTROL}#a pause survives a restart`],
  },
  {
    name: "gateway-held-tools",
    edits: [
      {
        file: "gateway/src/policy/tool-approvals.ts",
        from: 'isHeld: (tool) => mode === "hold" && !approvals.isApproved(server, tool),',
        to: "isHeld: () => false,",
      },
    ],
    noticedBy: [`${CONTROL}#with toolChanges: hold, new and changed`],
  },
  {
    name: "gateway-second-definition",
    edits: [
      {
        file: "gateway/src/policy/catalogue.ts",
        from: "found?.all.some(review.isHeld)",
        to: "found && review.isHeld(found.tool)",
      },
      { file: "gateway/src/policy/forwarder.ts", from: "!tools.isHeld(tool) &&", to: "" },
    ],
    noticedBy: [`${CONTROL}#with toolChanges: hold, a second definition`],
  },
  {
    name: "gateway-ended-tickets",
    edits: [
      {
        file: "gateway/src/policy/admission.ts",
        from: "if (ended) return ended;",
        to: "void ended;",
      },
    ],
    noticedBy: [`${ROUTES}#a view is listed and ended`],
  },
  {
    name: "gateway-ended-views-reopened",
    edits: [
      {
        file: "gateway/src/policy/view-opener.ts",
        from: "? options.endedViews?.openingRefusal(opening)",
        to: "? undefined",
      },
    ],
    noticedBy: [`${ROUTES}#a view is listed and ended`],
  },
  {
    name: "gateway-processes-of-former-users",
    edits: [
      {
        file: "gateway/src/service/open-admin.ts",
        from: "(user) => void options.servers.endUser(user)",
        to: "() => {}",
      },
    ],
    noticedBy: [`${OFF_BOARDING}#a process that belongs`],
  },
  {
    name: "gateway-registry-identifiers",
    edits: [
      {
        file: "gateway/src/admin/registry/registry-server.ts",
        from: "if (!IDENTIFIERS[type].test(identifier)) return [];",
        to: "",
      },
    ],
    noticedBy: [`${REGISTRY}#an option can't be imported`],
  },
  {
    name: "gateway-registry-redirects",
    edits: [
      {
        file: "gateway/src/admin/registry/registry-client.ts",
        from: 'redirect: "error",',
        to: 'redirect: "manual",',
      },
    ],
    noticedBy: [`${REGISTRY}#deleted and unknown servers`],
  },
];
