// A stdio MCP server that answers a call with the text it was given: the attacker's bytes as a response.

const send = (message) => process.stdout.write(`${JSON.stringify(message)}\n`);
const tool = {
  name: "answer",
  inputSchema: { type: "object" },
  annotations: { readOnlyHint: true },
};
const RESULTS = {
  initialize: {
    protocolVersion: "2025-11-25",
    capabilities: { tools: {} },
    serverInfo: { name: "answering-server", version: "1" },
  },
  "tools/list": { tools: [tool] },
};

function serve(line) {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined) return;
  if (method === "tools/call") {
    process.stdout.write(`${params.arguments.text.replace("@id@", JSON.stringify(id))}\n`);
  } else if (RESULTS[method]) send({ jsonrpc: "2.0", id, result: RESULTS[method] });
  else send({ jsonrpc: "2.0", id, error: { code: -32601, message: "unknown" } });
}

// Not with node:readline, which ends a line at U+2028 as well.
let rest = "";
process.stdin.setEncoding("utf8").on("data", (data) => {
  const lines = (rest + data).split("\n");
  rest = lines.pop() ?? "";
  for (const line of lines) serve(line);
});
