// A healthy app, and the type of an app in these tests: all responses of its server.

// biome-ignore lint/suspicious/noExplicitAny: servers answer anything.
type Json = Record<string, any>;

/** All responses of a server. */
export interface App {
  tools: Json[];
  resources: Json[];
  templates: Json[];
  /** The answer to `resources/read`; an error if it throws. */
  read(uri: string): Json;
  call(name: string, args: Json): Json;
}

export const URI = "ui://weather/forecast.html";
export const MIME_TYPE = "text/html;profile=mcp-app";

/** A minimal hand-written handshake, and the display of the data. */
export const CONNECT = `
const send = (message) => window.parent.postMessage({ jsonrpc: "2.0", ...message }, "*");
let lastId = 0;
const waiting = new Map();
const request = (method, params) => new Promise((resolve, reject) => {
  const id = ++lastId;
  waiting.set(id, { resolve, reject });
  send({ id, method, params });
});
const app = {
  callServerTool: (params) => request("tools/call", params),
  async connect() {
    const answer = await request("ui/initialize", {
      protocolVersion: "2026-01-26",
      appInfo: { name: "forecast", version: "1.0.0" },
      appCapabilities: {},
    });
    document.documentElement.dataset.theme = answer.hostContext.theme ?? "light";
    document.documentElement.dir = /^ar\b/.test(answer.hostContext.locale) ? "rtl" : "ltr";
    send({ method: "ui/notifications/initialized" });
    const report = () => send({
      method: "ui/notifications/size-changed",
      params: { height: Math.ceil(document.documentElement.getBoundingClientRect().height) },
    });
    new ResizeObserver(report).observe(document.documentElement);
    return answer;
  },
};
addEventListener("message", ({ source, data }) => {
  if (source !== window.parent || data?.jsonrpc !== "2.0") return;
  if (data.method === undefined) {
    const { resolve, reject } = waiting.get(data.id) ?? {};
    if (data.error) reject?.(new Error(data.error.message));
    else resolve?.(data.result);
  }
  if (data.method === "ui/notifications/tool-input") app.ontoolinput?.(data.params);
  if (data.method === "ui/notifications/tool-result") app.ontoolresult?.(data.params);
  if (data.method === "ui/notifications/tool-cancelled") app.ontoolcancelled?.(data.params);
  if (data.method === "ui/resource-teardown") send({ id: data.id, result: {} });
});
`;

export const SHOW = `
const text = document.querySelector("#text");
let isShown = false;
app.ontoolresult = (result) => {
  if (result.isError) text.textContent = "There is no forecast: " + result.content?.[0]?.text;
  else if (result.structuredContent) {
    const { city, degrees } = result.structuredContent;
    text.textContent = "In " + city + " it is " + degrees + " °C.";
    isShown = true;
  } else if (!isShown) text.textContent = "There is no data.";
};
app.ontoolcancelled = () => { text.textContent = "The forecast was stopped."; };
`;

/** A whole page around its parts. */
export function page({
  head = "",
  body = '<main><h1>Forecast</h1><p id="text">Asking the weather station</p></main>',
  script = `${CONNECT}${SHOW}await app.connect();`,
  type = "module",
}: {
  head?: string;
  body?: string;
  script?: string;
  type?: string;
} = {}): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>Forecast</title>
<style>
html { color-scheme: light dark; }
body { margin: 0; padding: 16px; color: var(--color-text-primary, CanvasText); background: var(--color-background-primary, Canvas); }
</style>
${head}
</head>
<body>
${body}
<script${type ? ` type="${type}"` : ""}>${script}</script>
</body>
</html>
`;
}

/** A server with one tool and one View. */
export function healthyApp({ html = page(), ui = {} }: { html?: string; ui?: Json } = {}): App {
  const meta = { ui: { prefersBorder: true, ...ui } };
  return {
    tools: [
      {
        name: "forecast",
        title: "Forecast",
        description: "The weather in a city",
        inputSchema: {
          type: "object",
          properties: { city: { type: "string" } },
          required: ["city"],
        },
        annotations: { readOnlyHint: true },
        _meta: { ui: { resourceUri: URI }, "ui/resourceUri": URI },
      },
    ],
    resources: [{ uri: URI, name: "forecast", mimeType: MIME_TYPE, _meta: meta }],
    templates: [],
    read: (uri) => {
      if (uri !== URI) throw new Error(`Resource ${uri} not found`);
      return { contents: [{ uri, mimeType: MIME_TYPE, text: html, _meta: meta }] };
    },
    call: (name, { city = "Berlin" }) => {
      if (name !== "forecast") throw new Error(`Unknown tool ${name}`);
      return {
        content: [{ type: "text", text: `In ${city} it is 21 °C and sunny.` }],
        structuredContent: { city, degrees: 21 },
      };
    },
  };
}

/** A server with tools and no View. */
export function plainApp(): App {
  const { tools, ...others } = healthyApp();
  const plain = tools.map(({ _meta, ...tool }) => tool);
  return { ...others, tools: [...plain, { ...plain[0], name: "history" }], resources: [] };
}
