// Refreshing a token is bounded: once per call, shared by concurrent calls, with a pause after a failure.

import { afterEach, beforeEach, expect, test } from "vitest";
import { ANNA, type CredentialStage, openCredentialStage } from "../identity/stage.ts";

let stage: CredentialStage;
let now: number;
beforeEach(async () => {
  now = Date.now();
  stage = await openCredentialStage({ clock: () => now });
});
afterEach(() => stage[Symbol.asyncDispose]());

const refreshes = (): number =>
  stage.authority.tokenRequests.filter((form) => form.get("grant_type") === "refresh_token").length;

for (const lifetime of [30, 5, 0]) {
  test(`S24: a token that lives ${lifetime} s is refreshed once for a call`, async () => {
    stage.authority.lifetime = lifetime;
    await stage.login();
    now += 31_000;
    expect(await stage.call()).toContain("Graz");
    expect(refreshes()).toBe(1);
  });
}

test("S24: the same access token again is one refresh, not a loop", async () => {
  stage.authority.lifetime = 10;
  stage.authority.repeats = true;
  await stage.login();
  now += 31_000;
  expect(await stage.call()).toContain("Graz");
  expect(refreshes()).toBe(1);
});

test("S24: a token of 30 s is used for most of its time", async () => {
  stage.authority.lifetime = 30;
  await stage.login();
  now += 23_000;
  await stage.call();
  expect(refreshes()).toBe(0);
  now += 2000;
  await Promise.all(Array.from({ length: 10 }, () => stage.call()));
  expect(refreshes()).toBe(1);
});

test("S24: after a failed refresh the authorization server isn't asked again at once", async () => {
  await stage.login();
  now += 3_600_000;
  stage.authority.tokenStatus = 503;
  for (let round = 0; round < 20; round++) {
    await expect(stage.call()).rejects.toMatchObject({ code: "unreachable" });
  }
  expect(refreshes()).toBe(1);
  now += 1100;
  await expect(stage.call()).rejects.toMatchObject({ code: "unreachable" });
  expect(refreshes()).toBe(2);
  // The second pause is longer than the first.
  now += 1100;
  await expect(stage.call()).rejects.toMatchObject({ code: "unreachable" });
  expect(refreshes()).toBe(2);
  stage.authority.tokenStatus = undefined;
  now += 60_000;
  expect(await stage.call()).toContain("Graz");
});

test("S24: a token that still works is used while it can't be refreshed", async () => {
  await stage.login();
  now += 3_600_000 - 10_000;
  stage.authority.tokenStatus = 503;
  expect(await stage.call()).toContain("Graz");
  expect(await stage.credentials.isConnected(ANNA, stage.server)).toBe(true);
});

test("S24: a server that rejects every token doesn't make each call refresh", async () => {
  await stage.login();
  stage.authority.tokens.clear();
  stage.authority.givesDeadTokens = true;
  for (let round = 0; round < 10; round++) await expect(stage.call()).rejects.toThrow();
  expect(refreshes()).toBe(1);
});
