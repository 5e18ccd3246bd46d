// Views of a gateway as its bench has them: a ticket from the Host's endpoint, a WebSocket, calls over it.

import { once } from "node:events";
import { Pool } from "undici";
import { WebSocket } from "ws";

const AT_ONCE = 32;
const RESOURCE = "ui://bench/view";

/** So many, some at a time. */
export async function inGroups(count, make) {
  const made = [];
  while (made.length < count) {
    const length = Math.min(AT_ONCE, count - made.length);
    const next = (_, n) => make(made.length + n);
    made.push(...(await Promise.all(Array.from({ length }, next))));
  }
  return made;
}

/** Tickets for Views of one server, as their Hosts get them. Nothing is left open of how they came. */
export async function openTickets({ port, server = "bench", token = "bench-token" }, count) {
  const pool = new Pool(`http://localhost:${port}`, { connections: AT_ONCE });
  const tickets = await inGroups(count, async () => {
    const { statusCode, body } = await pool.request({
      path: `/servers/${server}/views`,
      method: "POST",
      headers: { "content-type": "application/json", authorization: `Bearer ${token}` },
      body: JSON.stringify({ resource: RESOURCE }),
    });
    const text = await body.text();
    if (statusCode >= 300) throw new Error(`No ticket: HTTP ${statusCode} ${text}`);
    return JSON.parse(text).ticket;
  });
  await pool.close();
  return tickets;
}

/** Connected Views of one server. */
export async function openViews({ port, server = "bench", token = "bench-token" }, count) {
  const tickets = await openTickets({ port, server, token }, count);
  return inGroups(count, async (n) => {
    const protocols = ["vitrine.mcp.v1", `ticket.${tickets[n]}`];
    const url = `ws://localhost:${port}/servers/${server}/mcp`;
    const socket = new WebSocket(url, protocols, { perMessageDeflate: false });
    await once(socket, "open");
    return socket;
  });
}

function frameOf(id) {
  const params = { name: "echo", arguments: { city: "Graz", days: 1 + (id % 7) } };
  return JSON.stringify({ jsonrpc: "2.0", id, method: "tools/call", params });
}

/** So many calls in all; each View waits for its answer before it calls again. */
export function callInTurns(views, calls) {
  let sent = 0;
  const work = (view) =>
    new Promise((resolve, reject) => {
      const next = () => {
        if (sent >= calls) {
          view.off("message", listen);
          resolve();
          return;
        }
        sent += 1;
        view.send(frameOf(sent));
      };
      const listen = (data) => {
        const message = JSON.parse(data.toString());
        if (message.id === undefined) return;
        if (message.result) next();
        else reject(new Error(data.toString()));
      };
      view.on("message", listen);
      next();
    });
  return Promise.all(views.map(work));
}

/**
 * Calls at a fixed rate for a time, independent of response times; returns how many were made, how many failed,
 * and how long each took in milliseconds.
 */
export async function callAtPace(views, { rate, time }) {
  const waiting = new Map();
  const told = { calls: 0, failed: [], times: [] };
  const listens = views.map((view) => {
    const listen = (data) => {
      const { id, result } = JSON.parse(data.toString());
      const since = waiting.get(id);
      if (since === undefined) return;
      waiting.delete(id);
      told.times.push(performance.now() - since);
      if (!result) told.failed.push(data.toString());
    };
    view.on("message", listen);
    return () => view.off("message", listen);
  });
  const start = performance.now();
  let id = 0;
  await new Promise((resolve) => {
    const timer = setInterval(() => {
      const past = performance.now() - start;
      // As many as are due by now: a timer that comes late must not lower the rate.
      for (const due = Math.min(past, time) * (rate / 1_000); told.calls < due; ) {
        const view = views[told.calls % views.length];
        told.calls += 1;
        id += 1;
        waiting.set(id, performance.now());
        view.send(frameOf(id));
      }
      if (past < time) return;
      clearInterval(timer);
      resolve();
    }, 2);
  });
  for (const end = performance.now() + 30_000; waiting.size > 0 && performance.now() < end; ) {
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  for (const undo of listens) undo();
  for (const lost of waiting.keys()) told.failed.push(`no answer to ${lost}`);
  return told;
}
