// What goes wrong with a gateway's process.

import type { Fault } from "./fault.ts";
import type { GatewayProcess } from "./gateway-child.ts";
import { Inspector } from "./inspector.ts";

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
      const inspector = await Inspector.open(gateway);
      const expression = `{ const end = performance.now() + ${time}; while (performance.now() < end); }`;
      isOver = inspector.evaluate(expression).finally(() => inspector.close());
      // Whoever heals hears of it.
      isOver.catch(() => {});
    },
    heal: async () => {
      await isOver;
    },
  };
}
