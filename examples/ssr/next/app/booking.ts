// A tool call of this chat, and the view of its result. Functions in the page stand for an MCP server,
// which a product reaches with `mcpClientUpstream` or through a gateway.

import { callbacksUpstream } from "@vitrine/host";
import { script } from "@vitrine/view/inline";

const VIEW = "ui://tables/booking";

const html = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>Book a table</title>
<script>${script}</script>
<label>Name <input></label>
<script>
const app = new Vitrine.App({ name: "tables", version: "1.0.0" });
const input = document.querySelector("input");
input.oninput = () => {
  const text = "The table is for " + input.value + ".";
  app.updateModelContext({ content: [{ type: "text", text }] });
};
app.connect();
</script>
</html>`;

const tool = {
  name: "book-table",
  title: "Book a table",
  inputSchema: { type: "object" as const },
  _meta: { ui: { resourceUri: VIEW } },
};

const upstream = callbacksUpstream({
  server: "Tables",
  listTools: () => ({ tools: [tool] }),
  readResource: () => ({
    contents: [{ uri: VIEW, mimeType: "text/html;profile=mcp-app", text: html }],
  }),
});

/** Readers without the view see this text: on the server's page, and where no view can be shown. */
export const summary = "A table for two is free at eight.";

/** The properties of `<McpApp>`. */
export const call = {
  app: { key: "message-2", upstream, tool },
  input: { guests: 2 },
  result: { content: [{ type: "text" as const, text: summary }] },
};
