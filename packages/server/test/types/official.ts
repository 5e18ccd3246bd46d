// Written against `@modelcontextprotocol/ext-apps/server`: the import alone is another.

import { McpServer as McpServer1 } from "@modelcontextprotocol/sdk/server/mcp.js";
import { McpServer } from "@modelcontextprotocol/server";
import {
  EXTENSION_ID,
  getUiCapability,
  type McpUiAppResourceConfig,
  type McpUiAppToolConfig,
  type McpUiReadResourceResult,
  RESOURCE_MIME_TYPE,
  RESOURCE_URI_META_KEY,
  type ReadResourceCallback,
  registerAppResource,
  registerAppTool,
  type ToolCallback,
} from "@vitrine/server";
import { z } from "zod";

const info = { name: "shop", version: "1.0.0" };
const uri = "ui://shop/cart.html";
const tool: McpUiAppToolConfig = { _meta: { [RESOURCE_URI_META_KEY]: uri } };
const id = z.object({ id: z.string() });
const callback: ToolCallback<typeof id> = async ({ id }) => ({
  content: [{ type: "text", text: id.trim() }],
});
const read: ReadResourceCallback = async (url): Promise<McpUiReadResourceResult> => ({
  contents: [{ uri: url.href, text: "<!doctype html>", _meta: { ui: { prefersBorder: true } } }],
});
const resource: McpUiAppResourceConfig = { description: "Cart", mimeType: RESOURCE_MIME_TYPE };

export function shop(): McpServer {
  const server = new McpServer(info);
  const registered = registerAppTool(
    server,
    "show-cart",
    {
      title: "Cart",
      inputSchema: z.object({ id: z.string(), count: z.number().optional() }),
      outputSchema: z.object({ total: z.number() }),
      _meta: { ui: { resourceUri: uri, visibility: ["model"] } },
    },
    async ({ id, count }, ctx) => {
      await ctx.mcpReq.notify({
        method: "notifications/message",
        params: { level: "info", data: id },
      });
      const total = (count ?? 0) + id.length;
      return { content: [{ type: "text", text: `${total}` }], structuredContent: { total } };
    },
  );
  registered.disable();
  registerAppTool(server, "clear", tool, async (ctx) => ({
    content: [{ type: "text", text: `${ctx.mcpReq.id}` }],
  }));
  registerAppTool(server, "by type", { ...tool, inputSchema: id }, callback);
  registerAppResource(server, "Other", `${uri}?other`, {}, read);
  // The deprecated raw shape.
  registerAppTool(
    server,
    "raw",
    { inputSchema: { id: z.string() }, _meta: { ui: { resourceUri: uri } } },
    async ({ id }) => ({ content: [{ type: "text", text: id.trim() }] }),
  );
  registerAppResource(server, "Cart", uri, resource, async (url, ctx) => ({
    contents: [{ uri: url.href, mimeType: RESOURCE_MIME_TYPE, text: ctx.mcpReq.method }],
  })).update({ title: "The cart" });
  server.server.oninitialized = () => {
    getUiCapability(server.server.getClientCapabilities())?.mimeTypes?.includes(EXTENSION_ID);
  };
  return server;
}

export function shop1(): McpServer1 {
  const server = new McpServer1(info);
  registerAppTool(
    server,
    "show-cart",
    { inputSchema: { id: z.string() }, _meta: { ui: { resourceUri: uri } } },
    async ({ id }, extra) => {
      await extra.sendNotification({ method: "notifications/tools/list_changed" });
      return { content: [{ type: "text", text: id.trim() }] };
    },
  ).enable();
  registerAppResource(server, "Cart", uri, {}, async (url, extra) => ({
    contents: [{ uri: url.href, text: extra.sessionId ?? "" }],
  }));
  getUiCapability(server.server.getClientCapabilities());
  return server;
}
