// A page with both hosts: ours, and the official bridge as its documentation shows it. Neither knows
// the server: what they ask of it goes to a client outside of the page.

import { callbacksUpstream, createHost, type Host } from "@vitrine/host";
import {
  type BridgeVersion,
  createBridge,
  createTransport,
} from "@vitrine/internal/official-bridge";

interface Tool {
  name: string;
  inputSchema: { type: "object" };
  _meta?: Record<string, unknown>;
}

interface ShownPage {
  host?: Host;
  problems: string[];
  ours(entrance: string): Promise<unknown>;
  official(entrance: string, version: BridgeVersion): Promise<unknown>;
}

declare global {
  interface Window {
    /** Asks the server; given by the test. */
    ask(method: string, params: object): Promise<never>;
    shown: ShownPage;
  }
}

async function firstTool(): Promise<Tool> {
  const { tools } = (await window.ask("tools/list", {})) as { tools: Tool[] };
  return tools[0] as Tool;
}

window.shown = {
  problems: [],
  async ours(entrance) {
    const host = createHost({ sandbox: entrance, consent: async () => true });
    window.shown.host = host;
    host.onDiagnostic(({ level, code, detail }) => {
      if (level !== "info") window.shown.problems.push(`${code} ${detail ?? ""}`);
    });
    const upstream = callbacksUpstream({
      server: "dice",
      listTools: (params) => window.ask("tools/list", params ?? {}),
      listResources: (params) => window.ask("resources/list", params ?? {}),
      readResource: (params) => window.ask("resources/read", params),
      callTool: (params) => window.ask("tools/call", params),
    });
    const tool = await firstTool();
    const place = document.body.appendChild(document.createElement("div"));
    const view = host.mount(place, { key: "message-1", upstream, tool });
    const result = (await window.ask("tools/call", { name: tool.name, arguments: {} })) as object;
    view.update({ input: {}, result: result as never });
    return result;
  },
  async official(entrance, version) {
    const tool = await firstTool();
    const { ui } = tool._meta as { ui: { resourceUri: string } };
    const read = (await window.ask("resources/read", { uri: ui.resourceUri })) as {
      contents: { text: string; _meta?: { ui?: { csp?: object } } }[];
    };
    const [{ text: html, _meta } = { text: "" }] = read.contents;
    const result = await window.ask("tools/call", { name: tool.name, arguments: {} });
    const frame = document.createElement("iframe");
    frame.setAttribute("sandbox", "allow-scripts allow-same-origin allow-forms");
    document.body.append(frame);
    const bridge = createBridge({ version, capabilities: { serverTools: {} } });
    const csp = _meta?.ui?.csp;
    bridge.onsandboxready = () =>
      void bridge.sendSandboxResourceReady({ html, ...(csp && { csp }) });
    bridge.oncalltool = (params) => window.ask("tools/call", params);
    bridge.oninitialized = () => {
      bridge.sendToolInput({ arguments: {} });
      bridge.sendToolResult(result);
    };
    await bridge.connect(createTransport(version, frame.contentWindow as Window, []).transport);
    frame.src = entrance;
    return result;
  },
};
