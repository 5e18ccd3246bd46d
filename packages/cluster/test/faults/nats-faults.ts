// Faults of NATS.

import { jetstreamManager } from "@nats-io/jetstream";
import { connect } from "@nats-io/transport-node";
import type { NatsNode, NatsServers } from "@vitrine/internal/nats-server";
import type { Fault } from "./fault.ts";
import type { Partitionable } from "./partitionable-nats.ts";

/** Kills a node. */
export function nodeKilled(nats: NatsServers, node: NatsNode): Fault {
  return {
    name: `NATS ${node.name} is killed`,
    inject: () => node.kill(),
    heal: async () => {
      await node.restart();
      await nats.ready();
    },
  };
}

/** Freezes a node: it keeps its connections, but doesn't respond. */
export function nodeFrozen(nats: NatsServers, node: NatsNode): Fault {
  return {
    name: `NATS ${node.name} is frozen`,
    inject: () => node.freeze(),
    heal: async () => {
      node.thaw();
      await nats.ready();
    },
  };
}

/** Kills all nodes. */
export function allKilled(nats: NatsServers): Fault {
  return {
    name: "all of NATS is killed",
    inject: async () => {
      await Promise.all(nats.nodes.map((node) => node.kill()));
    },
    heal: async () => {
      await Promise.all(nats.nodes.map((node) => node.restart()));
      await nats.ready();
    },
  };
}

/** Cuts a node off from the other two. */
export function cutOff({ nats, around }: Partitionable, node: number): Fault {
  return {
    name: `NATS ${nats.nodes[node]?.name} is cut off from the others`,
    inject: () => {
      for (const way of around(node)) way.cut();
    },
    heal: async () => {
      for (const way of around(node)) way.heal();
      await nats.ready();
    },
  };
}

/** The node that leads most streams. */
export async function leaderOf(nats: NatsServers): Promise<NatsNode> {
  const nc = await connect({ servers: nats.urls });
  const { streams } = await jetstreamManager(nc);
  const leads = new Map<string, number>();
  for await (const { cluster } of streams.list()) {
    const leader = cluster?.leader ?? "";
    leads.set(leader, (leads.get(leader) ?? 0) + 1);
  }
  await nc.close();
  const [[name] = [""]] = [...leads].sort(([, a], [, b]) => b - a);
  return nats.nodes.find((node) => node.name === name) ?? (nats.nodes[0] as NatsNode);
}
