// S2, S3, S4: keys that some parsers take for a member of the protocol, in every kind of message.

import { describe, expect, test } from "vitest";
import { WebSocket } from "ws";
import { serveRaw, tool } from "../raw-server.ts";
import { META, openStage, TOKEN, upstreamTo } from "../stage.ts";

async function openScene() {
  const raw = await serveRaw([tool("pay"), tool("list")]);
  const stage = await openStage({ servers: { raw: { upstream: upstreamTo(raw.url) } } });
  const socket = new WebSocket(`${stage.url.replace("http", "ws")}/servers/raw/mcp`, [
    "vitrine.mcp.v1",
    `token.${TOKEN}`,
  ]);
  await new Promise((resolve) => socket.once("open", resolve));
  return {
    raw,
    stage,
    /** Sends a text over both carriers. */
    send: async (text: string, method: string) => {
      const before = stage.refusals.length;
      const answer = await stage.post(method, { name: "list" }, { body: text });
      socket.send(text);
      await expect.poll(() => stage.refusals.length).toBe(before + 2);
      return answer;
    },
    /** What callers sent; the gateway asks for lists on its own. */
    sent: () =>
      raw.requests.filter(({ body }) => /^(tools\/call|notifications\/)/.test(body.method)),
    [Symbol.asyncDispose]: async () => {
      socket.close();
      await stage[Symbol.asyncDispose]();
      await raw[Symbol.asyncDispose]();
    },
  };
}

const meta = JSON.stringify(META);
const call = (params: string, more = "") =>
  `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{${params},"_meta":${meta}}${more}}`;

describe("keys that differ from a member of the protocol only by case", () => {
  test("S2: a notification with hidden members is denied, and the audit log records it", async () => {
    await using scene = await openScene();
    for (const hidden of [
      '"Method":"tools/call"',
      '"Id":42',
      '"ID":1',
      '"Params":{"name":"pay"}',
    ]) {
      const text = `{"jsonrpc":"2.0","method":"notifications/foo","params":{},${hidden}}`;
      const { status } = await scene.send(text, "notifications/foo");
      expect(status, hidden).toBe(400);
    }
    expect(new Set(scene.stage.refusals)).toEqual(new Set(["members ambiguous"]));
    expect(scene.stage.outcomes).toEqual([]);
    expect(scene.sent()).toEqual([]);
  });

  test("S3: the check doesn't depend on the length or the alphabet of a message", async () => {
    await using scene = await openScene();
    for (const around of [16_000, 16_384, 65_536]) {
      for (const filler of ["x", "é", "漢", "🌨"]) {
        for (const short of [0, 1, 2, 3, 64]) {
          const padding = filler.repeat(Math.floor((around - short) / filler.length));
          const text = call(`"name":"list","arguments":{"p":"${padding}"},"Name":"pay"`);
          const answer = await scene.stage.post("tools/call", { name: "list" }, { body: text });
          expect(answer.body.error.data.reason).toBe("ambiguous");
        }
      }
    }
    expect(scene.sent()).toEqual([]);
  });

  test("S4: a lone key that folds to a member is the caller's error, before anything is allowed", async () => {
    await using scene = await openScene();
    for (const [text, key] of [
      [call('"name":"list","Arguments":{"amount":9999}'), "Arguments"],
      [call('"name":"list","argument\u017f":{"amount":9999}'), "argument\u017f"],
      [call('"Name":"pay"'), "Name"],
      [call('"name":"list"', ',"Result":{}'), "Result"],
      [call('"name":"list"', ',"JSONRPC":"1.0"'), "JSONRPC"],
      [`{"jsonrpc":"2.0","id":1,"method":"ping","params":{"_Meta":{}}}`, "_Meta"],
      [
        `{"jsonrpc":"2.0","id":1,"method":"ping","params":{"_meta":{"progresstoken":2}}}`,
        "progresstoken",
      ],
      [`{"jsonrpc":"2.0","id":1,"method":"ping","params":{"to\u212Aen":1,"token":2}}`, "token"],
    ] as const) {
      const { status, body } = await scene.send(text, JSON.parse(text).method);
      expect(status, text).toBe(400);
      expect(body.error.code).toBe(-32_600);
      expect(body.error.message).toContain(JSON.stringify(key));
    }
    expect(new Set(scene.stage.refusals)).toEqual(new Set(["members ambiguous"]));
    expect(scene.sent()).toEqual([]);
  });

  test("S4: an argument that imitates a declared one is rejected, nested ones too", async () => {
    await using scene = await openScene();
    const amount = { type: "number", maximum: 10 };
    const inputSchema = {
      type: "object",
      properties: { amount, Amount2: {}, nested: { type: "object", properties: { amount } } },
    };
    scene.raw.tools = [tool("list", { inputSchema })];
    const reasonFor = async (args: string): Promise<string | undefined> => {
      const text = call(`"name":"list","arguments":${args}`);
      const { body } = await scene.stage.post("tools/call", { name: "list" }, { body: text });
      return body.error?.data.reason;
    };
    expect(await reasonFor('{"amount":1,"Amount":9999}')).toBe("ambiguous");
    expect(await reasonFor('{"AMOUNT":9999}')).toBe("ambiguous");
    expect(await reasonFor('{"nested":{"Amount":9999}}')).toBe("ambiguous");
    expect(await reasonFor('{"amount":1,"Amount2":1,"other":1,"Other":2}')).toBeUndefined();
    expect(scene.sent()).toHaveLength(1);
  });

  test("arguments may have keys that differ by case, and unknown members pass", async () => {
    await using scene = await openScene();
    const text = call('"name":"list","arguments":{"a":1,"A":2},"vendor":1', ',"trace-id":"x"');
    const { body } = await scene.stage.post("tools/call", { name: "list" }, { body: text });
    expect(body.result.structuredContent).toEqual({ a: 1, A: 2 });
    expect(scene.sent()[0]?.body).toMatchObject({ "trace-id": "x", params: { vendor: 1 } });
  });
});
