import type { Heard, Site } from "./site.ts";

/** Something that a caller was told. */
export interface Told extends Heard {
  where: number;
  server: string;
  call: string;
  /** When it was told, since 1970. */
  at: number;
}

/** How hard to press. */
export interface LoadOptions {
  /** Callers at each gateway, for each server. */
  callers?: number;
  servers?: readonly ("witness" | "modern")[];
  /** Milliseconds between two calls of a caller. */
  pause?: number;
  /** Milliseconds that a call of the program takes. */
  wait?: number;
  gateways?: readonly number[];
}

let loads = 0;

/** Callers that call again and again, and what they were told. */
export class Load {
  readonly told: Told[] = [];
  readonly #running: Promise<void>[] = [];
  #isOver = false;

  constructor(site: Site, options: LoadOptions = {}) {
    const { callers = 2, servers = ["witness", "modern"], gateways = [0, 1, 2] } = options;
    const { pause = 20, wait = 10 } = options;
    const load = ++loads;
    for (const where of gateways) {
      for (const server of servers) {
        for (let caller = 0; caller < callers; caller++) {
          // By colons: what else has letters and digits and is that long is a secret to the audit log.
          const name = `l${load}:g${where}:${server}:${caller}`;
          this.#running.push(this.#run(site, { where, server, name, pause, wait }));
        }
      }
    }
  }

  /** Waits until something was told `count` times since now. */
  async until(
    isMeant: (told: Told) => boolean,
    { count = 1, time = 60_000 }: { count?: number; time?: number } = {},
  ): Promise<number> {
    const before = performance.now();
    const from = this.told.length;
    while (this.told.slice(from).filter(isMeant).length < count) {
      if (performance.now() - before > time) throw new Error(`It was not told within ${time} ms.`);
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
    return performance.now() - before;
  }

  async end(): Promise<void> {
    this.#isOver = true;
    await Promise.all(this.#running);
  }

  async #run(
    site: Site,
    on: Pick<Told, "where" | "server"> & { name: string; pause: number; wait: number },
  ): Promise<void> {
    const { where, server, name, pause, wait } = on;
    for (let n = 0; !this.#isOver; n++) {
      const call = `${name}:${n}`;
      const heard = await site.call(where, server, call, server === "witness" ? { wait } : {});
      this.told.push({ where, server, call, at: Date.now(), ...heard });
      const isDead = heard.outcome === "refused-connection";
      await new Promise((resolve) => setTimeout(resolve, isDead ? 200 : pause));
    }
  }
}
