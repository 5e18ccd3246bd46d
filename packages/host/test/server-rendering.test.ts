// These tests run in Node, which has no DOM, as a server that renders pages doesn't.

import { createHost, webStore } from "@vitrine/host";
import { McpApp, useConversation, useModelContext, VitrineProvider } from "@vitrine/host/react";
import {
  useModelContext as useVueContext,
  McpApp as VueApp,
  VitrineProvider as VueProvider,
} from "@vitrine/host/vue";
import { createElement } from "react";
import { renderToString } from "react-dom/server";
import { expect, test, vi } from "vitest";
import { createSSRApp, h } from "vue";
import { renderToString as renderVue } from "vue/server-renderer";

test("a host and its conversations can be created without a DOM", async () => {
  expect(globalThis.document).toBeUndefined();
  const host = createHost({ sandbox: "https://sandbox.example", store: webStore() });
  const chat = host.conversation("chat");
  await chat.ready;
  expect(chat.modelContext.snapshot()).toEqual([]);
  expect(await chat.exportRecords().catch(() => "no storage")).toBe("no storage");
  // A server would otherwise keep the conversations of all its users.
  expect(host.conversation("chat")).not.toBe(chat);
  await host.close();
});

test("the other entries can be imported without a DOM", async () => {
  const entries = [
    await import("@vitrine/host/element"),
    await import("@vitrine/host/gateway"),
    await import("@vitrine/host/permissions"),
    await import("@vitrine/host/svelte"),
  ];
  for (const entry of entries) expect(Object.keys(entry)).not.toEqual([]);
});

const host = createHost({ sandbox: "https://sandbox.example", store: webStore() });

function Chat() {
  return createElement("p", null, `${useConversation()?.id}: ${useModelContext().length}`);
}

test("React renders a provider, its hooks and a view on a server, without a warning", () => {
  const warning = vi.spyOn(console, "error").mockReturnValue();
  const html = renderToString(
    createElement(
      VitrineProvider,
      { host, conversation: "chat-7" },
      createElement(Chat),
      createElement(McpApp, { fallback: "Paid." }),
    ),
  );
  expect(html).toBe('<p>chat-7: 0</p><mcp-app><div slot="fallback">Paid.</div></mcp-app>');
  expect(warning).not.toHaveBeenCalled();
});

test("a hook outside of a provider throws an error that names the remedy", () => {
  expect(() => renderToString(createElement(Chat))).toThrow(
    "wrap the components in <VitrineProvider",
  );
});

const VueChat = {
  setup: () => {
    const entries = useVueContext();
    return () => h("p", entries.value.length);
  },
};

test("Vue renders a provider, its hooks and a view on a server, without a warning", async () => {
  const warning = vi.spyOn(console, "warn").mockReturnValue();
  const app = createSSRApp({
    render: () =>
      h(VueProvider, { host, conversation: "chat-7" }, () => [
        h(VueChat),
        h(VueApp, null, { fallback: () => ["Paid."] }),
      ]),
  });
  const html = (await renderVue(app)).replaceAll(/<!--.*?-->/g, "");
  expect(html).toBe('<p>0</p><mcp-app><div slot="fallback">Paid.</div></mcp-app>');
  expect(warning).not.toHaveBeenCalled();
});
