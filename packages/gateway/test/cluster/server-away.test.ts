// A server that is away, where more than the call itself needs it: its list of tools, or what it speaks.

import { serveRaw } from "@vitrine/testing/raw-server";
import { expect, onTestFinished, test } from "vitest";
import { createAddressGuard, createHttpUpstream } from "../../src/upstreams/index.ts";
import { openStage, upstreamTo } from "../stage.ts";
import { ann } from "../upstreams/calls.ts";

test("a tool of a server that cannot be reached is unavailable, also where its list was never read", async () => {
  const gone = await serveRaw(() => {});
  await gone[Symbol.asyncDispose]();
  await using stage = await openStage({ servers: { gone: { upstream: upstreamTo(gone.url) } } });
  const { body } = await stage.post("tools/call", { name: "echo", arguments: {} });
  expect(body.error.data.reason).toBe("unavailable");
  expect(stage.refusals).toEqual(["visibility unavailable"]);
});

test("what a server speaks is asked for while its breaker is open: nobody waits, and that it fails ends nothing", async () => {
  const lost: unknown[] = [];
  const lose = (reason: unknown): void => void lost.push(reason);
  process.on("unhandledRejection", lose);
  onTestFinished(() => void process.off("unhandledRejection", lose));
  await using server = await serveRaw(({ socket }) => socket.resetAndDestroy());
  const guard = createAddressGuard({ exempt: [server.url.host] });
  const breaker = { failures: 1 };
  const upstream = createHttpUpstream({ id: "s", url: server.url, guard, breaker });
  const codeOf = (asking: unknown): Promise<string> =>
    Promise.resolve(asking).then(
      () => "it succeeded",
      ({ code }) => code,
    );
  expect(await codeOf(upstream.stateKey(ann))).toBe("unreachable");
  expect(await codeOf(upstream.stateKey(ann))).toBe("breaker-open");
  await expect.poll(() => server.requests.length).toBeGreaterThan(1);
  await new Promise((resolve) => setTimeout(resolve, 200));
  expect(lost).toEqual([]);
  await upstream.close();
});
