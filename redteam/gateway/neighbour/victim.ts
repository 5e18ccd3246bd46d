import { setTimeout as sleep } from "node:timers/promises";
import type { GatewayClient } from "../stage/client.ts";
import type { StagedGateway } from "../stage/stage.ts";

/** How long a tenant waited for its calls, in milliseconds. */
export interface Waits {
  readonly times: readonly number[];
  readonly p99: number;
  readonly calls: number;
  readonly failed: number;
  /** What the first failed call said. */
  readonly failure: string;
  /** The longest wait for `/healthz`. */
  readonly health: number;
}

/** Each stays within the limits that a user has by default, which hold for the attacker too. */
const USERS = 12;
const PERIOD = 65;
const PATIENCE = 20_000;

/** The tenant that is attacked: its users call a tool all the time and measure how long that takes. */
export class Victim {
  readonly users: readonly string[] = Array.from({ length: USERS }, (_, at) => `user-${at}`);
  /** Calls that were answered with a result so far. */
  answered = 0;
  readonly #clients: readonly GatewayClient[];
  readonly #health: string;

  constructor(gateway: StagedGateway) {
    this.#clients = this.users.map((user) => gateway.client("acme", user));
    this.#health = `${gateway.operator}/healthz`;
  }

  /** Measures for a time; calls that are still under way then are waited for. */
  async measure(milliseconds: number): Promise<Waits> {
    const end = performance.now() + milliseconds;
    const times: number[] = [];
    const failures: string[] = [];
    const call = async (client: GatewayClient): Promise<void> => {
      // Users of a product don't all click at the same moment.
      await sleep(Math.random() * PERIOD);
      while (performance.now() < end) {
        const before = performance.now();
        const failure = await callOnce(client);
        const time = performance.now() - before;
        times.push(time);
        if (failure === undefined) this.answered += 1;
        else failures.push(failure);
        await sleep(Math.max(0, PERIOD - time));
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
    await Promise.all([...this.#clients.map(call), probe()]);
    return {
      times,
      p99: p99Of(times),
      calls: times.length - failures.length,
      failed: failures.length,
      failure: failures[0] ?? "",
      health,
    };
  }
}

/** The time that one call in a hundred exceeds. */
export function p99Of(times: readonly number[]): number {
  const sorted = times.toSorted((one, other) => one - other);
  return sorted[Math.floor(sorted.length * 0.99)] ?? Number.POSITIVE_INFINITY;
}

/** Nothing, or why the call failed. */
async function callOnce(client: GatewayClient): Promise<string | undefined> {
  try {
    const { status, text } = await client.call("go", "open");
    return status === 200 && text.includes("ran open") ? undefined : text.slice(0, 120);
  } catch (error) {
    return (error as Error).message;
  }
}
