import { type Cluster, joinCluster } from "../../src/cluster/cluster.ts";
import { createMemoryEngine } from "../../src/engine/index.ts";
import type { OwnableUpstream, Upstream } from "../../src/upstreams/upstream.ts";
import { ann } from "../upstreams/calls.ts";
import { type CutEngine, cutEngine } from "./cut-engine.ts";
import { GRACE, SECRET } from "./stage.ts";

/** Two processes before one server: the first has what only one can have, the second asks it. */
export interface RealPair extends AsyncDisposable {
  owner: Upstream;
  other: Upstream;
  engines: [CutEngine, CutEngine];
  clusters: [Cluster, Cluster];
}

/** Each process makes its own way to the server; `make` is told whether it may start something. */
export async function openRealPair(
  make: (mayStart: (key: string) => boolean) => OwnableUpstream,
  { ttl = 20_000 }: { ttl?: number } = {},
): Promise<RealPair> {
  const engine = createMemoryEngine();
  const engines: [CutEngine, CutEngine] = [cutEngine(engine), cutEngine(engine)];
  const open = async (way: CutEngine) => {
    const cluster = await joinCluster(way, { ttl, grace: GRACE, secret: SECRET });
    const wrapped = cluster.wrap(
      make((key) => wrapped.mayStart(key)),
      { news: { interval: 300, retry: 100 } },
    );
    return { cluster, wrapped };
  };
  const [first, second] = [await open(engines[0]), await open(engines[1])];
  await first.wrapped.discover(ann);
  return {
    owner: first.wrapped,
    other: second.wrapped,
    engines,
    clusters: [first.cluster, second.cluster],
    [Symbol.asyncDispose]: async () => {
      await Promise.all([first.wrapped.close(), second.wrapped.close()]);
      await Promise.all([first.cluster.close(), second.cluster.close()]);
      await engine.close();
    },
  };
}
