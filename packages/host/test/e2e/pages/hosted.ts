// A page of a Host as a product would write it, with a Server whose answers a test writes.

import {
  type AppRequest,
  callbacksUpstream,
  createHost,
  type Diagnostic,
  type DiagnosticCode,
  type Host,
  type HostOptions,
  type Upstream,
} from "@vitrine/host";
import { type Explanation, explainDiagnostic } from "@vitrine/host/diagnostics";
import { registerView } from "@vitrine/internal/host-registration";

/** One tool with a View. */
export interface ShowTool {
  name: string;
  html: string;
  meta?: object;
  tool?: object;
}

interface HostedPage {
  host: Host;
  diagnostics: Omit<Diagnostic, "cause">[];
  calls: { name: string; arguments?: unknown }[];
  asked: unknown[];
  /** The first diagnostic with this code as a developer reads it, its cause included. */
  explain(code: DiagnosticCode): Explanation;
  open(options: Partial<HostOptions> & { way?: "entrance" | "register"; entrance: string }): void;
  upstream(server: string, tools: ShowTool[]): Upstream;
  app(key: string, upstream: Upstream, name: string): AppRequest;
  place(id: string): HTMLElement;
}

declare global {
  interface Window {
    hosted: HostedPage;
  }
}

const complete: Diagnostic[] = [];

const hosted: HostedPage = {
  host: undefined as never,
  diagnostics: [],
  calls: [],
  asked: [],
  explain: (code) => explainDiagnostic(complete.find((item) => item.code === code) as Diagnostic),
  open: ({ way = "entrance", entrance, ...options }) => {
    const sandbox = way === "entrance" ? entrance : { register: registerView, entrance };
    hosted.host = createHost({
      sandbox,
      consent: async ({ signal: _, ...request }) => {
        hosted.asked.push(JSON.parse(JSON.stringify(request)));
        return true;
      },
      ...options,
    });
    hosted.host.onDiagnostic((diagnostic) => complete.push(diagnostic));
    hosted.host.onDiagnostic(({ cause: _, ...diagnostic }) => hosted.diagnostics.push(diagnostic));
  },
  upstream: (server, tools) =>
    callbacksUpstream({
      server,
      listTools: async () => ({
        tools: tools.map(({ name, tool }) => ({
          name,
          inputSchema: { type: "object" },
          _meta: { ui: { resourceUri: `ui://${server}/${name}` } },
          ...tool,
        })),
      }),
      readResource: async ({ uri }) => {
        const found = tools.find(({ name }) => uri === `ui://${server}/${name}`);
        if (!found) throw new Error(`no ${uri}`);
        const { html: text, meta: ui } = found;
        const mimeType = "text/html;profile=mcp-app";
        return { contents: [{ uri, mimeType, text, _meta: { ui } }] };
      },
      callTool: async (params) => {
        hosted.calls.push(params);
        return { content: [{ type: "text", text: `called ${params.name}` }] };
      },
    }),
  app: (key, upstream, name) => ({
    key,
    upstream,
    tool: {
      name,
      inputSchema: { type: "object" },
      _meta: { ui: { resourceUri: `ui://${upstream.server}/${name}` } },
    },
  }),
  place: (id) => {
    const element = document.getElementById(id) ?? document.createElement("div");
    element.id = id;
    if (!element.isConnected) document.body.append(element);
    return element;
  },
};

window.hosted = hosted;
