// A program: a server whose tool names a View that is not there.
import { McpServer } from "@modelcontextprotocol/server";
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import { registerAppTool } from "@vitrine/server";

serveStdio(() => {
  const server = new McpServer({ name: "dangling", version: "1.0.0" });
  const _meta = { ui: { resourceUri: "ui://shop/cart.html" } };
  registerAppTool(server, "show", { _meta }, () => ({ text: "a" }));
  return server;
});
