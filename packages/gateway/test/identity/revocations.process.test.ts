// A revocation ends everything that a user has, and a restart doesn't bring it back.

import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { createSealer } from "../../src/crypto/sealing.ts";
import { hashOf } from "../../src/crypto/stable-hash.ts";
import { createMemoryEngine, sealEngine } from "../../src/engine/index.ts";
import { createRevocations } from "../../src/identity/revocations.ts";
import { startIssuer } from "../security/token-issuer.ts";
import {
  EVERYTHING,
  openEverything,
  openGateway,
  serveSlowly,
  timeToEnd,
  tokenOf,
} from "./revocation-stage.ts";

const open: (() => PromiseLike<unknown>)[] = [];
afterEach(async () => {
  for (const close of open.splice(0).reverse()) await close();
});

const ALICE = { tenant: "default", user: "alice" };
const BY = { by: "operator" };

async function start() {
  const raw = await serveSlowly();
  const issuer = await startIssuer();
  const folder = await mkdtemp(join(tmpdir(), "vitrine-revocations-"));
  open.push(() => rm(folder, { recursive: true, force: true }));
  open.push(
    () => raw[Symbol.asyncDispose](),
    () => issuer[Symbol.asyncDispose](),
  );
  const launch = async () => {
    const engine = { driver: "sqlite", folder: join(folder, "data") };
    const stage = await openGateway(issuer, raw, { engine, folder });
    open.push(() => stage[Symbol.asyncDispose]());
    return stage;
  };
  return { issuer, launch };
}

describe("a gateway with SQLite", () => {
  it("ends tokens, tickets, sockets, streams and calls of a revoked user within a second", async () => {
    const { issuer, launch } = await start();
    const stage = await launch();
    const alice = await openEverything(stage, await tokenOf(issuer, "alice"));
    const bob = await openEverything(stage, await tokenOf(issuer, "bob"));
    expect(await alice.alive()).toEqual(EVERYTHING);
    const began = performance.now();
    await stage.service.gateway.revocations.revoke(ALICE, BY);
    expect(await timeToEnd([alice], began)).toBeLessThan(1000);
    expect(await bob.alive()).toEqual(EVERYTHING);
    // A new log-in works, and its token opens everything again.
    const again = await openEverything(stage, await tokenOf(issuer, "alice", -2));
    expect(await again.alive()).toEqual(EVERYTHING);
  });

  it("keeps rejecting a blocked user after a restart, until the block is lifted", async () => {
    const { issuer, launch } = await start();
    const first = await launch();
    const old = await tokenOf(issuer, "alice");
    await first.service.gateway.revocations.revoke(ALICE, { ...BY, block: true, reason: "left" });
    await first.service.close();
    const stage = await launch();
    const list = async (token: string): Promise<unknown[]> => {
      const { status, body } = await stage.post("tools/list", {}, { server: "raw", token });
      return [status, body.error?.data.reason];
    };
    const { revocations } = stage.service.gateway;
    const fresh = await tokenOf(issuer, "alice", -2);
    expect(await list(old)).toEqual([403, "blocked"]);
    expect(await list(fresh)).toEqual([403, "blocked"]);
    expect(revocations.list()).toMatchObject([{ ...ALICE, isBlocked: true, reason: "left" }]);
    await revocations.restore(ALICE);
    expect(await list(fresh)).toEqual([200, undefined]);
    expect(await list(old)).toEqual([401, "unauthenticated"]);
    expect(revocations.list()).toEqual([]);
  });
});

describe("revocations", () => {
  const sealer = createSealer([{ id: "a", secret: new Uint8Array(32).fill(1) }], {
    purpose: "store",
  });
  const setUp = async (options = {}) => {
    const store = createMemoryEngine();
    const engine = sealEngine(store, { sealer });
    const revocations = createRevocations(engine, options);
    open.push(
      async () => revocations.close(),
      () => store.close(),
    );
    await revocations.settled();
    return { store, engine, revocations };
  };
  const key = hashOf([ALICE.tenant, ALICE.user]);
  const codeOf = (of: ReturnType<typeof createRevocations>, issuedAt?: number) =>
    of.refusal(ALICE, issuedAt)?.code;

  it("counts a token without an issue time, or from the future, as old", async () => {
    const { revocations } = await setUp();
    expect(codeOf(revocations)).toBeUndefined();
    await revocations.revoke(ALICE, BY);
    expect(codeOf(revocations)).toBe("unauthenticated");
    expect(codeOf(revocations, Date.now() + 3_600_000)).toBe("unauthenticated");
    expect(codeOf(revocations, Date.now() + 1000)).toBeUndefined();
    expect(revocations.refusal({ ...ALICE, tenant: "other" }, 0)).toBeUndefined();
  });

  it("blocks the user of a value that can't be read, now and after a restart", async () => {
    const { store, engine, revocations } = await setUp();
    await revocations.revoke(ALICE, BY);
    await store.kv("revocations").put(key, new TextEncoder().encode("{}"));
    await expect.poll(() => codeOf(revocations, Date.now() + 1000)).toBe("blocked");
    const next = createRevocations(engine);
    await next.settled();
    expect(codeOf(next, Date.now() + 1000)).toBe("blocked");
    expect(next.refusal({ ...ALICE, user: "bob" }, undefined)).toBeUndefined();
    next.close();
  });

  it("stays readable when the key that sealed it is removed after a rotation", async () => {
    const { store, revocations } = await setUp();
    await revocations.revoke(ALICE, BY);
    const keys = [2, 1].map((fill) => ({
      ...{ id: fill === 1 ? "a" : "b", secret: new Uint8Array(32).fill(fill) },
    }));
    const before = (await store.kv("revocations").get(key))?.revision;
    const rotated = createRevocations(
      sealEngine(store, { sealer: createSealer(keys, { purpose: "store" }) }),
    );
    await rotated.settled();
    await expect
      .poll(async () => (await store.kv("revocations").get(key))?.revision)
      .not.toBe(before);
    rotated.close();
    const sealer = createSealer(keys.slice(0, 1), { purpose: "store" });
    const later = createRevocations(sealEngine(store, { sealer }));
    await later.settled();
    expect(later.list()).toMatchObject([ALICE]);
    expect(codeOf(later, Date.now() + 1000)).toBeUndefined();
    later.close();
  });

  it("keeps a revocation whose value was deleted from the store", async () => {
    const { store, revocations } = await setUp();
    await revocations.revoke(ALICE, { ...BY, block: true });
    await store.kv("revocations").delete(key);
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(codeOf(revocations, Date.now())).toBe("blocked");
  });

  it("admits nobody after a minute without contact to the engine", async () => {
    let silence = 59_000;
    const { revocations } = await setUp({ silence: () => silence });
    expect(codeOf(revocations, Date.now())).toBeUndefined();
    silence = 61_000;
    expect(codeOf(revocations, Date.now())).toBe("login-unavailable");
  });

  it("admits nobody before the stored revocations were read", async () => {
    const engine = createMemoryEngine();
    const unread = { ...engine.kv("revocations"), watch: () => () => {} };
    const revocations = createRevocations({ ...engine, kv: () => unread as never });
    expect(codeOf(revocations, Date.now())).toBe("login-unavailable");
    revocations.close();
    await engine.close();
  });

  it("takes effect here even if the engine can't store it, and reports that", async () => {
    const { engine, revocations } = await setUp();
    await engine.close();
    await expect(revocations.revoke(ALICE, BY)).rejects.toMatchObject({ code: "closed" });
    expect(codeOf(revocations, Date.now() - 1000)).toBe("unauthenticated");
  });
});
