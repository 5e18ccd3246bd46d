// The requests that a view may send to the host on the bare wire.

import type { Json } from "../../../src/json.ts";
import { fault } from "./fault.ts";
import { ask, conversation, modelContext } from "./ledger.ts";
import type { WireView } from "./view.ts";

type Handler = (view: WireView, params: Json, signal: AbortSignal) => unknown;

const REFUSED = { code: -32000, message: "The user said no." };
const wrong = (what: string): Json => ({ code: -32602, message: `Wrong ${what}.` });

/** Responses by method; other methods are unknown to this host. */
export const REQUESTS: Record<string, Handler | undefined> = {
  ping: () => ({}),
  "ui/initialize": (view, { appInfo, appCapabilities }) => {
    view.appInfo = appInfo ?? {};
    view.appCapabilities = appCapabilities ?? {};
    const hostContext = fault === "context-missing" ? {} : { hostContext: view.context() };
    return {
      protocolVersion: "2026-01-26",
      hostInfo: { name: "wire-host", version: "1.0.0" },
      hostCapabilities: capabilities(),
      ...hostContext,
    };
  },
  "tools/call": callTool,
  "resources/read": ({ server }, params) => server.request("resources/read", { uri: params.uri }),
  "ui/request-display-mode": (view, { mode }) => {
    if (fault === "mode-unanswered") return {};
    if (fault === "mode-error" && mode !== "fullscreen") throw wrong("mode");
    view.setMode(mode);
    return { mode: view.mode };
  },
  "ui/open-link": async (_, { url }) => {
    const isWeb = /^https?:\/\//.test(url);
    if (!isWeb && fault !== "links-any") return { isError: true };
    if (!(await ask("link"))) return { isError: true };
    open(url, "_blank", fault === "links-any" ? "" : "noopener,noreferrer");
    return {};
  },
  "ui/download-file": (_, params) => download(params),
  "ui/message": async (_, { role, content }) => {
    if (!(await ask("message"))) return { isError: true };
    if (fault !== "message-lost") conversation.push({ role, text: JSON.stringify(content) });
    return fault === "conversation-returned" ? { conversation } : {};
  },
  "ui/update-model-context": ({ key }, { content }) => {
    if (fault === "context-lost") return {};
    const before = fault === "context-piles" ? (modelContext.get(key) ?? []) : [];
    modelContext.set(key, content?.length ? [...before, JSON.stringify(content)] : []);
    return {};
  },
  "sampling/createMessage": async () => {
    if (fault !== "samples-unasked" && !(await ask("sampling"))) throw REFUSED;
    return { role: "assistant", content: { type: "text", text: "Something." }, model: "none" };
  },
};

function capabilities(): Json {
  return {
    openLinks: {},
    downloadFile: {},
    serverTools: {},
    serverResources: {},
    logging: {},
    message: { text: {} },
    updateModelContext: { text: {} },
    ...(fault !== "sampling-unnamed" && { sampling: {} }),
  };
}

async function callTool(view: WireView, params: Json, signal: AbortSignal): Promise<Json> {
  const { name, arguments: args = {}, _meta } = params;
  const isPlain = typeof name === "string" && typeof args === "object" && args !== null;
  if (!isPlain && fault !== "unvalidated") throw wrong("params");
  const all = fault === "any-server" ? [...view.servers.values()] : [view.server];
  const server = all.find(({ tools }) => tools.some((tool) => tool.name === name)) ?? view.server;
  const tool = server.tools.find((one) => one.name === name);
  const { visibility } = tool?._meta?.ui ?? {};
  const usual = fault === "unmarked-hidden" ? ["model"] : ["model", "app"];
  const isVisible = (visibility ?? usual).includes("app");
  if (fault !== "unvalidated" && (!tool || (!isVisible && fault !== "visibility-unchecked"))) {
    throw { code: -32000, message: `${name} is not for Views of this server.` };
  }
  const isSafe = tool?.annotations?.readOnlyHint === true;
  if (!isSafe && fault !== "unvalidated" && !(await ask("tool"))) throw REFUSED;
  return server.request(
    "tools/call",
    { name, arguments: args, ...(_meta && { _meta }) },
    {
      signal,
      onProgress: (progress) => view.notify("notifications/progress", progress),
    },
  );
}

async function download({ contents }: Json): Promise<Json> {
  if (fault !== "download-unasked" && !(await ask("download"))) return { isError: true };
  for (const { resource } of contents) {
    const link = document.createElement("a");
    link.href = URL.createObjectURL(new Blob([resource.text]));
    link.download = nameOf(resource.uri);
    link.click();
  }
  return {};
}

function nameOf(uri: string): string {
  if (fault === "download-unnamed") return "download";
  const last = decodeURIComponent(uri.split("/").at(-1) ?? "");
  if (fault === "download-raw") return last;
  const safe = last.replaceAll(/[/\\]|\p{Cc}/gu, "_").replace(/^[._]+|[. ]+$/g, "");
  return safe || "file";
}
