// A program: a server over stdio without any SDK, since none would let these faults pass. Its first
// argument names the app.

import { createInterface } from "node:readline";
import { healthyApp, plainApp } from "./app.ts";
import { BROKEN_APPS } from "./broken-apps.ts";

const [name = ""] = process.argv.slice(2);
const SOUND = [
  { name: "healthy", app: () => healthyApp() },
  { name: "without-a-view", app: plainApp },
];
const found = [...SOUND, ...BROKEN_APPS].find((one) => one.name === name);
if (!found) throw new Error(`There is no app "${name}".`);
const app = found.app();

// biome-ignore lint/suspicious/noExplicitAny: whatever is sent to it.
const METHODS: Record<string, (params: any) => object> = {
  initialize: ({ protocolVersion }) => ({
    protocolVersion,
    capabilities: { tools: {}, resources: {} },
    serverInfo: { name: "weather", version: "1.0.0" },
  }),
  ping: () => ({}),
  "tools/list": () => ({ tools: app.tools }),
  "tools/call": ({ name: tool, arguments: args = {} }) => app.call(tool, args),
  "resources/list": () => ({ resources: app.resources }),
  "resources/templates/list": () => ({ resourceTemplates: app.templates }),
  "resources/read": ({ uri }) => app.read(uri),
};

createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method, params = {} } = JSON.parse(line);
  if (id === undefined) return;
  const answer = (body: object): void =>
    void process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", id, ...body })}\n`);
  const handler = METHODS[method];
  if (!handler) return answer({ error: { code: -32601, message: "Method not found" } });
  try {
    answer({ result: handler(params) });
  } catch (error) {
    answer({ error: { code: -32602, message: (error as Error).message } });
  }
});
