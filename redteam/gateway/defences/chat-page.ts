import type { GatewayDefence } from "../defence.ts";

const guard = "packages/cli/test/chat/page-guard.process.test.ts";
const file = "cli/src/stage/page-api.ts";

/** Defences of the page of `vitrine chat`, whose API runs programs and a model at the user's expense. */
export const CHAT_PAGE_DEFENCES: readonly GatewayDefence[] = [
  {
    name: "cli-page-host-name",
    edits: [
      {
        file,
        from: "if (headers.host !== new URL(origin).host) return \"This address isn't the page's own.\";",
        to: "",
      },
    ],
    noticedBy: [`${guard}#a rebound name with our origin`],
  },
  {
    name: "cli-page-origin",
    edits: [
      { file, from: 'if (!isOwn) return "Only the page itself may send requests.";', to: "" },
    ],
    noticedBy: [`${guard}#of another site with the secret`],
  },
  {
    name: "cli-page-secret",
    edits: [
      {
        file,
        from: 'return isSame(headers[KEY_HEADER], key) ? undefined : "The page\'s secret is wrong.";',
        to: "return undefined;",
      },
    ],
    noticedBy: [`${guard}#without the secret`],
  },
];
