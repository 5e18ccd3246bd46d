// A server without any UI, and with a tool whose name and words are markup.

import { McpServer } from "@modelcontextprotocol/server";
import { serveStdio } from "@modelcontextprotocol/server/stdio";

const HOSTILE =
  '<img src=x onerror="document.body.dataset.ran=1"><script>document.body.dataset.ran=1</script>';

serveStdio(() => {
  const server = new McpServer({ name: "plain", version: "1.0.0" });
  server.registerTool("people", { annotations: { readOnlyHint: true } }, () => ({
    content: [{ type: "text", text: '[{"name":"Ada","born":1815},{"name":"Grace","born":1906}]' }],
  }));
  server.registerTool("hostile", { title: HOSTILE, description: HOSTILE }, () => ({
    content: [{ type: "text", text: HOSTILE }],
  }));
  return server;
});
