import { testBus } from "@vitrine/internal/engine-bus-contract";
import { testEngine } from "@vitrine/internal/engine-contract";
import { type NatsServers, startNats } from "@vitrine/internal/nats-server";
import { afterAll, beforeAll, describe } from "vitest";
import { openTrial } from "./stage.ts";

describe.for([{ nodes: 1 }, { nodes: 3 }] as const)("on $nodes of nats-server", ({ nodes }) => {
  let servers: NatsServers;
  beforeAll(async () => {
    servers = await startNats({ nodes });
  }, 60_000);
  afterAll(() => servers?.stop());

  const name = `an engine on NATS, ${nodes === 1 ? "one server" : "a cluster of three"},`;
  testEngine(name, () => openTrial(servers));
  testBus(name, () => openTrial(servers));
});
