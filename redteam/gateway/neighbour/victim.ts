import { setTimeout as sleep } from "node:timers/promises";
import type { GatewayClient } from "../stage/client.ts";
import type { StagedGateway } from "../stage/stage.ts";

/** How long a tenant waited for its calls, in milliseconds. */
export interface Waits {
  readonly p99: number;
  readonly calls: number;
  readonly failed: number;
  /** What the first failed call said. */
  readonly failure: string;
  /** The longest wait for `/healthz`. */
  readonly health: number;
}

const AT_ONCE = 4;
const PAUSE = 15;
const PATIENCE = 20_000;

/** The tenant that is attacked: it calls a tool all the time and measures how long that takes. */
export class Victim {
  readonly user = "alice";
  /** Calls that were answered with a result so far. */
  answered = 0;
  readonly #client: GatewayClient;
  readonly #health: string;

  constructor(gateway: StagedGateway) {
    this.#client = gateway.client("acme", this.user);
    this.#health = `${gateway.operator}/healthz`;
  }

  /** Measures for a time; calls that are still under way then are waited for. */
  async measure(milliseconds: number): Promise<Waits> {
    const end = performance.now() + milliseconds;
    const times: number[] = [];
    const failures: string[] = [];
    const call = async (): Promise<void> => {
      while (performance.now() < end) {
        const before = performance.now();
        const failure = await this.#call();
        times.push(performance.now() - before);
        if (failure === undefined) this.answered += 1;
        else failures.push(failure);
        await sleep(PAUSE);
      }
    };
    let health = 0;
    const probe = async (): Promise<void> => {
      while (performance.now() < end) {
        const before = performance.now();
        const signal = AbortSignal.timeout(PATIENCE);
        await fetch(this.#health, { signal }).then(
          (answer) => answer.text(),
          () => {},
        );
        health = Math.max(health, performance.now() - before);
        await sleep(100);
      }
    };
    await Promise.all([...Array.from({ length: AT_ONCE }, call), probe()]);
    times.sort((one, other) => one - other);
    return {
      p99: times[Math.floor(times.length * 0.99)] ?? Number.POSITIVE_INFINITY,
      calls: times.length - failures.length,
      failed: failures.length,
      failure: failures[0] ?? "",
      health,
    };
  }

  /** Nothing, or why the call failed. */
  async #call(): Promise<string | undefined> {
    try {
      const { status, text } = await this.#client.call("go", "open");
      return status === 200 && text.includes("ran open") ? undefined : text.slice(0, 120);
    } catch (error) {
      return (error as Error).message;
    }
  }
}
