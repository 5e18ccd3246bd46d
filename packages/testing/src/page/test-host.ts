// The page that shows one view in the strict host. It runs in the browser; `page-protocol.ts` describes its
// other end.

import { createHost, type Host, type HostedView, themeContext, type Upstream } from "@vitrine/host";
import { explainDiagnostic } from "@vitrine/host/diagnostics";
import { RpcError } from "@vitrine/protocol";
import type { McpUiHostContext } from "@vitrine/protocol/apps";
import type { MountHost } from "../mount/mount-options.ts";
import type { MountPlan, PageEvent, TestPage, TestProcess } from "./page-protocol.ts";

declare global {
  interface Window extends TestProcess {
    vitrineTest?: TestPage;
  }
}

// The test's browser stays where it is.
window.open = (url) => {
  tell({ kind: "link", url: String(url) });
  return null;
};

const place = document.querySelector("#place") as HTMLElement;
let host: Host | undefined;
let view: HostedView | undefined;
let context: McpUiHostContext = {};

const tell = (event: PageEvent): void => void window.vitrineEvent(event);

const upstream: Upstream = {
  server: "test",
  capabilities: { tools: {}, resources: {} },
  request: async (method, params) => {
    const answer = await window.vitrineAsk(method, params);
    if ("result" in answer) return answer.result as never;
    throw new RpcError(answer.error.code, answer.error.message);
  },
  onListChanged: () => () => {},
};

function applyHost({ theme, locale, width, displayMode }: MountHost): void {
  context = {
    ...context,
    ...(theme && themeContext(theme)),
    ...(locale !== undefined && { locale }),
  };
  if (theme) document.documentElement.style.colorScheme = theme;
  if (width !== undefined) place.style.width = `${width}px`;
  host?.setContext(context);
  if (displayMode) view?.setDisplayMode(displayMode);
}

function open({ entrance, tool, host: settings, data, time }: MountPlan): void {
  applyHost({ theme: "light", locale: "en-US", ...settings });
  const opened = createHost({
    sandbox: entrance,
    hostInfo: { name: "vitrine-testing", version: "0.1.0" },
    contextFromPage: false,
    context: { timeZone: "UTC", platform: "web", ...context },
    times: { document: time, initialize: time },
    startOffScreen: true,
    developer: true,
    // A test stands for a user who agrees; the policy applies all the same.
    consent: () => true,
    gestures: false,
    onmessage: async (message) => {
      tell({ kind: "message", message });
      return {};
    },
    onloggingmessage: ({ level, data }) => tell({ kind: "log", level, data }),
  });
  host = opened;
  opened.onDiagnostic((diagnostic) => {
    const { level, code } = diagnostic;
    const { title, cause } = explainDiagnostic(diagnostic) as { title?: string; cause?: string };
    tell({ kind: "problem", level, code, text: [title, cause].filter(Boolean).join(" ") });
  });
  opened.modelContext.onChange(() => {
    const entry = opened.modelContext.snapshot().find(({ key }) => key === "view");
    const { key: _, from: __, ...update } = entry ?? { key: "" };
    tell({ kind: "context", context: entry ? update : null });
  });
  opened.onEvent((event) => {
    if (event.type === "tool-call" && event.outcome === "rejected")
      tell({ kind: "refused", tool: event.name });
  });
  const shown = opened.mount(place, { key: "view", upstream, tool });
  view = shown;
  shown.onStage((stage) => {
    tell({ kind: "stage", stage });
    if (stage === "initialized" && settings.displayMode) shown.setDisplayMode(settings.displayMode);
  });
  for (const each of data) shown.update(each);
}

window.vitrineTest = {
  open,
  tell: (data) => view?.update(data),
  setHost: applyHost,
  close: async () => {
    await host?.close();
  },
};
