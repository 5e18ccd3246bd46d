import { describe, expect, test } from "vitest";
import type { Recording } from "../../src/dev/recording.ts";
import { replayServer } from "../../src/dev/replayed-server.ts";
import type { Frame } from "../../src/target/server-connection.ts";

const ask = (id: number, method: string, params: object) =>
  ({ at: 0, from: "host", to: "server", message: { id, method, params } }) as const;
const answer = (id: number, rest: object) =>
  ({ at: 0, from: "server", to: "host", message: { id, ...rest } }) as const;

const RECORDING: Recording = {
  vitrine: "recording",
  version: 1,
  server: { name: "dice", era: "modern", capabilities: { tools: {} } },
  inputs: [],
  frames: [
    ask(0, "tools/call", { name: "roll", arguments: {}, _meta: { who: "a client" } }),
    ask(1, "resources/read", { uri: "ui://a" }),
    answer(1, { error: { code: -32002, message: "gone" } }),
    answer(0, { result: { content: [{ type: "text", text: "4" }] } }),
    ask(2, "tools/call", { arguments: {}, name: "roll" }),
    answer(2, { result: { content: [{ type: "text", text: "6" }] } }),
  ],
};

describe("a replayed server", () => {
  test("returns the recorded responses to a request in order, then repeats the last", async () => {
    const { upstream } = replayServer(RECORDING, { onFrame: () => {} });
    const roll = () => upstream.request("tools/call", { name: "roll", arguments: {} });
    const texts = [await roll(), await roll(), await roll()].map(
      ({ content }) => (content[0] as { text: string }).text,
    );
    expect(texts).toEqual(["4", "6", "6"]);
  });

  test("returns recorded errors, and an error for a request that wasn't recorded", async () => {
    const { upstream } = replayServer(RECORDING, { onFrame: () => {} });
    await expect(upstream.request("resources/read", { uri: "ui://a" })).rejects.toMatchObject({
      code: -32002,
      message: "gone",
    });
    await expect(upstream.request("resources/read", { uri: "ui://b" })).rejects.toThrow(
      /no response to resources\/read/,
    );
  });

  test("reports its messages like a real server", async () => {
    const frames: Frame[] = [];
    const { upstream } = replayServer(RECORDING, { onFrame: (frame) => frames.push(frame) });
    await upstream.request("tools/call", { name: "roll", arguments: {} });
    expect(frames.map(({ direction }) => direction)).toEqual(["to-server", "from-server"]);
  });
});
