// Views that need more than the strict policy gives, or than is there: scripts from an address that nobody
// answers at, text run as code by a library that only asks, and by one that cannot do without.

import { McpServer } from "@modelcontextprotocol/server";
import { serveStdio } from "@modelcontextprotocol/server/stdio";

const mimeType = "text/html;profile=mcp-app";
const GREETING = `const send = (message) => parent.postMessage({ jsonrpc: "2.0", ...message }, "*");
addEventListener("message", ({ data }) => {
  if (data.id === 1) send({ method: "ui/notifications/initialized", params: {} });
});
const greet = () => send({ id: 1, method: "ui/initialize", params: { protocolVersion: "2026-01-26",
  appInfo: { name: "distant", version: "1" }, appCapabilities: {} } });`;
const SCRIPTS = {
  // As the official map does: nothing is said before the library is there.
  distant: `const library = document.createElement("script");
library.src = "https://cdn.example.com/library.js";
library.onload = greet;
document.head.append(library);`,
  asks: `const may = () => { try { const F = Function; return new F(""), true; } catch { return false; } };
out.textContent = may() ? "may run code" : "goes on without";
greet();`,
  needs: `const run = (code) => new Function("return " + code)();
greet();
try { out.textContent = "ran: " + run("6 * 7"); } catch (error) { out.textContent = error.name; }`,
};
const META = { distant: { ui: { csp: { resourceDomains: ["https://cdn.example.com"] } } } };

const pageOf = (script) =>
  `<!doctype html><html lang="en"><title>View</title><p id="out">Waiting</p><script>${GREETING}
${script}</script></html>`;

serveStdio(() => {
  const server = new McpServer({ name: "distant", version: "1.0.0" });
  for (const [name, script] of Object.entries(SCRIPTS)) {
    const uri = `ui://distant/${name}.html`;
    const _meta = META[name];
    server.registerResource(name, uri, { mimeType }, () => ({
      contents: [{ uri, mimeType, text: pageOf(script), ...(_meta && { _meta }) }],
    }));
    server.registerTool(name, { _meta: { ui: { resourceUri: uri } } }, () => ({
      content: [{ type: "text", text: name }],
    }));
  }
  return server;
});
