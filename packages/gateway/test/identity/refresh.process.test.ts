import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createSealer } from "../../src/crypto/sealing.ts";
import { ANNA, BERT, type CredentialStage, openCredentialStage } from "./stage.ts";

let stage: CredentialStage;
let now = Date.now();
beforeEach(async () => {
  now = Date.now();
  stage = await openCredentialStage({ clock: () => now });
});
afterEach(() => stage[Symbol.asyncDispose]());

const HOUR = 3_600_000;
const refreshes = (): number =>
  stage.authority.tokenRequests.filter((form) => form.get("grant_type") === "refresh_token").length;

describe("a token that has expired", () => {
  test("is refreshed, and the rotated refresh token is stored", async () => {
    await stage.login();
    for (let round = 1; round <= 3; round++) {
      now += HOUR;
      expect(await stage.call()).toContain("Graz");
      expect(refreshes()).toBe(round);
    }
    expect(stage.authority.reused).toBe(0);
  });

  test("is refreshed once for many calls in two processes", async () => {
    await stage.login();
    const other = stage.another();
    stage.authority.delay = 150;
    now += HOUR;
    const calls = Array.from({ length: 20 }, (_, index) =>
      stage.call(ANNA, index % 2 ? other.upstream : stage.upstream),
    );
    await Promise.all(calls);
    expect(refreshes()).toBe(1);
    expect(stage.authority.reused).toBe(0);
  });

  test("doesn't wait for another user's refresh", async () => {
    await stage.login(ANNA);
    await stage.login(BERT);
    now += HOUR;
    await Promise.all([stage.call(ANNA), stage.call(BERT)]);
    expect(refreshes()).toBe(2);
  });

  test("whose refresh token is refused ends the login", async () => {
    await stage.login();
    stage.authority.revokeAll();
    now += HOUR;
    await expect(stage.call()).rejects.toMatchObject({ code: "unauthorized" });
    expect(await stage.credentials.isConnected(ANNA, stage.server)).toBe(false);
  });

  test("is kept while the authorization server is unreachable", async () => {
    await stage.login();
    now += HOUR;
    const { metadata } = stage.authority;
    stage.authority.metadata = { token_endpoint: "https://token.invalid/token" };
    await expect(stage.call()).rejects.toMatchObject({ code: "unreachable" });
    expect(await stage.credentials.isConnected(ANNA, stage.server)).toBe(true);
    stage.authority.metadata = metadata;
    now += 11 * 60_000;
    expect(await stage.call()).toContain("Graz");
  });
});

describe("a token that the server rejects", () => {
  test("is renewed, and the call is retried once", async () => {
    await stage.login();
    await stage.call();
    stage.authority.tokens.clear();
    expect(await stage.call()).toContain("Graz");
    expect(refreshes()).toBe(1);
  });

  test("isn't renewed endlessly", async () => {
    await stage.login();
    const asked = stage.station.seen.length;
    stage.authority.tokens.clear();
    stage.authority.givesDeadTokens = true;
    await expect(stage.call()).rejects.toMatchObject({ code: "unauthorized" });
    expect(stage.station.seen.length - asked).toBeLessThanOrEqual(4);
    expect(refreshes()).toBe(1);
  });
});

describe("a listener", () => {
  test("receives changes once its user is logged in, and not before", async () => {
    const events: string[] = [];
    const stop = stage.upstream.listen(ANNA, ({ kind }) => void events.push(kind));
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(stage.station.seen).toEqual([]);
    await stage.login();
    await stage.call();
    await expect.poll(() => stage.station.seen.length).toBeGreaterThan(1);
    expect(stage.station.seen.every((header) => header?.startsWith("Bearer CANARY-access"))).toBe(
      true,
    );
    stop();
  });
});

describe("a sealed value", () => {
  const old = { id: "old", secret: new Uint8Array(32).fill(3) };
  const fresh = { id: "new", secret: new Uint8Array(32).fill(4) };
  const binding = ["token", "t", "anna", "station"];

  test("opens after a key rotation as long as the old key is configured", () => {
    const sealed = createSealer([old]).seal("secret", binding);
    expect(createSealer([fresh, old]).open(sealed, binding)).toBe("secret");
    expect(createSealer([fresh]).open(sealed, binding)).toBeUndefined();
  });

  test("doesn't open with another binding or after a bit was changed", () => {
    const sealer = createSealer([old]);
    const sealed = sealer.seal("secret", binding);
    expect(sealer.open(sealed, ["token", "t", "bert", "station"])).toBeUndefined();
    expect(sealer.open(sealed, ["token", "ta", "nna", "station"])).toBeUndefined();
    for (const place of sealed.keys()) {
      const changed = Buffer.from(sealed);
      changed[place] = (changed[place] ?? 0) ^ 1;
      expect(sealer.open(changed, binding)).toBeUndefined();
    }
    expect(sealer.open(new Uint8Array(), binding)).toBeUndefined();
  });
});
