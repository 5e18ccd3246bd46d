// S4, the other way round: members of a server's message that a client might take for those of the protocol.

import { expect, test } from "vitest";
import { ann, toolCall } from "../upstreams/calls.ts";
import { withProgram } from "../upstreams/programs.ts";

/** A server whose responses carry a second result under a key in another case. */
const SERVER = `
const send = (message) => process.stdout.write(JSON.stringify(message) + "\\n");
require("node:readline").createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method } = JSON.parse(line);
  if (id === undefined) return;
  const result = method === "initialize"
    ? { protocolVersion: "2025-11-25", capabilities: { tools: {} }, serverInfo: { name: "s", version: "1" } }
    : { content: [{ type: "text", text: "checked" }] };
  send({ jsonrpc: "2.0", id, result, Result: { content: [] }, ID: 7, "re\\u017fult": {} });
});`;

test("S4: a server's message is passed on without keys that look like members of the protocol", async () => {
  await withProgram([process.execPath, "-e", SERVER], { era: "legacy" }, async (upstream) => {
    const { message } = await upstream.send(toolCall("any", {}, { scope: ann }));
    expect(Object.keys(message).sort()).toEqual(["id", "jsonrpc", "result"]);
    expect(JSON.stringify(message)).toContain("checked");
  });
});
