// The process of the tenant that attacks: it floods until it receives a stop message. A separate process, so that
// what it needs of the processor isn't measured as the gateway's.

import { GatewayClient } from "../stage/client.ts";
import { FLOODS, type Flood } from "./floods.ts";

/** What the measuring process sends. */
export interface AttackOrder {
  readonly floods: readonly string[];
  readonly port: number;
  readonly tokens: readonly string[];
}

let over: AbortController | undefined;
let running: Promise<unknown> = Promise.resolve();

process.on("message", async (order: AttackOrder | "stop") => {
  if (order === "stop") {
    over?.abort();
    await running;
    process.send?.("stopped");
    return;
  }
  over = new AbortController();
  const { signal } = over;
  const { port, tokens } = order;
  const clients = tokens.map((token, at) => {
    return new GatewayClient({ port, token, from: `127.0.0.${at + 2}` });
  });
  const floods = order.floods.flatMap((name) => FLOODS[name] ?? []) as Flood[];
  running = Promise.all(floods.map((flood) => flood({ clients, port, signal }).catch(() => {})));
  await running;
  for (const client of clients) client.close();
});
