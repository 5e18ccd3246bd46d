import type { Fault } from "./fault.ts";
import { isAlive } from "./row.ts";
import type { Site } from "./site.ts";

/** The program's process dies; its owner starts another when somebody calls it. */
export function crashed(site: Site): Fault {
  return {
    name: "the process of a program crashes",
    inject: () => {
      const life = site.lives().findLast(({ process }) => isAlive(process));
      if (life) process.kill(life.process, "SIGKILL");
    },
    heal: () => {},
  };
}
