// Callers behind a load balancer that checks `/readyz`: each call goes to a gateway that is ready, in turn. A gateway
// that announces its end gets no more calls, so a planned restart must not fail any.

import type { CallResult } from "./load.ts";
import { sleep, until } from "./row.ts";
import type { Site } from "./site.ts";

const CHECK_INTERVAL = 50;
const SERVERS = ["recorder", "modern"] as const;

let loads = 0;

/** A load that survives planned restarts. */
export class RollingLoad {
  readonly results: CallResult[] = [];
  readonly #site: Site;
  readonly #running: Promise<void>[] = [];
  #ready: readonly number[] = [];
  #turn = 0;
  #isOver = false;

  constructor(site: Site, { callers = 4 }: { callers?: number } = {}) {
    this.#site = site;
    this.#running.push(this.#check());
    const load = ++loads;
    for (const server of SERVERS) {
      for (let caller = 0; caller < callers; caller++) {
        this.#running.push(this.#call(server, `r${load}:${server}:${caller}`));
      }
    }
  }

  /** Waits until a gateway gets calls, or no longer does. */
  async untilReady(place: number, isReady = true): Promise<void> {
    await until(() => this.#ready.includes(place) === isReady, 60_000);
  }

  /** Waits for so many more results. */
  async more(count: number): Promise<void> {
    const goal = this.results.length + count;
    await until(() => this.results.length >= goal, 60_000);
  }

  async end(): Promise<void> {
    this.#isOver = true;
    await Promise.all(this.#running);
  }

  /** The results that aren't answers. */
  get failures(): CallResult[] {
    return this.results.filter(({ outcome }) => outcome !== "answered");
  }

  async #check(): Promise<void> {
    while (!this.#isOver) {
      const checks = this.#site.gateways.map(async ({ operator }, place) => {
        const options = { signal: AbortSignal.timeout(2_000) };
        const status = await fetch(`${operator}/readyz`, options).then(
          (response) => response.status,
          () => 0,
        );
        return status === 200 ? [place] : [];
      });
      this.#ready = (await Promise.all(checks)).flat();
      await sleep(CHECK_INTERVAL);
    }
  }

  async #call(server: CallResult["server"], name: string): Promise<void> {
    for (let n = 0; !this.#isOver; ) {
      const where = this.#ready[this.#turn++ % Math.max(1, this.#ready.length)];
      if (where !== undefined) {
        const call = `${name}:${n++}`;
        const given = server === "recorder" ? { wait: 10 } : {};
        const result = await this.#site.call(where, server, call, given);
        this.results.push({ where, server, call, at: Date.now(), ...result });
      }
      await sleep(10);
    }
  }
}
