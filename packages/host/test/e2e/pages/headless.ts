// A product that draws everything around its views itself, in React.

import { type AppRequest, callbacksUpstream, createHost } from "@vitrine/host";
import { McpApp, useView, VitrineProvider } from "@vitrine/host/react";
import { createElement as h } from "react";
import { createRoot } from "react-dom/client";

declare global {
  interface Window {
    openProduct(entrance: string, html: string): void;
    /** Set it to repair the server. */
    isRepaired: boolean;
  }
}

const uri = "ui://weather/forecast";
const tool: AppRequest["tool"] = {
  name: "forecast",
  inputSchema: { type: "object" },
  _meta: { ui: { resourceUri: uri } },
};

function Frame() {
  const { view, stage, displayMode, failure } = useView("one");
  return h(
    "header",
    null,
    h("output", null, `${stage} ${displayMode} ${failure?.code ?? "ok"}`),
    h(
      "button",
      { type: "button", id: "large", onClick: () => view?.setDisplayMode("fullscreen") },
      "Large",
    ),
    h("button", { type: "button", id: "again", onClick: () => view?.reload() }, "Again"),
  );
}

window.openProduct = (sandbox, text) => {
  const host = createHost({ sandbox, decorations: false });
  const upstream = callbacksUpstream({
    server: "weather",
    listTools: async () => ({ tools: [tool] }),
    readResource: async () => {
      if (!window.isRepaired) throw new Error("The server is down.");
      return { contents: [{ uri, mimeType: "text/html;profile=mcp-app", text }] };
    },
    callTool: async () => ({ content: [] }),
  });
  const app = { key: "one", upstream, tool };
  const result = { content: [{ type: "text" as const, text: "Rain in Oslo" }] };
  createRoot(document.body.appendChild(document.createElement("main"))).render(
    h(
      VitrineProvider,
      { host, conversation: "chat" },
      h(Frame),
      h(McpApp, { app, input: {}, result }),
    ),
  );
};
