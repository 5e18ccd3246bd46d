// Views that don't connect to their host, connect too late, or violate the protocol.

import { CONNECT, healthyApp, page, SHOW } from "./app.ts";
import type { BrokenApp } from "./broken-app.ts";

const CONNECTED = `${CONNECT}${SHOW}await app.connect();`;

export const PROTOCOL_FAULTS: readonly BrokenApp[] = [
  {
    name: "no-handshake",
    after: "claude-ai-mcp#61",
    app: () =>
      healthyApp({
        html: page({ script: `document.querySelector("#text").textContent = "It is 21 °C.";` }),
      }),
    cause: /Blank: .*never sends ui\/initialize/,
    remedy: /add the handshake: await app\.connect\(\)/,
  },
  {
    name: "waits-for-its-result-first",
    after: "ext-apps#671",
    app: () =>
      healthyApp({
        html: page({
          script: CONNECTED.replace(
            `send({ method: "ui/notifications/initialized" });`,
            `await new Promise((resolve) => { app.ontoolresult = resolve; }); send({ method: "ui/notifications/initialized" });`,
          ),
        }),
      }),
    cause:
      /Blank: .*sent ui\/initialize, got the response, but did not send ui\/notifications\/initialized.*waits for its tool's result/,
    remedy: /right after the response to ui\/initialize/,
  },
  {
    name: "forgets-initialized",
    after: "claude-ai-mcp#61",
    app: () =>
      healthyApp({
        html: page({
          script: CONNECTED.replace(`send({ method: "ui/notifications/initialized" });`, ""),
        }),
      }),
    cause: /Blank: .*sends ui\/initialize but never ui\/notifications\/initialized/,
    remedy: /"ui\/notifications\/initialized"/,
  },
  {
    name: "answers-with-id-zero",
    after: "spec §2.0",
    app: () =>
      healthyApp({
        html: page({
          script: CONNECTED.replace("let lastId = 0;", "let lastId = -1;").replace(
            "if (data.method === undefined) {",
            "if (data.id && data.method === undefined) {",
          ),
        }),
      }),
    cause: /Blank: .*did not send ui\/notifications\/initialized/,
    remedy: /an id can be 0/,
  },
  {
    name: "messages-of-mcp-ui",
    after: "mcp-ui#213",
    app: () =>
      healthyApp({
        html: page({
          script: `window.parent.postMessage({ type: "ui-lifecycle-iframe-ready" }, "*");
addEventListener("message", ({ data }) => { if (data.type === "ui-lifecycle-iframe-render-data") document.querySelector("#text").textContent = data.payload.renderData.city; });`,
        }),
      }),
    cause: /Blank: .*MCP-UI's older messages.*never sends ui\/initialize/,
    remedy: /add the handshake/,
  },
  {
    name: "window-openai-alone",
    after: "openai-apps-sdk-examples#179",
    app: () =>
      healthyApp({
        html: page({
          script: `const { city, degrees } = window.openai.toolOutput;\ndocument.querySelector("#text").textContent = city + degrees;`,
        }),
      }),
    cause: /Blank: .*window\.openai/,
    remedy: /app\.ontoolresult|add the handshake/,
  },
  {
    name: "messages-as-text",
    after: "spec §2.0",
    app: () =>
      healthyApp({
        html: page({
          script: CONNECTED.replace(
            `postMessage({ jsonrpc: "2.0", ...message }, "*")`,
            `postMessage(JSON.stringify({ jsonrpc: "2.0", ...message }), "*")`,
          ),
        }),
      }),
    cause: /Blank: .*text \(JSON\.stringify\)/,
    remedy: /post the object itself/,
  },
  {
    name: "greeting-without-name",
    after: "assistant-ui#4276",
    app: () =>
      healthyApp({
        html: page({
          script: CONNECTED.replace(`appInfo: { name: "forecast", version: "1.0.0" },`, ""),
        }),
      }),
    cause: /Blank: A strict host rejects the ui\/initialize of .*appInfo/,
    remedy: /appInfo: \{ name: "app", version: "1\.0\.0" \}/,
  },
  {
    name: "waits-for-an-event-that-is-over",
    after: "skybridge#245",
    app: () =>
      healthyApp({
        html: page({
          script: `addEventListener("openai:set_globals", async () => {${CONNECT}${SHOW}await app.connect();});`,
        }),
      }),
    cause: /Blank: .*loaded but did not send ui\/initialize.*an event that never comes/,
    remedy: /call it first: await app\.connect\(\)/,
  },
  {
    name: "handler-set-too-late",
    runs: ["late", "cancelled"],
    after: "authors.md §5.2",
    app: () =>
      healthyApp({
        html: page({
          script: `${CONNECT}await app.connect();\nawait new Promise((resolve) => setTimeout(resolve, 600));\n${SHOW}`,
        }),
      }),
    cause: /Broken: .*misses a result that arrives right after the handshake/,
    remedy: /set handlers before you connect/,
  },
  {
    name: "data-that-is-not-sent",
    after: "apify#1189, ext-apps#696",
    app: () => ({
      ...healthyApp({
        html: page({
          body: '<div id="text"></div>',
          script: `${CONNECT}app.ontoolresult = (result) => { const { city } = result.structuredContent; document.querySelector("#text").textContent = city; };\nawait app.connect();`,
        }),
      }),
      call: () => ({ content: [{ type: "text", text: "In Oslo it is 3 °C." }] }),
    }),
    cause: /Blank: .*reads structuredContent, but the result of "forecast" has none/,
    remedy: /return structuredContent/,
  },
  {
    name: "crashes-on-an-empty-result",
    runs: ["duplicate"],
    after: "tableau-mcp PR 685",
    app: () =>
      healthyApp({
        html: page({
          script: `${CONNECT}${SHOW}app.ontoolresult = (result) => { if (!result.isError) text.textContent = result.structuredContent.city; };\nawait app.connect();`,
        }),
      }),
    cause:
      /Works, but: .*fails with a result that is repeated, and then empty|Works, but: .*fails with an empty result/,
    remedy: /structuredContent/,
  },
  {
    name: "crashes-on-a-failed-call",
    runs: ["error"],
    after: "ext-apps#694",
    app: () =>
      healthyApp({
        html: page({
          script: `${CONNECT}${SHOW}app.ontoolresult = (result) => { if (result.content.length > 0) text.textContent = result.isError ? result.error.message : result.content[0].text; };\nawait app.connect();`,
        }),
      }),
    cause: /Works, but: .*fails with a failed call/,
    remedy: /check result\.isError first/,
  },
  {
    name: "tool-called-by-position",
    after: "ext-apps' most frequent mistake",
    app: () =>
      healthyApp({
        html: page({
          script: `${CONNECT}${SHOW}app.callServerTool = (params) => request("tools/call", params);\nawait app.connect();\napp.callServerTool("forecast", { city: "Oslo" }).catch(() => {});`,
        }),
      }),
    cause: /Broken: .*(?:callServerTool\("forecast"|tools\/call)/,
    remedy: /app\.callServerTool\(\{ name: "…", arguments: \{ … \} \}\)/,
  },
  {
    name: "tool-kept-from-apps",
    after: "ext-apps#732, ag-ui PR 2762",
    app: () => {
      const app = healthyApp({
        html: page({
          script: `${CONNECT}${SHOW}await app.connect();\napp.callServerTool({ name: "refresh", arguments: {} }).catch(() => {});`,
        }),
      });
      const refresh = {
        name: "refresh",
        description: "Asks again",
        inputSchema: { type: "object" },
        annotations: { readOnlyHint: true },
        _meta: { ui: { visibility: ["model"] } },
      };
      return { ...app, tools: [...app.tools, refresh] };
    },
    cause: /Broken: .*rejected a request.*refresh/,
    remedy: /visibility: \["model", "app"\]/,
  },
  {
    name: "tool-that-is-not-there",
    after: "ext-apps#745",
    app: () =>
      healthyApp({
        html: page({
          script: `${CONNECT}${SHOW}await app.connect();\napp.callServerTool({ name: "weather_forecast", arguments: {} }).catch(() => {});`,
        }),
      }),
    cause: /Broken: .*weather_forecast/,
    remedy: /a tool that this server lists, by its exact name/,
  },
  {
    name: "floods-its-host",
    after: "ext-apps#502",
    app: () =>
      healthyApp({
        html: page({
          script: `${CONNECT}${SHOW}await app.connect();\nlet n = 0; setInterval(() => { for (let i = 0; i < 80; i++) send({ method: "ui/notifications/size-changed", params: { height: 100 + (n++ % 300) } }); }, 50);`,
        }),
      }),
    cause: /(?:Blank|Broken): .*(?:more than 100 messages a second|reports another height)/,
    remedy: /once they settle|let the content decide/,
  },
  {
    name: "asks-by-a-dialog",
    after: "ext-apps#320",
    app: () =>
      healthyApp({
        html: page({
          script: `${CONNECT}${SHOW}const show = app.ontoolresult; app.ontoolresult = (result) => { if (confirm("Show the forecast?")) show(result); };\nawait app.connect();`,
        }),
      }),
    cause: /Broken: .*calls confirm\(\), but the sandbox of a view shows no dialogs/,
    remedy: /<dialog>/,
  },
];
