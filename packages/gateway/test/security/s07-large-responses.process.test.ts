import { describe, expect, test } from "vitest";
import type { Caller } from "../../src/policy/caller.ts";
import { TRAFFIC_LIMITS, Traffic } from "../../src/policy/traffic.ts";
import { serveRaw } from "../raw-server.ts";
import { openStage, upstreamTo } from "../stage.ts";

const caller = (user: string): Caller => ({ party: "model", tenant: "acme", user });

describe("S7: large responses", () => {
  test("S7: a user who asks for large responses waits, and nobody is locked out", () => {
    const traffic = new Traffic(TRAFFIC_LIMITS, 2 ** 20);
    const greedy = traffic.meter(caller("greedy"));
    expect(greedy.take(100)).toBe(0);
    greedy.spend(50 * 2 ** 20);
    const wait = greedy.take(100);
    expect(wait).toBeGreaterThan(100);
    // The tenant's debt is paid off within two seconds, however large the response was.
    expect(wait).toBeLessThan(2000);
  });

  test("S7: small responses cost nothing more", () => {
    const meter = new Traffic(TRAFFIC_LIMITS, 2 ** 20).meter(caller("modest"));
    for (let n = 0; n < 20; n++) {
      expect(meter.take(100)).toBe(0);
      meter.spend(2000);
    }
  });

  test("S7: responses over HTTP are counted", async () => {
    await using raw = await serveRaw([]);
    await using stage = await openStage({ servers: { raw: { upstream: upstreamTo(raw.url) } } });
    raw.answers["com.example/large"] = () => ({ large: "x".repeat(2 ** 20) });
    const began = performance.now();
    for (let n = 0; n < 4; n++) await stage.post("com.example/large");
    // Four small ones take a few milliseconds.
    expect(performance.now() - began).toBeGreaterThan(700);
  });
});
