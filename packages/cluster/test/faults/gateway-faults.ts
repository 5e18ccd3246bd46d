// Faults of a gateway's process.

import type { Fault } from "./fault.ts";
import type { GatewayProcess } from "./gateway-child.ts";
import { Inspector } from "./inspector.ts";

/** Kills the gateway; heals by starting it again. */
export function killed(gateway: GatewayProcess): Fault {
  return {
    name: `${gateway.name} is killed`,
    inject: () => gateway.end("SIGKILL"),
    heal: () => gateway.start({ tries: 3 }),
  };
}

/** Stops the process with all its threads. */
export function stopped(gateway: GatewayProcess): Fault {
  return {
    name: `${gateway.name} is stopped`,
    inject: () => gateway.signal("SIGSTOP"),
    heal: () => gateway.signal("SIGCONT"),
  };
}

/** Blocks the event loop for some milliseconds; other threads continue. */
export function blocked(gateway: GatewayProcess, time: number): Fault {
  let isOver: Promise<unknown> | undefined;
  return {
    name: `${gateway.name} has its event loop blocked`,
    inject: async () => {
      const inspector = await Inspector.open(gateway);
      const expression = `{ const end = performance.now() + ${time}; while (performance.now() < end); }`;
      isOver = inspector.evaluate(expression).finally(() => inspector.close());
      // `heal` reports the error.
      isOver.catch(() => {});
    },
    heal: async () => {
      await isOver;
    },
  };
}
