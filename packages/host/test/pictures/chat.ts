// A small chat in one language and one look, in which a view is in any state that a user can see.

import {
  type AppRequest,
  callbacksUpstream,
  createHost,
  type Host,
  memoryStore,
} from "@vitrine/host";
import { McpAppElement } from "@vitrine/host/element";
import { arabic } from "@vitrine/host/messages/ar";
import { german } from "@vitrine/host/messages/de";
import { english } from "@vitrine/host/messages/en";
import { VitrinePermissionsElement } from "@vitrine/host/permissions";
import { CHAT_TEXTS, type Language } from "./chat-texts.ts";

const MESSAGES = { english, german, arabic };

/** How the chat is opened. */
export interface ChatOptions {
  language: Language;
  look: "default" | "custom";
  entrance: string;
  html: string;
  fate?: "works" | "fails" | "slow";
  developer?: boolean;
  /** Shows the side panel. */
  panel?: boolean;
  /** The view asks for this as soon as it is there. */
  ask?: "tool" | "message" | "link";
}

// Closed shadow roots are closed to drivers, too.
const roots: ShadowRoot[] = [];
const attach = Element.prototype.attachShadow;
Element.prototype.attachShadow = function (init) {
  const root = attach.call(this, init);
  roots.push(root);
  return root;
};

const LAYOUT = `
:root{color-scheme:light dark;--page:light-dark(#fff,#141517);--ink:light-dark(#1b1c20,#ededf0);--line:light-dark(#ddd,#333);--quiet:light-dark(#f3f4f6,#222428)}
*{box-sizing:border-box}
body{margin:0;height:100dvh;display:flex;background:var(--page);color:var(--ink);font:14px/1.45 system-ui,sans-serif}
#chat{flex:1;min-width:0;display:flex;flex-direction:column}
#list{flex:1;overflow:auto;padding:16px;display:flex;flex-direction:column;gap:12px}
#list>p{margin:0}
.user{align-self:end;background:var(--quiet);padding:8px 12px;border-radius:12px}
#composer{display:flex;gap:8px;padding:12px 16px;border-block-start:1px solid var(--line)}
textarea{flex:1;min-width:0;height:40px;padding:9px 12px;font:inherit;color:inherit;background:none;border:1px solid var(--line);border-radius:8px;resize:none}
#composer button{padding:0 16px;font:inherit;font-weight:600;border:0;border-radius:8px;background:var(--ink);color:var(--page)}
#panel{flex:0 0 40%;border-inline-start:1px solid var(--line)}
`;
const CUSTOM = `
:root{--page:light-dark(#fdf7ee,#241b2f);--vitrine-background:light-dark(#fffaf2,#2d2239);--vitrine-color:light-dark(#3b2410,#f6e9ff);--vitrine-muted:light-dark(#7a5636,#c3a9d8);--vitrine-raised:light-dark(#f8ead6,#3a2c4a);--vitrine-border:light-dark(#e3c9a6,#57426d);--vitrine-radius:14px;--vitrine-accent:light-dark(#a4420b,#d9a4ff);--vitrine-font:Georgia,serif}
`;

let host: Host;
let element: McpAppElement;

function make(tag: string, id: string, parent: Element, text = ""): HTMLElement {
  const made = Object.assign(document.createElement(tag), { id, textContent: text });
  return parent.appendChild(made);
}

const chat = {
  open: (options: ChatOptions): void => {
    const { language, look, entrance, html, fate = "works", developer = false, ask } = options;
    const texts = CHAT_TEXTS[language];
    const messages = MESSAGES[language];
    const { lang, dir } = { lang: messages.language, dir: messages.direction };
    Object.assign(document.documentElement, { lang, dir });
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(LAYOUT + (look === "custom" ? CUSTOM : ""));
    document.adoptedStyleSheets = [sheet];
    const main = make("div", "chat", document.body);
    const list = make("div", "list", main);
    make("p", "", list, texts.question).className = "user";
    make("p", "", list, texts.answer);
    const composer = make("form", "composer", main);
    make("textarea", "field", composer).setAttribute("placeholder", texts.composer);
    make("button", "send", composer, texts.send);
    if (options.panel) make("div", "panel", document.body);
    const find = (id: string) => () => document.getElementById(id);
    const icon = `data:image/svg+xml,${encodeURIComponent(
      `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 20 20"><circle cx="10" cy="10" r="9" fill="#2f7de1"/></svg>`,
    )}`;
    host = createHost({
      ...{ sandbox: entrance, messages, developer, store: memoryStore() },
      describeServer: () => ({ name: texts.server, icon }),
      regions: { area: find("chat"), composer: find("composer"), panel: find("panel") },
      onmessage: async () => ({}),
    });
    const uri = "ui://weather.example/forecast";
    const tool = { inputSchema: { type: "object" as const } };
    const upstream = callbacksUpstream({
      server: "weather.example",
      listTools: async () => ({
        tools: [
          {
            ...tool,
            name: "reminder",
            title: texts.message,
            annotations: { destructiveHint: false },
          },
        ],
      }),
      readResource: async () => {
        if (fate === "slow") await new Promise(() => {});
        if (fate === "fails") throw new Error("connect ECONNREFUSED 10.0.0.7:443");
        return { contents: [{ uri, mimeType: "text/html;profile=mcp-app", text: html }] };
      },
      callTool: async () => ({ content: [] }),
    });
    const app: AppRequest = {
      key: "forecast",
      upstream,
      tool: { ...tool, name: "forecast", title: texts.tool, _meta: { ui: { resourceUri: uri } } },
    };
    const { view: title, days, message } = texts;
    element = Object.assign(new McpAppElement(), {
      ...{ host, app, input: { title, days, message, ask, dir } },
      result: { content: [{ type: "text" as const, text: texts.result }] },
    });
    list.append(element);
  },
  setMode: (mode: "inline" | "fullscreen" | "pip"): void => {
    host.views.get("forecast")?.setDisplayMode(mode);
  },
  /** Shows the list of remembered answers below the view. */
  listPermissions: (): void => {
    document
      .getElementById("list")
      ?.append(Object.assign(new VitrinePermissionsElement(), { host }));
  },
  stage: () => element.view?.stage,
  find: (selector: string): HTMLElement | undefined =>
    roots
      .filter((root) => root.host.isConnected)
      .flatMap((root) => [...root.querySelectorAll<HTMLElement>(selector)])
      .find((found) => found.checkVisibility()),
  /** All text that is drawn, with the names of buttons. */
  text: (): string =>
    [document.body, ...roots.filter((root) => root.host.isConnected)]
      .flatMap((root) => [...root.querySelectorAll<HTMLElement>("*")])
      .filter((found) => found.checkVisibility())
      .flatMap((found) => [
        found.ariaLabel ?? "",
        found.title,
        ...[...found.childNodes]
          .filter(({ nodeType }) => nodeType === 3)
          .map((n) => n.textContent ?? ""),
      ])
      .filter(Boolean)
      .join("\n"),
};

declare global {
  interface Window {
    chat: typeof chat;
  }
}

window.chat = chat;
