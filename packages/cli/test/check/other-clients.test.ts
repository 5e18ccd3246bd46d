// Clients as two guides print them. Neither follows the specification, and each line to change has to
// be named.

import { readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { lintView } from "../../src/check/lint/view-lint.ts";

async function linesOf(file: string): Promise<string[]> {
  const html = await readFile(new URL(`other-clients/${file}.html.txt`, import.meta.url), "utf8");
  const lines = html.split("\n");
  const { findings } = lintView(html, { place: { resource: file }, meta: {} });
  return findings.flatMap(({ code, place: { line } }) =>
    line === undefined ? [] : [`${code}: ${lines[line - 1]?.trim()}`],
  );
}

test("names the lines of a minimal client with other keys, another method and half a handshake", async () => {
  const found = await linesOf("minimal-client");
  const greeting = 'const result = await mcpRequest("ui/initialize", {';
  expect(found).toEqual([
    `half-handshake: ${greeting}`,
    'unknown-message: if (method === "ui/notifications/context-update") {',
    `initialize-form: ${greeting}`,
  ]);
});

test("names the lines of a walkthrough with bare arguments and a context from connect()", async () => {
  expect(await linesOf("walkthrough")).toEqual([
    "syntax-error: <script><%= McpServer.JS.mcp_app_script() %></script>",
    'tool-call-form: const result = await app.callServerTool("analyze_data", {',
    "handler-form: app.ontoolinput = (args) => {",
    "handler-form: app.ontoolcancelled = (reason) => {",
    "call-form: app.connect().then(({ hostContext }) => {",
  ]);
});

test("names every call of a walkthrough with positional arguments", async () => {
  expect(await linesOf("walkthrough-calls")).toEqual([
    'tool-call-form: const result = await app.callServerTool("get_forecast", { location: "NYC", days: 5 });',
    "call-form: const { hostCapabilities, hostContext } = await app.connect();",
    'call-form: await app.sendMessage("assistant", { type: "text", text: "Weather updated!" });',
    "call-form: await app.updateModelContext(",
    'call-form: await app.openLink("https://weather.com/nyc");',
    'call-form: const { mode } = await app.requestDisplayMode("fullscreen");',
  ]);
});

test("accepts the SDK's own forms, and a page with its own client", () => {
  const codesOf = (script: string): string[] =>
    lintView(`<!doctype html><p>x</p><script type="module">${script}</script>`, {
      place: { resource: "x" },
      meta: {},
    })
      .findings.map(({ code }) => code)
      .filter((code) => /form$|^unknown/.test(code));
  expect(
    codesOf(`app.ontoolinput = (params) => show(params.arguments.city);
      app.ontoolinputpartial = ({ arguments: args }) => show(args.city);
      app.ontoolcancelled = ({ reason }) => show("Stopped: " + reason);
      app.openLink({ url: "https://example.com" });
      send("ui/initialize", { appInfo: {}, appCapabilities: {}, capabilities: {} });
      await app.connect();`),
  ).toEqual([]);
  expect(
    codesOf(`class Client { callServerTool(name, args) {} }
      const { hostContext } = await new Client().connect();`),
  ).toEqual([]);
});
