// What a server can get wrong before anybody looks at its page.

import { type App, healthyApp, MIME_TYPE, page, URI } from "./app.ts";
import type { BrokenApp } from "./broken-app.ts";

/** The healthy app with other metadata on its tool. */
function withTool(change: object): App {
  const app = healthyApp();
  return { ...app, tools: app.tools.map((tool) => ({ ...tool, ...change })) };
}

/** The healthy app with another content of its View. */
function withContent(change: object): App {
  const app = healthyApp();
  return {
    ...app,
    read: (uri) => ({ contents: [{ ...app.read(uri).contents[0], ...change }] }),
  };
}

const both = (uri: string): object => ({
  _meta: { ui: { resourceUri: uri }, "ui/resourceUri": uri },
});

export const SERVER_FAULTS: readonly BrokenApp[] = [
  {
    name: "resource-never-registered",
    after: "ext-apps#482",
    app: () => ({
      ...withTool(both("ui://weather/map.html")),
      resources: [],
      read: () => {
        throw new Error("Resource not found");
      },
    }),
    cause:
      /Blank: The tool "forecast" names ui:\/\/weather\/map\.html, which the server doesn't have/,
    remedy: /→ register it: .*"ui:\/\/weather\/map\.html".*text\/html;profile=mcp-app/,
  },
  {
    name: "address-mistyped",
    after: "ext-apps#482",
    app: () => withTool(both("ui://weather/forcast.html")),
    cause:
      /names ui:\/\/weather\/forcast\.html, which the server doesn't have.*It has ui:\/\/weather\/forecast\.html/,
    remedy: /resourceUri: "ui:\/\/weather\/forecast\.html"/,
  },
  {
    name: "address-of-the-web",
    after: "ext-apps#318",
    app: () => withTool(both("https://weather.example.com/view.html")),
    cause:
      /Text only: The tool "forecast" names "https:\/\/weather\.example\.com\/view\.html".*start with ui:\/\//,
    remedy: /resourceUri: "ui:\/\//,
  },
  {
    name: "mime-type-plain",
    after: "claude-ai-mcp#61",
    app: () => withContent({ mimeType: "text/html" }),
    cause: /Blank: .*MIME type "text\/html"/,
    remedy: /mimeType: "text\/html;profile=mcp-app"/,
  },
  {
    name: "mime-type-of-chatgpt",
    after: "ext-apps PR 440",
    app: () => withContent({ mimeType: "text/html+skybridge" }),
    cause: /Blank: .*MIME type "text\/html\+skybridge"/,
    remedy: /mimeType: "text\/html;profile=mcp-app"/,
  },
  {
    name: "key-of-chatgpt-alone",
    after: "ext-apps PR 440",
    app: () => withTool({ _meta: { "openai/outputTemplate": URI } }),
    cause: /Text only: .*only under "openai\/outputTemplate"/,
    remedy: /_meta: \{ ui: \{ resourceUri: "ui:\/\/weather\/forecast\.html" \}/,
  },
  {
    name: "flat-key-alone",
    after: "claude-ai-mcp#71, dotnet-mcp PR 413",
    app: () => withTool({ _meta: { "ui/resourceUri": URI } }),
    cause: /Text only: .*deprecated key/,
    remedy: /_meta: \{ ui: \{ resourceUri: "ui:\/\/weather\/forecast\.html" \}/,
  },
  {
    name: "keys-that-differ",
    after: "ext-apps#615",
    app: () =>
      withTool({ _meta: { ui: { resourceUri: URI }, "ui/resourceUri": "ui://weather/old.html" } }),
    cause: /names two views|ui:\/\/weather\/old\.html, which the server doesn't have/,
    remedy: /ui:\/\/weather\/forecast\.html/,
  },
  {
    name: "meta-without-underscore",
    after: "FastMCP servers, basic-host's tolerance",
    app: () => withTool({ _meta: undefined, meta: { ui: { resourceUri: URI } } }),
    cause: /Text only: .*under "meta"; hosts read "_meta"/,
    remedy: /_meta: \{ ui: \{ resourceUri/,
  },
  {
    name: "address-is-a-template",
    after: "KiroCrew#2748",
    app: () => ({
      ...withTool(both("ui://weather/{city}.html")),
      resources: [],
      templates: [{ uriTemplate: "ui://weather/{city}.html", name: "city", mimeType: MIME_TYPE }],
    }),
    cause: /Blank: .*names the template ui:\/\/weather\/\{city\}\.html/,
    remedy: /one fixed address.*resourceUri/,
  },
  {
    name: "text-empty",
    after: "openai-apps-sdk-examples#179",
    app: () => withContent({ text: "" }),
    cause:
      /Blank: resources\/read of ui:\/\/weather\/forecast\.html returns no document: its text is empty/,
    remedy: /contents: \[\{ uri: "ui:\/\/weather\/forecast\.html", mimeType: .*text: html/,
  },
  {
    name: "blob-not-base64",
    after: "spec §3.1 SRV-03",
    app: () => withContent({ text: undefined, blob: page() }),
    cause: /Blank: .*its blob is not base64/,
    remedy: /text: html/,
  },
  {
    name: "content-of-another-address",
    after: "agentgateway#1143",
    app: () => withContent({ uri: "weather/forecast.html" }),
    cause: /Blank: .*returns the content of "weather\/forecast\.html"/,
    remedy: /uri: "ui:\/\/weather\/forecast\.html"/,
  },
  {
    name: "read-fails",
    after: "ext-apps#482",
    app: () => ({
      ...healthyApp(),
      read: () => {
        throw new Error("ENOENT: no such file or directory, open 'dist/view.html'");
      },
    }),
    cause: /Blank: .*reading it fails: .*ENOENT/,
    remedy: /make resources\/read of ui:\/\/weather\/forecast\.html return/,
  },
  {
    name: "promise-for-a-page",
    after: "authors who forget await",
    app: () => withContent({ text: String(Promise.resolve(page())) }),
    cause: /Blank: .*no markup: .*\[object Promise\]/,
    remedy: /await/,
  },
  {
    name: "error-page-for-a-page",
    after: "claude-ai-mcp#53",
    app: () =>
      withContent({
        text: '<!DOCTYPE html><html><head><title>ERR_NGROK_3200</title><link href="https://cdn.ngrok.com/static/x.css" rel="stylesheet"></head><body><h1>Tunnel not found</h1></body></html>',
      }),
    cause: /Blank: .*another server's error page/,
    remedy: /readFile\("dist\/view\.html"/,
  },
  {
    name: "page-of-six-megabytes",
    after: "qwen-code PR 12258, PostHog PR 50974",
    app: () =>
      healthyApp({
        html: page({
          head: `<script type="application/json">"${"x".repeat(6 * 2 ** 20)}"</script>`,
        }),
      }),
    cause: /Blank: .*6\.0 MiB.*reject a view of more than 5 MiB/,
    remedy: /remove unused code/,
  },
  {
    name: "domain-as-address",
    after: "claude-ai-mcp#165, ext-apps#671, laravel/mcp#218",
    app: () => healthyApp({ ui: { domain: "https://weather.example.com" } }),
    cause: /Blank: _meta\.ui\.domain .*"https:\/\/weather\.example\.com".*Claude shows no frame/,
    remedy: /remove _meta\.ui\.domain/,
  },
  {
    name: "tool-for-apps-alone",
    after: "KiroCrew#2633",
    app: () =>
      withTool({ _meta: { ui: { resourceUri: URI, visibility: ["app"] }, "ui/resourceUri": URI } }),
    cause: /Text only: .*visible to \["app"\] only, so no model can call it/,
    remedy: /visibility: \["model", "app"\]/,
  },
  {
    name: "words-see-above",
    after: "authors.md §5.6",
    app: () => ({
      ...healthyApp(),
      call: () => ({
        content: [{ type: "text", text: "See the widget above." }],
        structuredContent: { city: "Oslo", degrees: 3 },
      }),
    }),
    cause: /Works, but: The text of "forecast" is only "See the widget above\."/,
    remedy: /content: \[\{ type: "text", text:/,
  },
];
