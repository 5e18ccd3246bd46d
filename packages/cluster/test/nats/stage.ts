import { jetstreamManager } from "@nats-io/jetstream";
import { connect } from "@nats-io/transport-node";
import { type NatsEngineOptions, openNatsEngine } from "@vitrine/cluster";
import type { SharedEngine } from "@vitrine/gateway/engine";
import type { OpenEngine } from "@vitrine/internal/engine-trial";
import type { NatsServers } from "@vitrine/internal/nats-server";

let prefixes = 0;
/** A prefix that isn't used on these servers. */
export const freshPrefix = (): string => `t${process.pid}-${++prefixes}`;

/** An engine, and a second one as of another process, on another node if there is one. */
export async function openTrial(
  { nodes, urls }: NatsServers,
  options: Partial<NatsEngineOptions> = {},
): Promise<Required<OpenEngine<SharedEngine>>> {
  const prefix = freshPrefix();
  const open = (node: number): ReturnType<typeof openNatsEngine> =>
    openNatsEngine({
      // Only this node, or the client would pick one at random. The node announces the others.
      servers: [nodes[node % nodes.length]?.url ?? ""],
      prefix,
      ...options,
    });
  const [engine, peer] = await Promise.all([open(0), open(1)]);
  return {
    engine,
    peer,
    reopen: async () => {
      await engine.close();
      return open(2);
    },
    dispose: async () => {
      await peer.close();
      await removeStreams(urls, prefix);
    },
  };
}

/** Removes a test's streams: a hundred of them would slow down the next test. */
async function removeStreams(urls: string[], prefix: string): Promise<void> {
  const nc = await connect({ servers: urls });
  const { streams } = await jetstreamManager(nc);
  const names: string[] = [];
  for await (const name of streams.names()) if (name.includes(`_${prefix}_`)) names.push(name);
  await Promise.all(names.map((name) => streams.delete(name)));
  await nc.close();
}
