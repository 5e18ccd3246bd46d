import { jetstreamManager } from "@nats-io/jetstream";
import { connect } from "@nats-io/transport-node";
import { type NatsEngineOptions, openNatsEngine } from "@vitrine/gateway/nats";
import type { OpenEngine } from "@vitrine/testing/engine-trial";
import type { NatsServers } from "@vitrine/testing/nats-server";

let prefixes = 0;
/** What nobody on these servers has used. */
export const freshPrefix = (): string => `t${process.pid}-${++prefixes}`;

/** An engine, and a second one that another process might have, on another node where there is one. */
export async function openTrial(
  { nodes, urls }: NatsServers,
  options: Partial<NatsEngineOptions> = {},
): Promise<OpenEngine & Required<Pick<OpenEngine, "peer" | "reopen" | "dispose">>> {
  const prefix = freshPrefix();
  const open = (node: number): ReturnType<typeof openNatsEngine> =>
    openNatsEngine({
      // That node alone, or one would be picked at random; the others it names itself.
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

/** Removes what a test left: a hundred streams would keep the servers busy for the next. */
async function removeStreams(urls: string[], prefix: string): Promise<void> {
  const nc = await connect({ servers: urls });
  const { streams } = await jetstreamManager(nc);
  const names: string[] = [];
  for await (const name of streams.names()) if (name.includes(`_${prefix}_`)) names.push(name);
  await Promise.all(names.map((name) => streams.delete(name)));
  await nc.close();
}
