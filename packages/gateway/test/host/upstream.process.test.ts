// The Host's way through the gateway keeps the same contract as an official client: over a WebSocket, and
// over HTTP where none opens.

import { openGatewayUpstream } from "@vitrine/host/gateway";
import {
  type ServedStation,
  serveStation1,
  serveStation2,
} from "@vitrine/internal/station-servers";
import { testUpstream } from "@vitrine/internal/upstream-contract";
import { STATION_VIEW } from "@vitrine/internal/weather-station";
import { describe, expect, test, vi } from "vitest";
import { openStage, TOKEN, upstreamTo } from "../stage.ts";

const open = async (served: ServedStation) => {
  const stage = await openStage({ servers: { ours: { upstream: upstreamTo(served.url) } } });
  const upstream = await openGatewayUpstream({
    gateway: stage.url,
    server: "ours",
    resource: STATION_VIEW,
    token: () => TOKEN,
  });
  return {
    stage,
    upstream,
    dispose: async () => {
      upstream.close();
      await stage[Symbol.asyncDispose]();
      await served[Symbol.asyncDispose]();
    },
  };
};

testUpstream("the gateway before a server of 2026-07-28", async () => open(await serveStation2()));
testUpstream("the gateway before a server of 2025-11-25", async () => open(await serveStation1()));

describe("a connection that breaks", () => {
  test("because its server was removed: the page learns it, and calls fail at once until it is back (O16)", async () => {
    const served = await serveStation2();
    const { upstream, stage, dispose } = await open(served);
    const lost: string[] = [];
    upstream.onLost?.((reason) => lost.push(reason));
    const call = () => upstream.request("tools/call", { name: "slow", arguments: { id: "short" } });
    await call();
    stage.gateway.setServer("ours");
    await vi.waitFor(() => expect(lost).toHaveLength(1), { timeout: 5000 });
    expect(lost[0]).toContain("There is no server of this name");
    await expect(call()).rejects.toMatchObject({ code: "gateway-refused" });
    stage.gateway.setServer("ours", { upstream: upstreamTo(served.url) });
    expect(await call()).toMatchObject({ content: [] });
    await dispose();
  });

  test("during a call in progress: the response comes over the next connection", async () => {
    const { upstream, stage, dispose } = await open(await serveStation2());
    const seen: unknown[] = [];
    const call = upstream.request(
      "tools/call",
      { name: "slow", arguments: { id: "short" } },
      { onprogress: (progress) => seen.push(progress) },
    );
    await vi.waitFor(() => expect(seen.length).toBeGreaterThan(0));
    stage.gateway.dropViews();
    expect(await call).toMatchObject({ content: [] });
    await dispose();
  });

  test("and a gateway that doesn't know the call: its outcome is unknown, and it isn't repeated", async () => {
    const served = await serveStation2();
    const { upstream, stage, dispose } = await open(served);
    const seen: unknown[] = [];
    const call = upstream.request(
      "tools/call",
      { name: "slow", arguments: { id: "lost" } },
      { onprogress: (progress) => seen.push(progress) },
    );
    const failed = expect(call).rejects.toMatchObject({ code: "outcome-unknown" });
    await vi.waitFor(() => expect(seen.length).toBeGreaterThan(0));
    const { port } = stage;
    await stage.gateway.close({ drain: 0 });
    const next = await openStage({ servers: { ours: { upstream: upstreamTo(served.url) } }, port });
    await failed;
    const calls = served.station.calls.filter((params) => JSON.stringify(params).includes("lost"));
    expect(calls).toHaveLength(1);
    await next[Symbol.asyncDispose]();
    await dispose();
  }, 20_000);
});

test("falls back to HTTP if no WebSocket gets through", async () => {
  const { stage, dispose } = await open(await serveStation2());
  stage.gateway.http.server.removeAllListeners("upgrade");
  stage.gateway.http.server.on("upgrade", (_request, socket) => socket.destroy());
  const upstream = await openGatewayUpstream({
    gateway: stage.url,
    server: "ours",
    resource: STATION_VIEW,
    token: () => TOKEN,
  });
  const params = { name: "forecast", arguments: { city: "Bodø" } };
  expect(await upstream.request("tools/call", params)).toMatchObject({
    structuredContent: { city: "Bodø" },
  });
  expect(upstream.carrier).toBe("http");
  upstream.close();
  await dispose();
}, 20_000);
