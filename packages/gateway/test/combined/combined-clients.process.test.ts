// Official clients of both eras at the combined endpoint, with two servers that have the same names.

import { fileURLToPath } from "node:url";
import {
  Client as Client2,
  StreamableHTTPClientTransport as Http2,
} from "@modelcontextprotocol/client";
import { Client as Client1 } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport as Http1 } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createStdioUpstream } from "../../src/upstreams/index.ts";
import { type GatewayStage, META, openStage, TOKEN } from "../stage.ts";

const MAIN = fileURLToPath(new URL("../interop/servers/everything/main.ts", import.meta.url));
const ARGV = [process.execPath, "--experimental-strip-types", "--no-warnings", MAIN] as const;
const everything = (id: string) => ({ upstream: createStdioUpstream({ id, argv: ARGV }) });
const requestInit = { headers: { authorization: `Bearer ${TOKEN}` } };

let stage: GatewayStage;
beforeAll(async () => {
  stage = await openStage({ servers: { one: everything("one"), two: everything("two") } });
});
afterAll(() => stage?.[Symbol.asyncDispose]());

describe.each(["1", "2"])("the official client, version %s", (version) => {
  // The methods that the test calls have the same form in both.
  let client: Client2;
  beforeAll(async () => {
    const url = new URL("/mcp", stage.url);
    const info = { name: "host", version: "1.0.0" };
    const older = new Client1(info);
    client = version === "2" ? new Client2(info) : (older as unknown as Client2);
    if (version === "2") await client.connect(new Http2(url, { requestInit }));
    else await older.connect(new Http1(url, { requestInit }) as never);
  });
  afterAll(() => client?.close());

  test("lists and calls the tools of both servers", async () => {
    const names = (await client.listTools()).tools.map(({ name }) => name);
    expect(names).toContain("one__test_simple_text");
    expect(names).toContain("two__test_simple_text");
    const called = await client.callTool({ name: "two__test_embedded_resource", arguments: {} });
    expect(called.content).toMatchObject([
      { resource: { uri: "vitrine://two/test://embedded-resource" } },
    ]);
    const failed = await client.callTool({ name: "one__test_error_handling", arguments: {} });
    expect(failed.isError).toBe(true);
  });

  test("receives the progress of a call", async () => {
    const progress: number[] = [];
    const call = { name: "one__test_tool_with_progress", arguments: {} };
    const onprogress = (one: { progress: number }): void => void progress.push(one.progress);
    if (version === "2") await client.callTool(call, { onprogress });
    else await (client as unknown as Client1).callTool(call, undefined, { onprogress });
    expect(progress).toEqual([0, 50, 100]);
  });

  test("reads resources, also of a template", async () => {
    const { resources } = await client.listResources();
    expect(resources.map(({ uri }) => uri)).toContain("vitrine://two/test://static-text");
    const { contents } = await client.readResource({ uri: "vitrine://two/test://static-text" });
    expect(contents).toMatchObject([
      { uri: "vitrine://two/test://static-text", text: expect.stringContaining("static text") },
    ]);
    const { resourceTemplates } = await client.listResourceTemplates();
    const [first] = resourceTemplates;
    expect(first?.uriTemplate).toBe("vitrine://one/test://template/{id}/data");
    const uri = `${first?.uriTemplate}`.replace("{id}", "7");
    const filled = await client.readResource({ uri });
    expect(filled.contents).toMatchObject([{ uri, text: expect.stringContaining("ID: 7") }]);
  });

  test("gets and completes prompts", async () => {
    const { prompts } = await client.listPrompts();
    const name = "two__test_prompt_with_arguments";
    expect(prompts.map((prompt) => prompt.name)).toContain(name);
    const got = await client.getPrompt({ name, arguments: { arg1: "a", arg2: "b" } });
    expect(got.messages[0]?.content).toMatchObject({ text: expect.stringContaining("arg1='a'") });
    const { completion } = await client.complete({
      ref: { type: "ref/prompt", name },
      argument: { name: "arg1", value: "par" },
    });
    expect(completion.values).toEqual(["paris", "park", "party"]);
  });
});

test("a question of a server to the user comes back as the result, and its answer reaches the server", async () => {
  const name = "two__test_input_required_result_prompt";
  const asked = await stage.post("prompts/get", { name, _meta: ASKING }, { path: "/mcp" });
  expect(asked.body.result).toMatchObject({ resultType: "input_required" });
  const { requestState } = asked.body.result;
  const inputResponses = {
    user_context: { action: "accept", content: { context: "a test" } },
  };
  const params = { name, inputResponses, ...(requestState && { requestState }), _meta: ASKING };
  const answered = await stage.post("prompts/get", params, { path: "/mcp" });
  expect(answered.body.result.messages[0].content.text).toContain("a test");
});

const ASKING = {
  ...META,
  "io.modelcontextprotocol/clientCapabilities": { elicitation: { form: {} } },
};

test("subscribers learn of changes of each server, and of servers that are added", async () => {
  const over = new AbortController();
  const method = "subscriptions/listen";
  const params = { notifications: { toolsListChanged: true }, _meta: META };
  const response = await fetch(`${stage.url}/mcp`, {
    method: "POST",
    signal: over.signal,
    headers: {
      ...{ ...requestInit.headers, "content-type": "application/json", "mcp-method": method },
      "mcp-protocol-version": "2026-07-28",
    },
    body: JSON.stringify({ jsonrpc: "2.0", id: "l", method, params }),
  });
  const reader = (response.body as ReadableStream<Uint8Array>).getReader();
  let text = "";
  const until = async (part: string): Promise<void> => {
    while (!text.includes(part)) text += Buffer.from((await reader.read()).value ?? []).toString();
    text = "";
  };
  await until("subscriptions/acknowledged");
  stage.gateway.setServer("three", everything("three"));
  await until("notifications/tools/list_changed");
  const call = { name: "three__test_trigger_tool_change", arguments: {} };
  await stage.post("tools/call", call, { path: "/mcp" });
  await until("notifications/tools/list_changed");
  over.abort();
  stage.gateway.setServer("three");
});
