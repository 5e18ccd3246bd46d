// Thousands of Views lose their connection at the same moment and come back at the same moment, each with
// the ticket it has: once cut off by whatever stands before the gateway, once by the gateway's own death.

import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { commandOf, startChild } from "../engine/children/child.ts";
import { openSite, type Site, startGateway, TOKEN } from "../faults/gateway-process.ts";

const VIEWS = 5000;
/** Views that have a call under way when they are cut off. */
const WAITING = 50;
/** Milliseconds; a tenth of it on a machine with nothing else to do. */
const SLOWEST = 6000;
const PROGRAM = [
  fileURLToPath(new URL("../faults/children/cut-gateway.ts", import.meta.url)),
] as const;
const CLIENTS = new URL("../faults/children/returning-views.ts", import.meta.url);

interface Settled {
  answered: number;
  /** Of those that were not. */
  reasons: Record<string, number>;
  median: number;
  last: number;
}

/**
 * Repeats a request whose connection was reset, as a load balancer does. Thousands of connections at once
 * can overflow the kernel's queue, and then it resets some of them. The time of the repeats counts.
 */
async function untilAnswered(doing: () => Promise<Response>): Promise<[Response, string]> {
  for (;;) {
    try {
      const answer = await doing();
      return [answer, await answer.text()];
    } catch (error) {
      const { code } = ((error as Error).cause ?? {}) as { code?: string };
      if (code !== "ECONNRESET" && code !== "UND_ERR_SOCKET") throw error;
      await sleep(50);
    }
  }
}

/** Asks for health and makes calls, as a load balancer and one more View would; the slowest of each counts. */
function watch(site: Site, ticket: string): { stop(): Promise<{ health: number; call: number }> } {
  let isOver = false;
  const slowest = async (doing: () => Promise<Response>): Promise<number> => {
    let worst = 0;
    while (!isOver) {
      const began = performance.now();
      const [answer, text] = await untilAnswered(doing);
      worst = Math.max(worst, performance.now() - began);
      if (!answer.ok || text.includes('"error"')) throw new Error(`HTTP ${answer.status} ${text}`);
      await sleep(50);
    }
    return Math.round(worst);
  };
  const params = { name: "look", arguments: { call: "watched" } };
  const both = Promise.all([
    slowest(() => fetch(`${site.url}/healthz`)),
    slowest(() =>
      fetch(`${site.url}/servers/counter/mcp`, {
        method: "POST",
        headers: {
          "content-type": "application/json",
          "mcp-protocol-version": "2025-11-25",
          "vitrine-view": ticket,
        },
        body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params }),
      }),
    ),
  ]);
  // A failure is reported by `stop`; until then nobody waits for this promise.
  both.catch(() => {});
  return {
    stop: async () => {
      isOver = true;
      const [health, call] = await both;
      return { health, call };
    },
  };
}

/** Matches a result in which every request was answered. */
const all = (answered: number): unknown => expect.objectContaining({ answered, reasons: {} });

function report(what: string, { median, last }: Settled, worst: { health: number; call: number }) {
  console.log(
    `${VIEWS} Views ${what}: half back after ${median} ms, the last after ${last} ms; slowest response during that time: health ${worst.health} ms, a call ${worst.call} ms`,
  );
}

test(`${VIEWS} Views that reconnect at once all resume with their tickets, while others are served`, {
  timeout: 480_000,
}, async () => {
  const site = await openSite();
  let gateway = await startGateway(site, { program: PROGRAM });
  const clients = startChild(commandOf(CLIENTS, site.url, TOKEN, `${VIEWS}`, `${WAITING}`));
  const tell = (line: string): void => void clients.process.stdin?.write(`${line}\n`);
  const received = async (what: string): Promise<Settled> => {
    const line = await clients.said(`${what} `);
    clients.lines.splice(clients.lines.indexOf(line), 1);
    return JSON.parse(line.slice(what.length + 1)) as Settled;
  };
  expect(await received("open")).toEqual(all(VIEWS));
  const ticket = await site.ticket();

  tell("call");
  await received("called");
  await expect
    .poll(async () => (await site.journal()).length, { timeout: 10_000 })
    .toBeGreaterThanOrEqual(WAITING);
  let watched = watch(site, ticket);
  process.kill(gateway.pid, "SIGUSR2");
  tell("ask");
  // Their answers came while nobody was there to take them.
  expect(await received("waiting")).toEqual(all(WAITING));
  const cut = await received("back");
  let worst = await watched.stop();
  report("cut off", cut, worst);
  expect(cut).toEqual(all(VIEWS));
  expect(worst.health).toBeLessThan(SLOWEST);
  expect(worst.call).toBeLessThan(2 * SLOWEST);

  await gateway.end("SIGKILL");
  tell("ask");
  gateway = await startGateway(site, { program: PROGRAM });
  watched = watch(site, ticket);
  const killed = await received("back");
  worst = await watched.stop();
  report("of a gateway that was killed", killed, worst);
  expect(killed).toEqual(all(VIEWS));
  expect(worst.health).toBeLessThan(SLOWEST);
  expect(worst.call).toBeLessThan(2 * SLOWEST);

  // Nobody needed another ticket: a View is opened by reading it.
  const opened = (await site.records()).filter(({ method }) => method === "resources/read");
  expect(opened.filter(({ event }) => event === "request").length).toBe(VIEWS + 1);
  tell("exit");
  await gateway.end("SIGTERM");
});
