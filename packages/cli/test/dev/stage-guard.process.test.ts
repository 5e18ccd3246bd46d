import { once } from "node:events";
import { request } from "node:http";
import type { Peer } from "@vitrine/protocol";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { WebSocket } from "ws";
import { openStage, type Stage } from "../../src/stage/stage.ts";

vi.setConfig({ hookTimeout: 60_000 });

// The socket runs programs on the user's machine, so only the stage's own page may open it.
let stage: Stage;
const pages: Peer[] = [];
beforeAll(async () => {
  stage = await openStage({ page: "dev", onPage: (page) => pages.push(page) });
});
afterAll(() => stage.close());

/** Opens a socket. Returns "open" or the error. */
async function knock({
  key,
  origin,
}: {
  key: string;
  origin: string | undefined;
}): Promise<string> {
  const { port } = new URL(stage.url);
  const socket = new WebSocket(`ws://127.0.0.1:${port}/link?key=${key}`, {
    headers: { host: `vitrine.localhost:${port}` },
    ...(origin !== undefined && { origin }),
  });
  const answer = Promise.race([
    once(socket, "open").then(() => "open"),
    once(socket, "unexpected-response").then(([, response]) => String(response.statusCode)),
    once(socket, "error").then(([error]) => String(error.message)),
  ]);
  const words = await answer;
  socket.on("error", () => {});
  socket.terminate();
  return words;
}

const key = (): string => new URLSearchParams(new URL(stage.url).hash.slice(1)).get("key") ?? "";

describe("the stage's socket", () => {
  test("opens for its own page with the secret", async () => {
    const before = pages.length;
    expect(await knock({ key: key(), origin: new URL(stage.url).origin })).toBe("open");
    expect(pages).toHaveLength(before + 1);
  });

  test.each([
    ["another site", () => "https://evil.example"],
    ["another port of the same name", () => "http://vitrine.localhost:1"],
    ["a View's own origin", () => stage.sandbox.origins.proxy],
    ["the address by number", () => `http://127.0.0.1:${new URL(stage.url).port}`],
    ["an opaque origin", () => "null"],
    ["a missing origin", () => undefined],
  ])("refuses %s even with the secret, and reports no page", async (_, origin) => {
    const before = pages.length;
    expect(await knock({ key: key(), origin: origin() })).toMatch(/403/);
    expect(pages).toHaveLength(before);
  });

  test.each(["", "wrong", "x".repeat(43)])(
    "refuses the right origin with the secret %o",
    async (guess) => {
      expect(await knock({ key: guess, origin: new URL(stage.url).origin })).toMatch(/403/);
    },
  );

  test("keeps its secret out of the page's files, and the page can't be framed or send data out", async () => {
    const { port, origin } = new URL(stage.url);
    const [response] = await once(
      request({
        port,
        host: "127.0.0.1",
        path: "/",
        headers: { host: new URL(origin).host },
      }).end(),
      "response",
    );
    let text = "";
    for await (const chunk of response) text += chunk;
    expect(text).not.toContain(key());
    const policy = response.headers["content-security-policy"];
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).toContain("default-src 'none'");
    expect(policy).not.toMatch(/script-src[^;]*unsafe/);
  });
});
