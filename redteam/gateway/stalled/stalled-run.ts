// `npm run redteam:gateway -- stalled`: ten thousand connections without a credential that stall: some say
// nothing, some stop within their headers, some within a body.

import { connect, type Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { GatewayStage } from "../stage/stage.ts";

const CONNECTIONS = 10_000;
const ADDRESSES = 20;
const AT_ONCE = 200;
const MOST_MEMORY = 100;
/** Longer than any timeout of the gateway. */
const PATIENCE = 120_000;

const BODY = "POST /servers/go/mcp HTTP/1.1\r\nHost: HOST\r\nContent-Type: application/json\r\n";
const OPENINGS = [
  "",
  "POST /servers/go/mcp HTTP/1.1\r\nHost: HO",
  `${BODY}Content-Length: 100000\r\n\r\n{"jsonrpc":`,
  `${BODY}Transfer-Encoding: chunked\r\n\r\n5\r\n{"jso`,
];

/** Opens them all, watches memory and waits until the gateway has closed each; true if it did. */
export async function runStalled(): Promise<boolean> {
  const stage = await GatewayStage.open();
  const sockets: Socket[] = [];
  try {
    const gateway = await stage.start();
    const alice = gateway.client("acme", "alice");
    await alice.call("go", "open");
    const before = gateway.process.memory();
    let open = 0;
    let highest = before;
    for (let at = 0; at < CONNECTIONS; at++) {
      const socket = connect({
        port: gateway.port,
        host: "127.0.0.1",
        localAddress: `127.0.1.${1 + (at % ADDRESSES)}`,
      });
      open += 1;
      socket.on("error", () => {});
      socket.once("close", () => {
        open -= 1;
      });
      socket.resume();
      socket.write(
        (OPENINGS[at % OPENINGS.length] ?? "").replace("HOST", `127.0.0.1:${gateway.port}`),
      );
      sockets.push(socket);
      if (at % AT_ONCE === 0) await sleep(20);
    }
    await sleep(500);
    const held = open;
    const call = await alice.call("go", "open").catch((error: Error) => ({
      status: 0,
      milliseconds: 0,
      text: error.message,
    }));
    const started = performance.now();
    while (open > 0 && performance.now() - started < PATIENCE) {
      highest = Math.max(highest, gateway.process.memory());
      await sleep(200);
    }
    const seconds = ((performance.now() - started) / 1000).toFixed(0);
    const grown = highest - before;
    const holds = open === 0 && grown <= MOST_MEMORY && call.status === 200;
    console.log(`${held} of ${CONNECTIONS} were open at once; the others had been closed already`);
    console.log(
      `a user's call meanwhile: HTTP ${call.status} in ${call.milliseconds.toFixed(0)} ms`,
    );
    console.log(
      `redteam:gateway stalled: ${holds ? "holds" : "FAILS"}: ${CONNECTIONS - open} of ${CONNECTIONS} closed within ${seconds} s, memory +${grown} MiB`,
    );
    return holds;
  } finally {
    for (const socket of sockets) socket.destroy();
    await stage.close();
  }
}
