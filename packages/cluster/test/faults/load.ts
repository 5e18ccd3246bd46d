import type { CallOutcome, Site } from "./site.ts";

/** The result of a call, as its caller saw it. */
export interface CallResult extends CallOutcome {
  where: number;
  server: string;
  call: string;
  /** When the result arrived, in milliseconds since 1970. */
  at: number;
}

/** How many callers, and how often they call. */
export interface LoadOptions {
  /** Callers at each gateway, for each server. */
  callers?: number;
  servers?: readonly ("recorder" | "modern")[];
  /** Milliseconds between two calls of a caller. */
  pause?: number;
  /** Milliseconds that a call of the program takes. */
  wait?: number;
  gateways?: readonly number[];
}

let loads = 0;

/** Callers that repeat their calls, and the results. */
export class Load {
  readonly results: CallResult[] = [];
  readonly #running: Promise<void>[] = [];
  #isOver = false;

  constructor(site: Site, options: LoadOptions = {}) {
    const { callers = 2, servers = ["recorder", "modern"], gateways = [0, 1, 2] } = options;
    const { pause = 20, wait = 10 } = options;
    const load = ++loads;
    for (const where of gateways) {
      for (const server of servers) {
        for (let caller = 0; caller < callers; caller++) {
          // With colons, because the audit log redacts other long texts of letters and digits as secrets.
          const name = `l${load}:g${where}:${server}:${caller}`;
          this.#running.push(this.#run(site, { where, server, name, pause, wait }));
        }
      }
    }
  }

  /** Waits until `count` new results match. */
  async until(
    isMeant: (result: CallResult) => boolean,
    { count = 1, time = 60_000 }: { count?: number; time?: number } = {},
  ): Promise<number> {
    const before = performance.now();
    const from = this.results.length;
    while (this.results.slice(from).filter(isMeant).length < count) {
      if (performance.now() - before > time)
        throw new Error(`The expected results didn't arrive within ${time} ms.`);
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
    on: Pick<CallResult, "where" | "server"> & { name: string; pause: number; wait: number },
  ): Promise<void> {
    const { where, server, name, pause, wait } = on;
    for (let n = 0; !this.#isOver; n++) {
      const call = `${name}:${n}`;
      const result = await site.call(where, server, call, server === "recorder" ? { wait } : {});
      this.results.push({ where, server, call, at: Date.now(), ...result });
      const isDead = result.outcome === "refused-connection";
      await new Promise((resolve) => setTimeout(resolve, isDead ? 200 : pause));
    }
  }
}
