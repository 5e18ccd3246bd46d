// The program of a page with the real Host, as a product would write it; runs in a browser. It keeps
// what no driver sees: what is inside closed shadow roots, and what Views said.

import {
  type AppRequest,
  callbacksUpstream,
  createHost,
  type Diagnostic,
  type Host,
  type ToolData,
  webStore,
} from "@vitrine/host";

/** What a page with a Host offers to the scenarios. */
interface DriverPage {
  host: Host;
  /** What Views said through their log. */
  readonly said: { key: string; data: unknown }[];
  readonly stages: { key: string; stage: string }[];
  readonly diagnostics: Pick<Diagnostic, "level" | "code" | "detail">[];
  /** Calls of tools as they came to the Server. */
  readonly calls: { name: string; arguments?: unknown }[];
  /** Shows a View in the element of that id, which is made where it is missing. */
  show(key: string, html: string, data: ToolData, place: string): void;
  /** What the Host has drawn and can be seen now, by selector and what it is called or reads. */
  find(selector: string, name?: string): HTMLElement | undefined;
  /** Everything that the Host has written into the page. */
  text(): string;
}

declare global {
  interface Window {
    hostDriver?: DriverPage | undefined;
  }
}

const SERVER = "https://weather.example/mcp";
const RESOURCE = "ui://weather/show";

const roots: ShadowRoot[] = [];
const { attachShadow } = Element.prototype;
Element.prototype.attachShadow = function (options) {
  const root = attachShadow.call(this, options);
  roots.push(root);
  return root;
};

const host = createHost({
  // From the page's address, like a product's configuration.
  sandbox: new URLSearchParams(location.search).get("sandbox") ?? "",
  store: webStore(),
  // Only some scenarios have one.
  regions: { composer: () => document.querySelector("#composer") },
  onloggingmessage: ({ data }, { key }) => hostDriver.said.push({ key, data }),
});

const tool: AppRequest["tool"] = {
  name: "show",
  inputSchema: { type: "object" },
  _meta: { ui: { resourceUri: RESOURCE } },
};
const look = { ...tool, name: "look", _meta: {}, annotations: { readOnlyHint: true } };
const write = { ...tool, name: "write", _meta: {} };

const hostDriver: DriverPage = {
  host,
  said: [],
  stages: [],
  diagnostics: [],
  calls: [],
  show(key, text, data, place) {
    const upstream = callbacksUpstream({
      server: SERVER,
      listTools: async () => ({ tools: [tool, look, write] }),
      readResource: async ({ uri }) => ({
        contents: [{ uri, mimeType: "text/html;profile=mcp-app", text }],
      }),
      callTool: async (params) => {
        hostDriver.calls.push({ name: params.name, arguments: params.arguments });
        return { content: [{ type: "text", text: `${params.name} done` }] };
      },
    });
    const container = document.getElementById(place) ?? document.createElement("div");
    container.id = place;
    if (!container.isConnected) document.body.append(container);
    const isNew = !host.views.has(key);
    const view = host.mount(container, { key, upstream, tool });
    if (isNew) view.onStage((stage) => hostDriver.stages.push({ key, stage }));
    view.update(data);
  },
  text: () => roots.map((root) => root.textContent ?? "").join(" "),
  find(selector, name) {
    const all = roots
      .filter((root) => root.host.isConnected)
      .flatMap((root) => [...root.querySelectorAll<HTMLElement>(selector)]);
    const isCalled = ({ ariaLabel, textContent }: HTMLElement) =>
      name === undefined || (ariaLabel ?? textContent) === name;
    return all.find((item) => item.checkVisibility() && isCalled(item));
  },
};
host.onDiagnostic(({ level, code, detail }) =>
  hostDriver.diagnostics.push({ level, code, ...(detail !== undefined && { detail }) }),
);
window.hostDriver = hostDriver;
