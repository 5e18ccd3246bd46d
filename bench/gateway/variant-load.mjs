// The load on one variant of the gateway bench: calls over WebSockets or over HTTP, so many in flight.

import { once } from "node:events";
import { Pool } from "undici";
import { WebSocket } from "ws";
import { callInTurns, inGroups, openViews } from "./view-load.mjs";

/** Calls at once, from as many Views: a View waits for its answer. */
export const IN_FLIGHT = 32;
const META = {
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientCapabilities": {},
};

async function openSocket(port) {
  const socket = new WebSocket(`ws://localhost:${port}`, { perMessageDeflate: false });
  await once(socket, "open");
  return socket;
}

/** Makes a function that sends one call over HTTP and waits for its result. */
export function httpCalls(port) {
  const pool = new Pool(`http://localhost:${port}`, { connections: IN_FLIGHT, headersTimeout: 0 });
  return async (n) => {
    const params = { name: "echo", arguments: { city: "Graz", days: 1 + (n % 7) }, _meta: META };
    const { statusCode, body } = await pool.request({
      path: "/servers/bench/mcp",
      method: "POST",
      headers: {
        "content-type": "application/json",
        authorization: "Bearer bench-token",
        "mcp-protocol-version": "2026-07-28",
        "mcp-method": "tools/call",
        "mcp-name": "echo",
      },
      body: JSON.stringify({ jsonrpc: "2.0", id: n, method: "tools/call", params }),
    });
    const text = await body.text();
    if (statusCode !== 200 || !text.includes('"result"')) throw new Error(text);
  };
}

function httpCaller(port) {
  const call = httpCalls(port);
  return async (calls) => {
    let sent = 0;
    const work = async () => {
      while (sent < calls) await call(++sent);
    };
    await Promise.all(Array.from({ length: IN_FLIGHT }, work));
  };
}

/** Connects to a variant; gives back what makes so many calls. */
export async function connectTo({ name, port }) {
  if (!name.startsWith("ws-")) return httpCaller(port);
  const sockets =
    name === "ws-echo"
      ? await inGroups(IN_FLIGHT, () => openSocket(port))
      : await openViews({ port }, IN_FLIGHT);
  return (calls) => callInTurns(sockets, calls);
}
