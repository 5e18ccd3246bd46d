import { expect, test } from "vitest";
import { RELAY_LIMITS } from "../../src/relay/page-settings.ts";
import { TokenBucket } from "../../src/relay/token-bucket.ts";

/** What becomes of so many messages at one moment. */
function count(bucket: TokenBucket, messages: number, now: number): Record<string, number> {
  const counts: Record<string, number> = {};
  for (let i = 0; i < messages; i += 1) {
    const pace = bucket.take(now);
    counts[pace] = (counts[pace] ?? 0) + 1;
  }
  return counts;
}

test("a bucket lets 200 messages through at once, and 100 a second after that", () => {
  const bucket = new TokenBucket(RELAY_LIMITS, 0);
  expect(count(bucket, 300, 0)).toEqual({ pass: 200, drop: 100 });
  expect(count(bucket, 300, 500)).toEqual({ pass: 50, drop: 250 });
  expect(count(bucket, 300, 60_000)).toEqual({ pass: 200, drop: 100 });
});

test("a View that sends 100 a second for an hour loses nothing", () => {
  const bucket = new TokenBucket(RELAY_LIMITS, 0);
  let lost = 0;
  for (let now = 10; now < 3_600_000; now += 10) if (bucket.take(now) !== "pass") lost += 1;
  expect(lost).toBe(0);
});

test("a fourth second of too many messages stops the View", () => {
  const bucket = new TokenBucket(RELAY_LIMITS, 0);
  for (const now of [0, 1000, 2000]) expect(count(bucket, 500, now).stop).toBeUndefined();
  expect(count(bucket, 500, 3000).stop).toBe(400);
});

test("bursts a minute apart are forgiven", () => {
  const bucket = new TokenBucket(RELAY_LIMITS, 0);
  for (let now = 0; now < 3_600_000; now += 61_000) {
    expect(count(bucket, 500, now).stop).toBeUndefined();
  }
});

test("a message refused for what it is costs as much as eleven", () => {
  const bucket = new TokenBucket(RELAY_LIMITS, 0);
  for (let i = 0; i < 18; i += 1) {
    expect(bucket.take(0)).toBe("pass");
    bucket.charge();
  }
  expect(count(bucket, 5, 0)).toEqual({ pass: 2, drop: 3 });
});
