import { expect, test } from "vitest";
import { AcceptRate } from "../../src/edge/accept-rate.ts";
import { CONNECTION_LIMITS } from "../../src/edge/connection-guard.ts";

test("lets fewer connections of an address wait than the connection guard allows", () => {
  const rate = new AcceptRate(500);
  const waits = Array.from({ length: 5000 }, () => rate.take("203.0.113.7"));
  const waiting = waits.filter((wait) => wait !== undefined && wait > 0);
  expect(waiting.length).toBeGreaterThan(500);
  expect(waiting.length).toBeLessThan(CONNECTION_LIMITS.connectionsPerAddress);
  expect(waits.at(-1)).toBeUndefined();
});
