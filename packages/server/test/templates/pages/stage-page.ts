// A page of our Host, whose way to the Server is a real MCP client on the other side of the browser.

import {
  callbacksUpstream,
  createHost,
  type Host,
  type ToolData,
  themeContext,
} from "@vitrine/host";
import { registerView } from "@vitrine/internal/host-registration";
import type { McpUiHostContext } from "@vitrine/protocol/apps";

/** What a page is opened with; all of it travels as JSON. */
export interface StageOptions {
  theme: "light" | "dark";
  /** Variables of the theme are left out: the View's own fallbacks show. */
  bare?: boolean;
  context: object;
  tool: object;
}

interface StagePage {
  host: Host;
  diagnostics: { code: string; level: string; detail?: unknown }[];
  /** Links that the View wanted opened. */
  links: string[];
  /** What the View said in the conversation. */
  messages: unknown[];
  open(options: StageOptions): void;
  tell(data: ToolData): void;
  setContext(context: object): void;
  setTheme(theme: "light" | "dark"): void;
  /** What the View wants the model to know. */
  modelContext(): unknown;
}

type AskServer = (method: string, params: unknown, call: number) => Promise<unknown>;

declare global {
  interface Window {
    stage: StagePage;
    askServer: AskServer;
    onServerProgress: Record<number, ((progress: never) => void) | undefined>;
  }
}

window.onServerProgress = {};
let calls = 0;
const ask = async (
  method: string,
  params: unknown,
  onprogress?: (progress: never) => void,
): Promise<never> => {
  const call = ++calls;
  window.onServerProgress[call] = onprogress;
  return (await window.askServer(method, params, call)) as never;
};

const KEY = "view";
let isBare = false;
const stage: StagePage = {
  host: undefined as never,
  diagnostics: [],
  links: [],
  messages: [],
  open: ({ theme, bare, context, tool }) => {
    isBare = bare === true;
    document.body.style.cssText = "margin:0;padding:12px;background:light-dark(#fff,#111)";
    document.documentElement.style.colorScheme = theme;
    const host = createHost({
      contextFromPage: false,
      sandbox: { register: registerView },
      context: { ...(bare ? { theme } : themeContext(theme)), ...context },
      maxHeight: 4000,
      callsPerMinute: 600,
      // Links are written down and not followed: there is no web behind the stage.
      consent: (request) => {
        if (request.kind === "link") stage.links.push(request.link.href);
        return request.kind !== "link";
      },
      onmessage: async ({ content }) => {
        stage.messages.push(content);
        return {};
      },
    });
    host.onDiagnostic(({ code, level, detail }) => stage.diagnostics.push({ code, level, detail }));
    const upstream = callbacksUpstream({
      server: "test",
      listTools: (params) => ask("tools/list", params),
      readResource: (params) => ask("resources/read", params),
      callTool: (params, { onprogress }) => ask("tools/call", params, onprogress as never),
    });
    const place = document.body.appendChild(document.createElement("div"));
    host.mount(place, { key: KEY, upstream, tool: tool as never });
    stage.host = host;
  },
  tell: (data) => stage.host.views.get(KEY)?.update(data),
  setContext: (context) => stage.host.setContext(context as McpUiHostContext),
  setTheme: (theme) => {
    document.documentElement.style.colorScheme = theme;
    stage.host.setContext(isBare ? { theme } : themeContext(theme));
  },
  modelContext: () => stage.host.modelContext.snapshot(),
};

window.stage = stage;
