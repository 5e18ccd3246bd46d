import { createSharedMemoryEngine } from "@vitrine/internal/shared-memory-engine";
import type { OwnableUpstream, Upstream } from "../../gateway/src/upstreams/upstream.ts";
import { ann } from "../../gateway/test/upstreams/calls.ts";
import { type Cluster, joinCluster } from "../src/cluster.ts";
import { type CutEngine, cutEngine } from "./cut-engine.ts";
import { GRACE, KEYS } from "./stage.ts";

/** Two processes with one server: the first is the owner, the second forwards its calls. */
export interface RealPair extends AsyncDisposable {
  owner: Upstream;
  other: Upstream;
  engines: [CutEngine, CutEngine];
  clusters: [Cluster, Cluster];
}

/** Each process creates its own upstream; `make` receives whether it may start something. */
export async function openRealPair(
  make: (mayStart: (key: string) => boolean) => OwnableUpstream,
  { ttl = 20_000 }: { ttl?: number } = {},
): Promise<RealPair> {
  const engine = createSharedMemoryEngine();
  const engines: [CutEngine, CutEngine] = [cutEngine(engine), cutEngine(engine)];
  const open = async (way: CutEngine) => {
    const cluster = await joinCluster(way, { ttl, grace: GRACE, keys: KEYS });
    const wrapped = cluster.wrap(
      make((key) => wrapped.mayStart(key)),
      { changes: { interval: 300, retry: 100 } },
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
