// The Host's page, as anyone writes it who shows Views of MCP servers; `run.ts` opens it and looks.

import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import {
  appsExtension,
  catalogueOf,
  createHost,
  mcpClientUpstream,
  type Upstream,
} from "@vitrine/host";

/** A call of a tool that has a View. */
export interface Showing {
  url: string;
  server: string;
  tool: string;
  input: Record<string, unknown>;
}

/** What happened to the View so far. */
export interface Story {
  stage: string;
  /** What it asked of its server: the method, and the tool. */
  asked: string[];
  /** What its user was asked. */
  consents: string[];
  diagnostics: string[];
}

declare global {
  interface Window {
    show(showing: Showing): Promise<void>;
    story: Story;
  }
}

const story: Story = { stage: "resource", asked: [], consents: [], diagnostics: [] };
window.story = story;

const host = createHost({
  sandbox: document.documentElement.dataset.sandbox ?? "",
  hostInfo: { name: "official-servers", version: "1.0.0" },
  // The user of this page has consented to everything; each question is recorded.
  consent: ({ kind }) => {
    story.consents.push(kind);
    return true;
  },
  onmessage: async () => ({}),
});
host.onDiagnostic(({ level, code, detail }) => {
  // Grants are recorded for reviewers; the table shows problems.
  if (level !== "info") story.diagnostics.push(`${code} ${detail ?? ""}`.trim());
});

window.show = async ({ url, server, tool: name, input }) => {
  const client = new Client(
    { name: "official-servers", version: "1.0.0" },
    { capabilities: appsExtension(), versionNegotiation: { mode: "auto" } },
  );
  await client.connect(new StreamableHTTPClientTransport(new URL(url)));
  const upstream = noted(mcpClientUpstream(client, { server }));
  const tool = await catalogueOf(upstream).find(name);
  if (!tool) throw new Error(`${server} has no tool ${name}`);
  story.asked.length = 0;

  const view = host.mount(document.body, { key: server, upstream, tool, input });
  view.onStage((stage) => {
    story.stage = stage;
  });
  view.update({ result: await upstream.request("tools/call", { name, arguments: input }) });
};

/** The same upstream, with a note of each request. */
function noted(upstream: Upstream): Upstream {
  return {
    server: upstream.server,
    get capabilities() {
      return upstream.capabilities;
    },
    onListChanged: (listener) => upstream.onListChanged(listener),
    request: (method, params, options) => {
      const { name = "" } = (params ?? {}) as { name?: string };
      story.asked.push(`${method} ${name}`.trim());
      return upstream.request(method, params, options);
    },
  };
}
