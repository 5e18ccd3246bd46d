// A product's page in one language, with views that work, fail or take forever.

import {
  type AppRequest,
  callbacksUpstream,
  createHost,
  createTheme,
  type Diagnostic,
  type Host,
  memoryStore,
} from "@vitrine/host";
import { McpAppElement } from "@vitrine/host/element";
import { arabic } from "@vitrine/host/messages/ar";
import { german } from "@vitrine/host/messages/de";
import { english } from "@vitrine/host/messages/en";
import { createConsentDialog } from "../../../src/consent/consent-dialog.ts";

type Fate = "works" | "fails" | "slow" | "plain";
type Language = keyof typeof LANGUAGES;

interface ShowOptions {
  developer?: boolean;
  fallback?: string;
  /** The last height of the view. */
  height?: number;
}

const LANGUAGES = { arabic, english, german };
const ICON = "data:image/svg+xml,<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 1 1'/>";
const RESULT = { content: [{ type: "text" as const, text: "Regen in Oslo" }] };

// Closed shadow roots are closed to drivers, too.
const roots: ShadowRoot[] = [];
const attach = Element.prototype.attachShadow;
Element.prototype.attachShadow = function (init) {
  const root = attach.call(this, init);
  roots.push(root);
  return root;
};

let host: Host;
let element: McpAppElement | undefined;
let language: Language = "english";
let settings = { entrance: "", html: "" };
let isRepaired = false;

const describeServer = () => ({ name: "Wetterdienst", icon: ICON });

const presented = {
  diagnostics: [] as Omit<Diagnostic, "cause">[],
  open: (chosen: Language, entrance: string, html: string): void => {
    language = chosen;
    settings = { entrance, html };
  },
  show: (fate: Fate, options: ShowOptions = {}): void => {
    const { developer = false, fallback, height } = options;
    const server = "weather.example";
    const store = memoryStore();
    const uri = `ui://${server}/view`;
    if (height) {
      const about = { version: 3, conversation: "", tenant: undefined, user: undefined } as const;
      store.set("/key", { ...about, server, tool: "forecast", resourceUri: uri, height });
    }
    const messages = LANGUAGES[language];
    const sandbox = settings.entrance;
    host = createHost({ sandbox, store, developer, messages, describeServer });
    host.onDiagnostic(({ cause: _, ...diagnostic }) => {
      if (diagnostic.level === "error") presented.diagnostics.push(diagnostic);
    });
    const upstream = callbacksUpstream({
      server,
      listTools: async () => ({ tools: [] }),
      readResource: async ({ uri }) => {
        if (fate === "slow") await new Promise(() => {});
        if (fate === "fails" && !isRepaired) throw new Error("ECONNREFUSED 10.0.0.7:443");
        const mimeType = "text/html;profile=mcp-app";
        return { contents: [{ uri, mimeType, text: settings.html }] };
      },
      callTool: async () => RESULT,
    });
    const tool = {
      name: "forecast",
      title: "Vorhersage",
      inputSchema: { type: "object" as const },
      ...(fate !== "plain" && { _meta: { ui: { resourceUri: uri } } }),
    };
    const app: AppRequest = { key: "key", upstream, tool };
    element?.remove();
    element = Object.assign(new McpAppElement(), { host, app, result: RESULT });
    if (fallback) {
      element.append(
        Object.assign(document.createElement("p"), { slot: "fallback", textContent: fallback }),
      );
    }
    document.body.append(element);
  },
  /** Asks as the host does. */
  ask: (): void => {
    const look = { messages: LANGUAGES[language], describeServer };
    void createConsentDialog(look)({
      kind: "tool",
      tool: {
        name: "delete",
        inputSchema: { type: "object" },
        annotations: { destructiveHint: true },
      },
      arguments: { city: "Oslo" },
      view: { key: "key", server: "weather.example", appInfo: { name: "Wetter", version: "1" } },
      userActive: false,
      signal: new AbortController().signal,
      stop: () => {},
    });
  },
  repair: (): void => {
    isRepaired = true;
    void element?.view?.reload();
  },
  stage: () => element?.view?.stage,
  paint: (background: string): void =>
    host.setContext({ styles: { variables: createTheme({ background }) } }),
  findAll: (selector: string): HTMLElement[] =>
    roots
      .filter((root) => root.host.isConnected)
      .flatMap((root) => [...root.querySelectorAll<HTMLElement>(selector)]),
  find: (selector: string): HTMLElement | undefined => presented.findAll(selector)[0],
  /** All text that is drawn. */
  text: (): string => {
    const parts = [document, ...roots.filter((root) => root.host.isConnected)].flatMap((root) => [
      ...root.querySelectorAll<HTMLElement>("section,aside,dialog,[slot=fallback]"),
    ]);
    return parts
      .filter((part) => part.checkVisibility())
      .map((part) => part.textContent)
      .join("\n");
  },
};

declare global {
  interface Window {
    presented: typeof presented;
  }
}

window.presented = presented;
