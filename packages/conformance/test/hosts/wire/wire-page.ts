// A host on the bare wire: no SDK, and every rule broken on demand. It follows the suite's
// conventions: its address names the call, and `window.conformance` operates it.

import type { HostCall, OfferedTool } from "../../../src/host/driver.ts";
import type { Json } from "../../../src/json.ts";
import { callTool, listTools, passTask } from "./app-tools.ts";
import { fault } from "./fault.ts";
import { conversation, log, modelContext } from "./ledger.ts";
import { WireServer } from "./mcp.ts";
import { WireView } from "./view.ts";

const servers = new Map<string, WireServer>();
let view: WireView | undefined;
let call = new AbortController();
let count = 0;
const wait = (time: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, time));

async function open(
  { server: url, tool: name, arguments: args }: HostCall,
  write?: (shown: WireView) => Promise<void>,
): Promise<void> {
  const server = servers.get(url) ?? (await new WireServer(url).connect());
  servers.set(url, server);
  const tool = server.tools.find((one) => one.name === name) ?? {};
  const { ui } = tool._meta ?? {};
  const flat = fault === "flat-ignored" ? undefined : tool._meta?.["ui/resourceUri"];
  const uri =
    ui?.resourceUri ?? flat ?? (fault === "plain-framed" ? "ui://probe/view.html" : undefined);
  call = new AbortController();
  const { signal } = call;
  const calling = server.request("tools/call", { name, arguments: args }, { signal });
  calling.catch(() => {});
  if (!uri || fault === "never-reads") {
    conversation.push({ role: "tool", text: JSON.stringify(await calling) });
    return;
  }
  const [content] = (await server.request("resources/read", { uri })).contents;
  const listed = server.resources.find((one) => one.uri === uri)?._meta?.ui;
  const meta = content._meta?.ui ?? (fault === "list-ignored" ? undefined : listed) ?? {};
  await review(content.text, meta);
  const shown = new WireView({ server, servers, key: count++ }, { html: content.text, meta });
  view = shown;
  shown.onNotification = (method, params) => {
    if (method !== "notifications/message") return;
    log.push(JSON.stringify(params.data));
    if (fault === "log-said")
      conversation.push({ role: "user", text: JSON.stringify(params.data) });
  };
  if (fault === "speaks-early")
    setTimeout(() => shown.notify("ui/notifications/host-context-changed", { theme: "dark" }), 400);
  await write?.(shown);
  if (!write) void shown.tellInput(args);
  calling.then(
    (result) => shown.tellResult(result, args),
    ({ message }) => shown.tellCancelled(String(message)),
  );
}

/** The information for reviewers and the user before a view is shown. */
async function review(html: string, { csp = {} }: Json): Promise<void> {
  const digest = new Uint8Array(
    await crypto.subtle.digest("SHA-256", new TextEncoder().encode(html)),
  );
  const hash = [...digest].map((byte) => byte.toString(16).padStart(2, "0")).join("");
  if (fault !== "unreviewed") log.push(`document ${hash}`);
  if (fault !== "unlogged") log.push(`domains ${JSON.stringify(csp)}`);
  const domains = Object.values(csp as Record<string, string[]>).flat();
  if (domains.length === 0 || fault === "unwarned") return;
  const warning = document.createElement("p");
  warning.textContent = `This app needs ${domains.join(", ")}`;
  document.body.append(warning);
}

const conformance = {
  open,
  stream: (what: HostCall, texts: readonly string[]): Promise<void> =>
    open(what, async (shown) => {
      await shown.ready;
      for (const text of texts) {
        // If it is an object: `{"a":1,"b":` is completed to what it surely contains.
        const [, city] = /"city":"([^"]*)/.exec(text) ?? [];
        shown.tellPartial(city === undefined ? {} : { city });
        await wait(30);
      }
      await shown.tellInput(what.arguments);
      shown.tellPartial({});
    }),
  close: (): Promise<void> | undefined => view?.close("closed by the user"),
  cancel: (): void => call.abort(),
  setTheme: (theme: string): void =>
    view?.notify("ui/notifications/host-context-changed", { theme }),
  setDisplayMode: (mode: string): void => view?.setMode(mode),
  modelTools: (): string[] =>
    [...servers.values()]
      .flatMap(({ tools }) => tools)
      .filter(
        ({ _meta }) =>
          fault === "model-sees-all" || (_meta?.ui?.visibility ?? ["model"]).includes("model"),
      )
      .map(({ name }) => name),
  conversation: (): typeof conversation => conversation,
  modelContext: (): string[] => [...modelContext.values()].flat(),
  appTools: (): Promise<OfferedTool[]> => listTools(view),
  callAppTool: callTool,
  appTask: (method: string, params: Json): Promise<Json> => passTask(view, method, params),
  log: (): string[] => log,
};
Object.assign(window, { conformance });

const query = new URLSearchParams(location.search);
if (query.get("tool")) {
  const args = JSON.parse(query.get("arguments") ?? "{}");
  void open({ server: query.get("server") ?? "", tool: query.get("tool") ?? "", arguments: args });
}
