// A server that is down when the gateway needs its list of tools or its protocol version.

import { serveRaw } from "@vitrine/internal/raw-server";
import { expect, onTestFinished, test } from "vitest";
import { createAddressGuard, createHttpUpstream } from "../../gateway/src/upstreams/index.ts";
import { openStage, upstreamTo } from "../../gateway/test/stage.ts";
import { ann } from "../../gateway/test/upstreams/calls.ts";

test("a tool of an unreachable server is unavailable, even if its list was never read", async () => {
  const gone = await serveRaw(() => {});
  await gone[Symbol.asyncDispose]();
  await using stage = await openStage({ servers: { gone: { upstream: upstreamTo(gone.url) } } });
  const { body } = await stage.post("tools/call", { name: "echo", arguments: {} });
  expect(body.error.data.reason).toBe("unavailable");
  expect(stage.refusals).toEqual(["visibility unavailable"]);
});

test("detects the protocol version while the circuit breaker is open, without blocking or failing calls", async () => {
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
