// One gateway of the cluster bench, a process of its own so that its CPU time is its own. It has a server
// that answers within the process, so that what is left is the gateway, one that is a program, and one without
// sessions behind HTTP. `cluster-gateways.ts alone <server>`, or
// `cluster-gateways.ts edge|owner <server> <prefix> <NATS server> …`.

import { fileURLToPath } from "node:url";
import { openNatsEngine } from "@vitrine/cluster";
import { createMemoryEngine, type Engine } from "@vitrine/gateway/engine";
import { type Cluster, joinCluster } from "../../packages/cluster/src/cluster.ts";
import { createGateway } from "../../packages/gateway/src/gateway.ts";
import { devAuthenticator } from "../../packages/gateway/src/identity/user-token.ts";
import { createTickets } from "../../packages/gateway/src/identity/view-ticket.ts";
import type { Recorder } from "../../packages/gateway/src/policy/pipeline.ts";
import {
  createAddressGuard,
  createHttpUpstream,
  createStdioUpstream,
} from "../../packages/gateway/src/upstreams/index.ts";
import type { OwnableUpstream, Upstream } from "../../packages/gateway/src/upstreams/upstream.ts";
import { answerTo } from "./echo-server.mjs";

const [role = "", modern = "", prefix = "", ...nats] = process.argv.slice(2);
const ECHO = fileURLToPath(new URL("./echo-server.mjs", import.meta.url));
const quiet: Recorder = { admit: () => undefined, refused: () => {}, answered: () => {} };
const unlimited = { viewPerMinute: 1e9, userPerMinute: 1e9, serverPerMinute: 1e9, userAtOnce: 1e6 };
// All views of the bench belong to one user.
const traffic = { ticketSockets: 1e6, userSockets: 1e6, tenantSockets: 1e6, bodyBytes: 2 ** 30 };

/** Answers at once, in this process, and has something that only one process can have. */
function echoUpstream(): OwnableUpstream {
  return {
    id: "bench",
    kind: "stdio",
    send: async ({ message: { id, method, params } }) => ({
      message: { jsonrpc: "2.0", id, result: answerTo(method, params) },
    }),
    notify: async () => {},
    discover: async () => answerTo("server/discover"),
    listen: () => () => {},
    stateKey: () => "all",
    changeKey: () => "all",
    end: async () => {},
    close: async () => {},
  };
}

function stdioUpstream(mayStart?: (key: string) => boolean): OwnableUpstream {
  const argv: [string, string] = [process.execPath, ECHO];
  const sharing = "all" as const;
  const slots = { limit: 1_000, perTenant: 1_000, perUser: 1_000 };
  return createStdioUpstream({
    id: "program",
    argv,
    sharing,
    slots,
    ...(mayStart && { mayStart }),
  });
}

function httpUpstream(): OwnableUpstream {
  const guard = createAddressGuard({ exempt: [new URL(modern).host] });
  const slots = { limit: 1_000, perTenant: 1_000, perUser: 1_000 };
  return createHttpUpstream({ id: "modern", url: modern, guard, era: "modern", slots });
}

async function open(): Promise<{ engine: Engine; servers: Record<string, Upstream> }> {
  if (role === "alone") {
    const servers = {
      bench: echoUpstream(),
      program: stdioUpstream(),
      modern: httpUpstream(),
    };
    return { engine: createMemoryEngine(), servers };
  }
  const engine = await openNatsEngine({ servers: nats, prefix });
  const cluster: Cluster = await joinCluster(engine, {
    keys: [{ id: "c1", secret: new Uint8Array(32).fill(7) }],
    roles: role === "owner" ? ["edge", "runner"] : ["edge"],
  });
  const program = cluster.wrap(stdioUpstream((key) => program.mayStart(key)));
  const [bench, http] = [cluster.wrap(echoUpstream()), cluster.wrap(httpUpstream())];
  return { engine, servers: { bench, program, modern: http } };
}

const { engine, servers } = await open();
const settings = { consent: "host" as const };
const gateway = createGateway({
  engine,
  servers: Object.fromEntries(
    Object.entries(servers).map(([id, upstream]) => [id, { upstream, settings }]),
  ),
  origins: [],
  authenticate: devAuthenticator("bench-token"),
  tickets: createTickets({ keys: [{ id: "a", secret: new Uint8Array(32) }], lifetime: 3600 }),
  recorder: quiet,
  limits: { rates: unlimited, traffic, acceptsPerSecond: 1e6 },
});
const { port } = await gateway.listen({ port: 0 });
process.on("disconnect", () => process.exit());
process.send?.({ port });
