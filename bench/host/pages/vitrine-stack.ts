import { callbacksUpstream, createHost, type Host, type Upstream } from "@vitrine/host";
import type { Tool } from "@vitrine/protocol/apps";
import { HOST_INFO, TOOL_INPUT } from "../../view/pages/host-session.ts";
import { currentAnswer, FIRST_PARTIAL } from "./answer.ts";
import { note } from "./notes.ts";
import { register } from "./registration.ts";
import type { OpenStack, Stack, ViewToShow } from "./stack.ts";

const URI = "ui://bench/dice";
const TOOL: Tool = {
  name: "roll",
  inputSchema: { type: "object" },
  // It only reads, so that the default rule of consent lets it pass without a dialog.
  annotations: { readOnlyHint: true },
  _meta: { ui: { resourceUri: URI } },
};

/** A Server without a network, which has the View and answers its calls. */
function serve(html: string): Upstream {
  const contents = [{ uri: URI, mimeType: "text/html;profile=mcp-app", text: html }];
  return callbacksUpstream({
    server: "bench",
    listTools: () => ({ tools: [TOOL] }),
    readResource: () => ({ contents }),
    callTool: () => currentAnswer(),
  });
}

/** Our own stack with every check on; the caps alone are raised, for fifty Views and fast calls. */
function openHost(
  sandbox: Parameters<typeof createHost>[0]["sandbox"],
  { warmUp = false }: { warmUp?: boolean } = {},
): Stack {
  let host: Host | undefined;
  let upstream: Upstream | undefined;
  let last = 0;
  const load = ({ html }: ViewToShow): void => {
    // A new Host, because a Host caches the resources it has read.
    host = createHost({
      ...{ sandbox, hostInfo: HOST_INFO, liveViews: 100, callsPerMinute: 1e6 },
      ...{ startOffScreen: true, warmUp },
    });
    host.onDiagnostic(({ level, code, detail }) => note(`${level} ${code} ${detail ?? ""}`));
    upstream = serve(html);
  };
  const app = (): { upstream: Upstream; tool: Tool } => {
    if (!upstream) throw new Error("Nothing was loaded.");
    return { upstream, tool: TOOL };
  };
  return {
    load,
    prepare: () => (warmUp ? idle() : (host as Host).prepare(app())),
    mount: (container, { done }) => {
      const view = (host as Host).mount(container, { key: String(++last), ...app() });
      if (done) view.update({ input: TOOL_INPUT.arguments, result: currentAnswer() });
      else {
        view.onStage((stage) => {
          if (stage === "initialized") view.update({ partialInput: FIRST_PARTIAL });
        });
      }
      return {
        // A port receives no messages of other Views.
        listen: () => {},
        sendPartial: (args) => view.update({ partialInput: args }),
        close: () => void view.close(),
      };
    },
  };
}

/** As long as a page waits for its user before the first View. */
function idle(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 1500));
}

/** Ours, in a page that was idle before. */
export const openWarmedStack: OpenStack = ({ entrance }) =>
  openHost({ register: register as never, entrance }, { warmUp: true });

/** Ours, with Views registered by the Host's server side. */
export const openStack: OpenStack = () => openHost({ register: register as never });

/** Ours, with Views registered by the Sandbox's entrance page. */
export const openEntranceStack: OpenStack = ({ entrance }) => openHost(entrance);
