// What goes wrong with a gateway's process.

import { once } from "node:events";
import { WebSocket } from "ws";
import type { Fault } from "./fault.ts";
import type { GatewayProcess } from "./gateway-child.ts";

/** Killed at once; started again to heal. */
export function killed(gateway: GatewayProcess): Fault {
  return {
    name: `${gateway.name} is killed`,
    inject: () => gateway.end("SIGKILL"),
    heal: () => gateway.start({ tries: 3 }),
  };
}

/** Stopped where it is, with all its threads and its clock. */
export function stopped(gateway: GatewayProcess): Fault {
  return {
    name: `${gateway.name} is stopped`,
    inject: () => gateway.signal("SIGSTOP"),
    heal: () => gateway.signal("SIGCONT"),
  };
}

/** Its event loop turns no more for some milliseconds, while the rest of the process lives. */
export function blocked(gateway: GatewayProcess, time: number): Fault {
  let isOver: Promise<unknown> | undefined;
  return {
    name: `${gateway.name} has its event loop blocked`,
    inject: async () => {
      const inspector = await inspect(gateway);
      const expression = `{ const end = performance.now() + ${time}; while (performance.now() < end); }`;
      const message = { id: 1, method: "Runtime.evaluate", params: { expression } };
      isOver = once(inspector, "message").then(() => inspector.close());
      inspector.send(JSON.stringify(message));
    },
    heal: async () => {
      await isOver;
    },
  };
}

/** The inspector, which Node opens on a signal. */
async function inspect(gateway: GatewayProcess): Promise<WebSocket> {
  const address = /Debugger listening on (ws:\S+)/;
  gateway.signal("SIGUSR1");
  let found = address.exec(gateway.output());
  for (let tries = 0; !found && tries < 250; tries++) {
    await new Promise((resolve) => setTimeout(resolve, 20));
    found = address.exec(gateway.output());
  }
  if (!found) throw new Error(`${gateway.name} opens no inspector.`);
  const inspector = new WebSocket(found[1] as string);
  await once(inspector, "open");
  return inspector;
}
