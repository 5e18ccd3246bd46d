// S1: the value that was checked is the value that is sent.

import { describe, expect, test } from "vitest";
import { WebSocket } from "ws";
import { hasEscapedKeyBug } from "../../src/json-rpc/escaped-key-bug.ts";
import type { Exchange } from "../../src/policy/exchange.ts";
import { serveRaw, tool } from "../raw-server.ts";
import { type GatewayStage, META, openStage, TOKEN, upstreamTo } from "../stage.ts";
import { ann, bob, resultOf, toolCall } from "../upstreams/calls.ts";
import { program, withProgram } from "../upstreams/programs.ts";

async function openScene() {
  const inputSchema = {
    type: "object",
    properties: { amount: { type: "number", maximum: 10 } },
    additionalProperties: false,
  };
  const raw = await serveRaw([tool("pay", { inputSchema })]);
  const stage = await openStage({ servers: { raw: { upstream: upstreamTo(raw.url) } } });
  const checked: Exchange["frame"][] = [];
  const { pipeline } = stage.gateway;
  const run = pipeline.run.bind(pipeline);
  pipeline.run = (exchange) => run(exchange).finally(() => checked.push(exchange.frame));
  return {
    raw,
    stage,
    checked,
    /** What callers sent; the gateway asks for lists on its own. */
    sent: () =>
      raw.requests.filter(({ body }) => /^(tools\/call|notifications\/)/.test(body.method)),
    [Symbol.asyncDispose]: async () => {
      await stage[Symbol.asyncDispose]();
      await raw[Symbol.asyncDispose]();
    },
  };
}

const meta = JSON.stringify(META);
/** After this, an engine with the bug reads `"argument\u0073"` as `argument\`. */
const LESSON = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"pay","_meta":${meta},"argument\\\\":1},"i\\\\":1,"metho\\\\":1,"param\\\\":1}`;

const post = (stage: GatewayStage, body: string, method = "tools/call") =>
  stage.post(method, { name: "pay" }, { body });

describe("S1: a message is sent as the value that was checked", () => {
  test("S1: a server receives the arguments that were checked, however they are escaped", async () => {
    await using scene = await openScene();
    await post(scene.stage, LESSON);
    const hidden = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"pay","_meta":${meta},"argument\\u0073":{"amount":9999}}}`;
    const answer = await post(scene.stage, hidden);
    // Where the engine reads the key right, the schema rejects the amount and nothing is sent.
    if (!hasEscapedKeyBug()) expect(answer.body.error.data.reason).toBe("arguments");
    // A server whose parser is right would read the escape as \"arguments\".
    for (const { text } of scene.sent()) expect(text).not.toMatch(/\\u0073|"arguments"/);
  });

  test("S1: what leaves the gateway is the serialized form of the checked message", async () => {
    await using scene = await openScene();
    const body = `{"x":[1.50], "method":"tools/call","jsonrpc" : "2.0","id":7,\n"params":{"name":"pay","name":"pay","argument\\u0073":{"amount":1,"\\u0061mount":2},"_meta":${meta}},"id":7}`;
    await post(scene.stage, body);
    expect(scene.sent().map(({ text }) => text)).toEqual([JSON.stringify(scene.checked[0])]);
    expect(scene.sent()[0]?.body).toMatchObject({ x: [1.5], params: { arguments: { amount: 2 } } });
  });

  test("S1: a notification can't carry a request past the checks", async () => {
    await using scene = await openScene();
    await post(scene.stage, LESSON);
    const hidden = `{"jsonrpc":"2.0","method":"notifications/x","params":{},"i\\u0064":42,"metho\\u0064":"tools/call","param\\u0073":{"name":"pay"}}`;
    const socket = new WebSocket(`${scene.stage.url.replace("http", "ws")}/servers/raw/mcp`, [
      "vitrine.mcp.v1",
      `token.${TOKEN}`,
    ]);
    await new Promise((resolve) => socket.once("open", resolve));
    socket.send(hidden);
    await expect.poll(() => scene.checked.length).toBe(2);
    socket.close();
    const texts = scene.sent().map(({ text }) => text);
    expect(texts).toEqual(
      scene.checked.slice(0, texts.length).map((frame) => JSON.stringify(frame)),
    );
  });

  test("S1: a request can't be a response too", async () => {
    await using scene = await openScene();
    for (const member of ["result", "error"]) {
      const body = `{"jsonrpc":"2.0","method":"notifications/x","${member}":{}}`;
      const answer = await post(scene.stage, body, "notifications/x");
      expect(answer.status).toBe(400);
    }
    expect(scene.sent()).toEqual([]);
    expect(scene.stage.refusals).toEqual(["frame malformed", "frame malformed"]);
  });

  test("S1: nobody can guess the ids on a pipe that users share", async () => {
    const options = { era: "modern", sharing: "all" } as const;
    await withProgram(program("raw-stdio"), options, async (upstream) => {
      const ids: number[] = [];
      for (const scope of [ann, bob, ann, bob, ann, bob]) {
        const { line } = resultOf(await upstream.send(toolCall("echo", {}, { scope })));
        ids.push(JSON.parse(line).id);
      }
      expect(ids.every(Number.isSafeInteger)).toBe(true);
      // By chance this fails once in a hundred million runs.
      const distances = ids.slice(1).map((id, at) => Math.abs(id - (ids[at] as number)));
      expect(Math.min(...distances)).toBeGreaterThan(2 ** 18);
    });
  });

  test("S1: a response reaches the caller as the value that was parsed", async () => {
    await using scene = await openScene();
    scene.raw.answers["tools/call"] = () =>
      `{"jsonrpc":"2.0","id":1,"id":1,"result":{"content":[],"content":[{"type":"text","text":"\\u0041"}],"big":12345678901234567890}}`;
    const { text } = await scene.stage.post("tools/call", { name: "pay", arguments: {} });
    expect(text).toBe(
      '{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"A"}],"big":12345678901234567890}}',
    );
  });
});
