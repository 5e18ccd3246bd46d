// `npm run redteam:gateway -- stalled`: ten thousand connections without a credential that stall: some say
// nothing, some stop within their headers, some within a body.

import { connect, type Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { GatewayStage } from "../stage/stage.ts";

const CONNECTIONS = 10_000;
const ADDRESSES = 20;
const AT_ONCE = 100;
const MOST_MEMORY = 100;
/** Descriptors that a gateway may open for itself during the run. */
const SLACK = 20;
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
    const memory = gateway.process.memory();
    const descriptors = gateway.process.descriptors();
    // Counted at the gateway: where its queue overflows, a client takes a connection for open that isn't.
    const held = (): number => Math.max(0, gateway.process.descriptors() - descriptors - SLACK);
    for (let at = 0; at < CONNECTIONS; at++) {
      sockets.push(stall(gateway.port, at));
      if (at % AT_ONCE === 0) await sleep(50);
    }
    const most = held();
    let highest = gateway.process.memory();
    const call = await alice.call("go", "open").catch((error: Error) => ({
      status: 0,
      milliseconds: 0,
      text: error.message,
    }));
    const started = performance.now();
    while (held() > 0 && performance.now() - started < PATIENCE) {
      highest = Math.max(highest, gateway.process.memory());
      await sleep(200);
    }
    const left = held();
    const seconds = ((performance.now() - started) / 1000).toFixed(0);
    const grown = highest - memory;
    const holds = left === 0 && grown <= MOST_MEMORY && call.status === 200;
    console.log(
      `a user's call during the attack: HTTP ${call.status} in ${call.milliseconds.toFixed(0)} ms`,
    );
    console.log(
      `redteam:gateway stalled: ${holds ? "holds" : "FAILS"}: ${CONNECTIONS} connections, ${most} held at once, ${left} left after ${seconds} s, memory +${grown} MiB`,
    );
    return holds;
  } finally {
    for (const socket of sockets) socket.destroy();
    await stage.close();
  }
}

/** Opens a connection that sends the beginning of a request at most. */
function stall(port: number, number: number): Socket {
  const localAddress = `127.0.1.${1 + (number % ADDRESSES)}`;
  const socket = connect({ port, host: "127.0.0.1", localAddress });
  socket.on("error", () => {});
  socket.resume();
  const opening = OPENINGS[number % OPENINGS.length] ?? "";
  socket.write(opening.replace("HOST", `127.0.0.1:${port}`));
  return socket;
}
