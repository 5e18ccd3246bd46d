// A host page like the official example `basic-host`, around the published `AppBridge`: it adds what
// the example adds, and checks only what the example checks.

import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import {
  createBridge,
  createTransport,
  type OfficialBridge,
} from "@vitrine/internal/official-bridge";
import { getToolUiResourceUri } from "ext-apps-v2/app-bridge";
import type { HostCall } from "../../src/host/driver.ts";
import type { Json } from "../../src/json.ts";

const READY = "ui/notifications/sandbox-proxy-ready";
const MIME = "text/html;profile=mcp-app";
const messages: { role: string; text: string }[] = [];
let modelContext: Json | undefined;
let shown: { bridge: OfficialBridge; frame: HTMLIFrameElement } | undefined;
let call = new AbortController();

async function connect(server: string): Promise<Client> {
  const extensions = { "io.modelcontextprotocol/ui": { mimeTypes: [MIME] } };
  const client = new Client(
    { name: "basic-host-like", version: "1.0.0" },
    { capabilities: { extensions }, versionNegotiation: { mode: "auto" } },
  );
  await client.connect(new StreamableHTTPClientTransport(new URL(server)));
  return client;
}

/** The frame of the sandbox, once it is ready. */
async function openFrame({ csp = {}, permissions = {} }: Json): Promise<HTMLIFrameElement> {
  const frame = document.createElement("iframe");
  frame.style.cssText = "width:800px;height:150px;border:1px solid grey";
  frame.setAttribute("sandbox", "allow-scripts allow-same-origin allow-forms");
  const features: Json = { clipboardWrite: "clipboard-write" };
  frame.allow = Object.keys(permissions)
    .map((name) => features[name] ?? name)
    .join("; ");
  const ready = new Promise<void>((resolve) => {
    addEventListener("message", ({ source, data }) => {
      if (source === frame.contentWindow && data?.method === READY) resolve();
    });
  });
  const address = new URL(document.documentElement.dataset.sandbox ?? "");
  address.searchParams.set("host", location.origin);
  address.searchParams.set("csp", JSON.stringify(csp));
  frame.src = String(address);
  document.body.append(frame);
  await ready;
  return frame;
}

function handle(bridge: OfficialBridge, frame: HTMLIFrameElement): void {
  bridge.onmessage = async ({ role, content }) => {
    messages.push({ role, text: JSON.stringify(content) });
    return {};
  };
  bridge.onopenlink = async ({ url }) => {
    open(url, "_blank", "noopener,noreferrer");
    return {};
  };
  bridge.onloggingmessage = ({ data }) => console.info(data);
  bridge.onupdatemodelcontext = async (params) => {
    modelContext = params.content?.length || params.structuredContent ? params : undefined;
    return {};
  };
  bridge.onsizechange = ({ height, width }) => {
    if (height !== undefined) frame.style.height = `${height}px`;
    if (width !== undefined) frame.style.minWidth = `min(${width}px, 100%)`;
  };
  let current: "inline" | "fullscreen" = "inline";
  bridge.onrequestdisplaymode = async ({ mode }) => {
    if (mode === "pip") return { mode: current };
    current = mode;
    frame.classList.toggle("fullscreen", current === "fullscreen");
    bridge.sendHostContextChange({ displayMode: current });
    return { mode: current };
  };
}

async function show({ server, tool: name, arguments: args }: HostCall): Promise<void> {
  const client = await connect(server);
  const [{ tools }, { resources }] = await Promise.all([
    client.listTools(),
    client.listResources(),
  ]);
  const tool = tools.find((one) => one.name === name);
  if (!tool) throw new Error(`${server} has no tool ${name}`);
  call = new AbortController();
  const calling = client.callTool({ name, arguments: args }, { signal: call.signal });
  calling.catch(() => {});
  const uri = getToolUiResourceUri(tool);
  if (!uri) return;
  const [content] = (await client.readResource({ uri })).contents;
  const listed = resources.find((one) => one.uri === uri);
  const meta = (content?._meta?.ui ?? listed?._meta?.ui ?? {}) as Json;
  const { text = "", blob = "" } = content as { text?: string; blob?: string };
  const html = text || atob(blob);
  const frame = await openFrame(meta);
  const { tools: serverTools, resources: serverResources } = client.getServerCapabilities() ?? {};
  const bridge = createBridge({
    version: "2.0.4",
    client: client as never,
    capabilities: {
      openLinks: {},
      ...(serverTools && { serverTools: {} }),
      ...(serverResources && { serverResources: {} }),
      logging: {},
      message: { text: {} },
      updateModelContext: { text: {} },
    },
    context: {
      theme: "light",
      platform: "web",
      displayMode: "inline",
      availableDisplayModes: ["inline", "fullscreen"],
      containerDimensions: { maxHeight: 6000 },
    },
  });
  shown = { bridge, frame };
  handle(bridge, frame);
  const initialized = new Promise<void>((resolve) => {
    bridge.oninitialized = () => resolve();
  });
  const { transport } = createTransport("2.0.4", frame.contentWindow as Window, []);
  await bridge.connect(transport);
  const { csp, permissions } = meta;
  await bridge.sendSandboxResourceReady({ html, csp, permissions });
  await initialized;
  await bridge.sendToolInput({ arguments: args });
  calling.then(
    (result) => bridge.sendToolResult(result as never),
    (error) => bridge.sendToolCancelled({ reason: String(error) }),
  );
}

const conformance = {
  open: show,
  close: async (): Promise<void> => {
    await shown?.bridge.teardownResource({});
    shown?.frame.remove();
  },
  cancel: (): void => call.abort(),
  setTheme: (theme: "light" | "dark"): void =>
    shown?.bridge.setHostContext({ theme, displayMode: "inline" }),
  conversation: (): typeof messages => messages,
  modelContext: (): string[] => (modelContext ? [JSON.stringify(modelContext)] : []),
};
Object.assign(window, { conformance });

const query = new URLSearchParams(location.search);
const tool = query.get("tool");
if (tool) {
  const args = JSON.parse(query.get("arguments") ?? "{}");
  void show({ server: query.get("server") ?? "", tool, arguments: args });
}
