import { setTimeout as sleep } from "node:timers/promises";
import type { KeyedTransport, Listening, ServerChange } from "./transport.ts";
import { UpstreamError, type UpstreamEvent, type UpstreamScope } from "./upstream.ts";

/** Where changes come from. */
type ChangeSource = Pick<KeyedTransport, "listen" | "changeKey">;
type Listener = (event: UpstreamEvent) => void;

interface Subscription {
  readonly listeners: Map<Listener, readonly string[]>;
  stop(): void;
}

const LONGEST_WAIT = 60_000;
// A server without subscriptions may be replaced by one that has them.
const REFUSED_WAIT = 3_600_000;
const LISTS = ["tools", "resources", "prompts"] as const;
/** Change streams per server. Further listeners rely on `ttlMs`. */
const MOST_STREAMS = 1024;

/**
 * One stream of changes per credential. All listeners with that credential share it, and it reconnects when
 * lost.
 */
export class ChangeFeed {
  readonly #transport: ChangeSource;
  readonly #server: string;
  readonly #wait: number;
  readonly #subscriptions = new Map<string, Subscription>();

  constructor(transport: ChangeSource, { server, wait }: { server: string; wait: number }) {
    this.#transport = transport;
    this.#server = server;
    this.#wait = wait;
  }

  join(scope: UpstreamScope, resources: readonly string[], fn: Listener): () => void {
    const key = this.#transport.changeKey(scope);
    let subscription = this.#subscriptions.get(key);
    // A wrapper, so that two listeners may share a function.
    const listener: Listener = (event) => fn(event);
    const listeners = subscription?.listeners ?? new Map<Listener, readonly string[]>();
    const isNew = resources.some((uri) => ![...listeners.values()].flat().includes(uri));
    listeners.set(listener, resources);
    if (!subscription || isNew) {
      if (!subscription && this.#subscriptions.size >= MOST_STREAMS) return () => {};
      const isLate = subscription !== undefined;
      subscription?.stop();
      subscription = this.#start(scope, listeners, isLate);
      this.#subscriptions.set(key, subscription);
    }
    return () => {
      if (!listeners.delete(listener) || listeners.size > 0) return;
      this.#subscriptions.get(key)?.stop();
      this.#subscriptions.delete(key);
    };
  }

  close(): void {
    for (const subscription of this.#subscriptions.values()) subscription.stop();
    this.#subscriptions.clear();
  }

  #start(
    scope: UpstreamScope,
    listeners: Map<Listener, readonly string[]>,
    isLate: boolean,
  ): Subscription {
    const controller = new AbortController();
    const resources = [...new Set([...listeners.values()].flat())];
    const notify = (change: ServerChange): void => {
      for (const listener of [...listeners.keys()]) {
        try {
          listener({ server: this.#server, ...change });
        } catch {
          // A failing listener must not break the stream for the others.
        }
      }
    };
    void this.#loop({ scope, resources, notify, signal: controller.signal }, isLate);
    return { listeners, stop: () => controller.abort() };
  }

  async #loop(job: Job, isRestart: boolean): Promise<void> {
    const { signal } = job;
    let wait = this.#wait;
    let isLate = isRestart;
    while (!signal.aborted) {
      const listening = await this.#open(job);
      if (typeof listening === "object") {
        wait = listening.sendsChanges ? this.#wait : REFUSED_WAIT;
        // Changes during the interruption were lost, so report that everything may have changed.
        if (isLate) notifyAll(job);
        await listening.closed;
      } else wait = listening === "refused" ? REFUSED_WAIT : Math.min(2 * wait, LONGEST_WAIT);
      isLate = true;
      await sleep(wait * (0.5 + Math.random()), undefined, { signal }).catch(() => {});
    }
  }

  async #open({ scope, resources, notify, signal }: Job): Promise<Listening | "refused" | "lost"> {
    try {
      const listening = await this.#transport.listen(scope, resources, (change) => {
        if (!signal.aborted) notify(change);
      });
      if (signal.aborted) listening.stop();
      else signal.addEventListener("abort", () => listening.stop(), { once: true });
      return listening;
    } catch (error) {
      const status = error instanceof UpstreamError ? error.facts.status : undefined;
      return status === 404 || status === 405 || status === 400 ? "refused" : "lost";
    }
  }
}

interface Job {
  scope: UpstreamScope;
  resources: readonly string[];
  notify(change: ServerChange): void;
  signal: AbortSignal;
}

function notifyAll({ resources, notify }: Job): void {
  for (const kind of LISTS) notify({ kind });
  for (const uri of resources) notify({ kind: "resource", uri });
}
