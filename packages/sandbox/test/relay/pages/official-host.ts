// The official bridge as its documentation shows it, around our Sandbox and unaware of it.

import {
  type BridgeVersion,
  createBridge,
  createTransport,
  type Line,
  type OfficialBridge,
} from "@vitrine/internal/official-bridge";

/** What a test can do in the Host's page. */
export interface OfficialHost {
  lines: Line[];
  calls: unknown[];
  logs: unknown[];
  ready: number;
  initialized: boolean;
  embed(url: string, version: BridgeVersion, html: string): Promise<void>;
  /** Asks the View to prepare for its end; the answer. */
  teardown(): Promise<unknown>;
}

declare global {
  interface Window {
    official: OfficialHost;
  }
}

let bridge: OfficialBridge;

const ECHO = { content: [{ type: "text" as const, text: "echo" }] };

window.official = {
  lines: [],
  calls: [],
  logs: [],
  ready: 0,
  initialized: false,
  async embed(url, version, html) {
    const frame = document.createElement("iframe");
    frame.setAttribute("sandbox", "allow-scripts allow-same-origin allow-forms");
    document.body.append(frame);
    bridge = createBridge({ version, capabilities: { serverTools: {}, logging: {} } });
    bridge.onsandboxready = () => {
      window.official.ready += 1;
      bridge.sendSandboxResourceReady({ html });
    };
    bridge.oncalltool = async (params) => {
      window.official.calls.push(params);
      return ECHO;
    };
    bridge.onloggingmessage = (params) => window.official.logs.push(params);
    bridge.oninitialized = () => {
      window.official.initialized = true;
      bridge.sendToolInput({ arguments: { city: "Oslo" } });
      bridge.sendToolResult({ content: [{ type: "text", text: "rain" }] });
    };
    const view = frame.contentWindow as Window;
    await bridge.connect(createTransport(version, view, window.official.lines).transport);
    frame.src = url;
  },
  teardown: () => bridge.teardownResource({}),
};
