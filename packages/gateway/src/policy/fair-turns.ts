/** Messages of a tenant that start immediately in one turn of the event loop. */
const SLICE = 8;
/** Milliseconds of queued messages in one turn. */
const TIME = 4;

/**
 * Shares the event loop between tenants. A tenant's first messages in a turn of the loop start immediately;
 * further ones are queued and start round-robin by tenant. So a tenant that sends thousands of messages at
 * once delays another tenant's message by a few milliseconds only, whatever its limits are.
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
    for (const end = performance.now() + TIME; performance.now() < end; ) {
      const [next] = this.#queues;
      if (!next) return;
      const [tenant, queue] = next;
      const start = queue.shift();
      // Move the tenant to the end if it has more messages.
      this.#queues.delete(tenant);
      if (queue.length > 0) this.#queues.set(tenant, queue);
      start?.();
    }
    if (this.#queues.size > 0) this.#schedule();
  }
}
