import { createSharedMemoryEngine } from "@vitrine/internal/shared-memory-engine";
import { expect, test } from "vitest";
import { openPeers, type Peers } from "../../src/admin/peers.ts";
import { createSealer } from "../../src/crypto/sealing.ts";
import type { SharedEngine } from "../../src/engine/engine.ts";
import { jsonBytes } from "../../src/engine/watched-bucket.ts";

const sealerOf = (secret: number) =>
  createSealer([{ id: "k", secret: new Uint8Array(32).fill(secret) }], {
    purpose: "admin messages",
  });

/** A gateway that answers each question with its name, and the questions it was asked. */
function openGateway(
  engine: SharedEngine,
  node: string,
  secret = 1,
): { peers: Peers; asked: string[] } {
  const asked: string[] = [];
  const peers = openPeers(engine, {
    own: { node, version: "1.0.0", roles: ["edge"], startedAt: 0 },
    sealer: sealerOf(secret),
    answer: async (question) => {
      asked.push(question);
      if (question === "fail") throw new Error("failed");
      return `${question} ${node}`;
    },
  });
  return { peers, asked };
}

test("every gateway answers once, and one that can't answer in time is named", async () => {
  const engine = createSharedMemoryEngine();
  const one = openGateway(engine, "one");
  const two = openGateway(engine, "two");
  await expect.poll(async () => (await one.peers.ask("views")).answers.length).toBe(2);
  const { answers, silent } = await two.peers.ask<string>("views");
  expect(answers.map(({ node, value }) => [node, value]).sort()).toEqual([
    ["one", "views one"],
    ["two", "views two"],
  ]);
  expect(silent).toEqual([]);
  // It was killed: it is still announced, but nobody is there.
  await engine
    .kv("gateways")
    .put("dead", jsonBytes({ node: "three", version: "1.0.0", instance: "dead" }));
  await expect.poll(async () => (await one.peers.ask("views")).silent).toEqual(["three"]);
  one.peers.close();
  two.peers.close();
  await engine.close();
});

test("messages of others on the bus are ignored: unsealed, with another key, or for another subject", async () => {
  const engine = createSharedMemoryEngine();
  const { peers, asked } = openGateway(engine, "one");
  const message = (question: string, at = Date.now()) =>
    jsonBytes({ id: "x", node: "evil", question, at, body: {} });
  const binding = ["admin", "admin.ask"];
  engine.bus.publish("admin.ask", message("unsealed"));
  engine.bus.publish("admin.ask", sealerOf(2).sealBytes(message("other-key"), binding));
  const elsewhere = sealerOf(1).sealBytes(message("elsewhere"), ["admin", "admin.reply.x"]);
  engine.bus.publish("admin.ask", elsewhere);
  const old = sealerOf(1).sealBytes(message("old", Date.now() - 60_000), binding);
  engine.bus.publish("admin.ask", old);
  const { answers } = await peers.ask<string>("own");
  expect(answers).toEqual([{ node: "one", value: "own one" }]);
  expect(asked).toEqual(["own"]);
  peers.close();
  await engine.close();
});
