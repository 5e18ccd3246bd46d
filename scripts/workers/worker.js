// A server half in a Worker, over a server that consists of functions.

import { callbacksUpstream } from "@vitrine/host";
import { createAppsHandler } from "@vitrine/host/remote";

const inputSchema = { type: "object" };
const shop = callbacksUpstream({
  server: "shop",
  listTools: () => ({
    tools: [
      { name: "show_cart", inputSchema, _meta: { ui: { resourceUri: "ui://shop/cart" } } },
      { name: "buy", inputSchema },
    ],
  }),
  callTool: ({ arguments: given }, { onprogress }) => {
    onprogress?.({ progress: 1, total: 2 });
    return { content: [{ type: "text", text: `Bought ${given.item}` }] };
  },
  readResource: ({ uri }) => ({
    contents: [{ uri, mimeType: "text/html;profile=mcp-app", text: "<p>Cart</p>" }],
  }),
});

const apps = createAppsHandler({ clients: { shop }, authorize: () => ({ id: "ann" }) });

export default { fetch: apps.fetch };
