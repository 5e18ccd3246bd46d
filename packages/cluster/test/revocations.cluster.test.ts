// A revocation at one gateway of a cluster takes effect at all of them.

import { type NatsServers, startNats } from "@vitrine/internal/nats-server";
import { afterAll, afterEach, beforeAll, expect, it } from "vitest";
import {
  EVERYTHING,
  openEverything,
  openGateway,
  serveSlowly,
  timeToEnd,
  tokenOf,
} from "../../gateway/test/identity/revocation-stage.ts";
import { startIssuer } from "../../gateway/test/security/token-issuer.ts";
import { freshPrefix } from "./nats/stage.ts";

let servers: NatsServers;
beforeAll(async () => {
  servers = await startNats({ nodes: 1 });
}, 60_000);
afterAll(() => servers?.stop());

const open: (() => PromiseLike<unknown>)[] = [];
afterEach(async () => {
  for (const close of open.splice(0).reverse()) await close();
});

const ALICE = { tenant: "default", user: "alice" };

it("ends everything of a user at both gateways within a second, and survives a restart", async () => {
  const raw = await serveSlowly();
  const issuer = await startIssuer();
  open.push(
    () => raw[Symbol.asyncDispose](),
    () => issuer[Symbol.asyncDispose](),
  );
  const prefix = freshPrefix();
  const launch = async (node: string) => {
    const engine = { driver: "nats", servers: servers.urls, prefix, node };
    const stage = await openGateway(issuer, raw, { engine });
    open.push(() => stage[Symbol.asyncDispose]());
    return stage;
  };
  const [one, two] = [await launch("one"), await launch("two")];
  const token = await tokenOf(issuer, "alice");
  const things = [await openEverything(one, token), await openEverything(two, token)];
  for (const each of things) expect(await each.alive()).toEqual(EVERYTHING);
  const began = performance.now();
  await one.service.gateway.revocations.revoke(ALICE, { by: "operator", block: true });
  const time = await timeToEnd(things, began);
  console.info(`revoked at both gateways after ${Math.round(time)} ms`);
  expect(time).toBeLessThan(1000);
  const three = await launch("three");
  const fresh = await tokenOf(issuer, "alice", -2);
  const status = async () =>
    (await three.post("tools/list", {}, { server: "raw", token: fresh })).status;
  expect(await status()).toBe(403);
  await two.service.gateway.revocations.restore(ALICE);
  await expect.poll(status).toBe(200);
}, 60_000);
