import { now } from "../monotonic-clock.ts";

/** Messages of a tenant that are started at once in one turn of the event loop. */
const SLICE = 8;
/** Milliseconds of queued messages in one turn. */
const TIME = 4;

/**
 * Shares the event loop between tenants. The first messages of a tenant in a turn of the loop start at once;
 * its further ones wait, and are started one of each tenant after the other. So a tenant that sends
 * thousands of messages at once delays another one's by a few milliseconds, whatever its limits are.
 */
export class FairTurns {
  readonly #queues = new Map<string, (() => void)[]>();
  /** Messages that each tenant started in this turn. */
  readonly #started = new Map<string, number>();
  #isScheduled = false;

  /** Calls `start` now or in a later turn. */
  run(tenant: string, start: () => void): void {
    this.#schedule();
    const queue = this.#queues.get(tenant);
    const started = this.#started.get(tenant) ?? 0;
    if (queue) queue.push(start);
    else if (started >= SLICE) this.#queues.set(tenant, [start]);
    else {
      this.#started.set(tenant, started + 1);
      start();
    }
  }

  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    setImmediate(() => this.#turn());
  }

  #turn(): void {
    this.#isScheduled = false;
    this.#started.clear();
    for (const end = now() + TIME; now() < end; ) {
      const [next] = this.#queues;
      if (!next) return;
      const [tenant, queue] = next;
      const start = queue.shift();
      // To the end, if there is more of it: the next is another tenant's.
      this.#queues.delete(tenant);
      if (queue.length > 0) this.#queues.set(tenant, queue);
      start?.();
    }
    if (this.#queues.size > 0) this.#schedule();
  }
}
