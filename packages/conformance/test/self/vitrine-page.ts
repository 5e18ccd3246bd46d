// Our host page, as a product writes it: a conversation, a log for reviewers, and
// `window.conformance` for the suite.

import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import {
  type AppTools,
  appsExtension,
  type Consent,
  catalogueOf,
  createAppTools,
  createHost,
  type HostedView,
  mcpClientUpstream,
  readPartialJson,
  themeContext,
  type Upstream,
} from "@vitrine/host";
import type { HostCall, OfferedTool } from "../../src/host/driver.ts";
import type { Json } from "../../src/json.ts";

const log: string[] = [];
const conversation: { role: string; text: string }[] = [];
const warnings = document.createElement("p");
document.body.append(warnings);

const host = createHost({
  sandbox: document.documentElement.dataset.sandbox ?? "",
  hostInfo: { name: "vitrine-page", version: "1.0.0" },
  context: { ...themeContext("light"), locale: navigator.language, platform: "web" },
  onmessage: async ({ role, content }) => {
    conversation.push({ role, text: JSON.stringify(content) });
    return {};
  },
  oncreatesamplingmessage: async () => ({
    role: "assistant",
    content: { type: "text", text: "Something." },
    model: "none",
  }),
  onloggingmessage: ({ data }) => log.push(`view: ${JSON.stringify(data)}`),
});
host.onDiagnostic(({ code, detail = "" }) => {
  log.push(`${code} ${detail}`);
  if (code === "external-domains") warnings.textContent = `This app can reach ${detail}`;
});

const upstreams = new Map<string, Promise<Upstream>>();
let view: HostedView | undefined;
let tools: AppTools | undefined;
let call = new AbortController();
let count = 0;

function connect(server: string): Promise<Upstream> {
  const open = async (): Promise<Upstream> => {
    const client = new Client(
      { name: "vitrine-page", version: "1.0.0" },
      { capabilities: appsExtension(), versionNegotiation: { mode: "auto" } },
    );
    await client.connect(new StreamableHTTPClientTransport(new URL(server)));
    return mcpClientUpstream(client, { server });
  };
  const found = upstreams.get(server) ?? open();
  upstreams.set(server, found);
  return found;
}

/** Shows the view of a call, and makes the call; `write` streams it to the view at the same time. */
async function open(
  { server, tool: name, arguments: input }: HostCall,
  write?: (shown: HostedView) => Promise<void>,
): Promise<void> {
  const upstream = await connect(server);
  const tool = await catalogueOf(upstream).find(name);
  if (!tool) throw new Error(`${server} has no tool ${name}`);
  call = new AbortController();
  const { signal } = call;
  const request = (): Promise<never> =>
    upstream.request("tools/call", { name, arguments: input }, { signal }) as Promise<never>;
  const { ui } = (tool._meta ?? {}) as { ui?: { resourceUri?: string } };
  if (!ui?.resourceUri && !tool._meta?.["ui/resourceUri"]) {
    conversation.push({ role: "tool", text: JSON.stringify(await request()) });
    return;
  }
  const place = document.createElement("div");
  document.body.append(place);
  const key = `${name} ${count++}`;
  const shown = host.mount(place, { key, upstream, tool, ...(write ? {} : { input }) });
  view = shown;
  shown.onStage((stage) => {
    if (stage === "initialized") offer(shown);
  });
  await write?.(shown);
  request().then(
    (result) => shown.update({ input, result }),
    (error) => shown.update({ input, cancelled: String(error) }),
  );
}

function offer(shown: HostedView): void {
  if (!shown.bridge) return;
  tools = createAppTools(shown.bridge, {
    // Read-only tools need no question; all others do.
    level: ({ tool }) => (tool.annotations?.readOnlyHint === true ? "allow" : "ask"),
    consent: ask,
    onEvent: ({ event, tool }) => log.push(`app tool ${event}: ${tool.ownName}`),
  });
  shown.onClose(() => tools?.close());
}

/** The host asks about views' requests itself; its page asks about views' tools. */
const ask: Consent = ({ kind }) =>
  new Promise((resolve) => {
    const dialog = document.createElement("dialog");
    const buttons = (["allow", "deny"] as const).map((name) => {
      const button = document.createElement("button");
      button.className = name;
      button.textContent = `${name} ${kind}`;
      button.onclick = () => {
        dialog.remove();
        resolve(name === "allow");
      };
      return button;
    });
    dialog.append(...buttons);
    document.body.append(dialog);
    dialog.showModal();
  });

const conformance = {
  open,
  stream: (what: HostCall, texts: readonly string[]): Promise<void> =>
    open(what, async (shown) => {
      for (const text of texts) {
        shown.update({ partialInput: readPartialJson(text) });
        await new Promise((resolve) => setTimeout(resolve, 60));
        while (!shown.bridge?.initialized) await new Promise((resolve) => setTimeout(resolve, 20));
      }
      shown.update({ input: what.arguments });
      // A model's output may come late.
      shown.update({ partialInput: readPartialJson(texts[0] ?? "") });
    }),
  close: (): Promise<void> | undefined => view?.close("closed by the user"),
  cancel: (): void => call.abort(),
  setTheme: (theme: "light" | "dark"): void => host.setContext(themeContext(theme)),
  setDisplayMode: (mode: "inline" | "fullscreen" | "pip"): void => void view?.setDisplayMode(mode),
  modelTools: async (): Promise<string[]> => {
    const all = await Promise.all(upstreams.values());
    const lists = await Promise.all(all.map((upstream) => catalogueOf(upstream).forModel()));
    return lists.flat().map(({ name }) => name);
  },
  conversation: (): typeof conversation => conversation,
  modelContext: (): string[] => host.modelContext.snapshot().map((entry) => JSON.stringify(entry)),
  appTools: async (): Promise<OfferedTool[]> =>
    ((await tools?.list()) ?? []).map(({ tool: { name, description = "" } }) => ({
      name,
      description,
    })),
  callAppTool: (name: string, args: Json): Promise<unknown> =>
    tools?.call(name, args) ?? Promise.reject(new Error("There is no View.")),
  appTask: (method: `tasks/${string}`, params: Json): Promise<unknown> | undefined =>
    tools?.task(method, params),
  log: (): string[] => log,
};
Object.assign(window, { conformance });

const query = new URLSearchParams(location.search);
const tool = query.get("tool");
if (tool) {
  const args = JSON.parse(query.get("arguments") ?? "{}");
  void open({ server: query.get("server") ?? "", tool, arguments: args });
}
