import { type NatsServers, startNats } from "@vitrine/internal/nats-server";
import { type CutProxy, openProxy } from "./cut-proxy.ts";

/** Nodes that can be cut off from each other. */
export interface Partitionable {
  readonly nats: NatsServers;
  /** The ways between a node and the others. */
  around(node: number): CutProxy[];
  close(): Promise<void>;
}

/** Three nodes whose routes go through proxies, one for each direction, and nowhere else. */
export async function startPartitionable(): Promise<Partitionable> {
  const proxies: { from: number; to: number; proxy: CutProxy }[] = [];
  const nats = await startNats({
    nodes: 3,
    clusterOf: async (from, routes) => {
      const ways: string[] = [];
      for (const [to, route] of routes.entries()) {
        if (to === from) continue;
        const proxy = await openProxy(Number(new URL(route).port));
        proxies.push({ from, to, proxy });
        ways.push(`nats://127.0.0.1:${proxy.port}`);
      }
      // Where nobody is: else they would tell each other how to get round the proxies.
      return `routes: ${JSON.stringify(ways)}, advertise: "127.0.0.1:1", no_advertise: true`;
    },
  });
  return {
    nats,
    around: (node) =>
      proxies.flatMap(({ from, to, proxy }) => (from === node || to === node ? [proxy] : [])),
    close: async () => {
      await nats.stop();
      for (const { proxy } of proxies) proxy.close();
    },
  };
}
