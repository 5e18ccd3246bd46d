import type { KeyedLeg, Listening, News } from "./leg.ts";
import { UpstreamError, type UpstreamEvent, type UpstreamScope } from "./upstream.ts";

/** Where news come from. */
type NewsSource = Pick<KeyedLeg, "listen" | "newsKey">;
type Listener = (event: UpstreamEvent) => void;

interface Subscription {
  readonly listeners: Map<Listener, readonly string[]>;
  readonly scope: UpstreamScope;
  stop(): void;
}

const LONGEST_WAIT = 60_000;
// A server that does not know how to be listened to may be replaced by one that does.
const REFUSED_WAIT = 3_600_000;
const LISTS = ["tools", "resources", "prompts"] as const;
/** Streams of news to one server; who comes later lives by `ttlMs`. */
const MOST_STREAMS = 1024;

/** One stream of news for each credential, shared by all who listen with it, and opened again when lost. */
export class NewsRoom {
  readonly #leg: NewsSource;
  readonly #server: string;
  readonly #wait: number;
  readonly #subscriptions = new Map<string, Subscription>();

  constructor(leg: NewsSource, { server, wait }: { server: string; wait: number }) {
    this.#leg = leg;
    this.#server = server;
    this.#wait = wait;
  }

  join(scope: UpstreamScope, resources: readonly string[], fn: Listener): () => void {
    const key = this.#leg.newsKey(scope);
    let subscription = this.#subscriptions.get(key);
    // Each listener is its own, even when two share a function.
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
    const tell = (news: News): void => {
      for (const listener of [...listeners.keys()]) {
        try {
          listener({ server: this.#server, ...news });
        } catch {
          // One that fails must not cost the others their stream.
        }
      }
    };
    void this.#loop({ scope, resources, tell, signal: controller.signal }, isLate);
    return { listeners, scope, stop: () => controller.abort() };
  }

  async #loop(job: Job, isRestart: boolean): Promise<void> {
    let wait = this.#wait;
    let isLate = isRestart;
    while (!job.signal.aborted) {
      const listening = await this.#open(job);
      if (typeof listening === "object") {
        wait = listening.isHeard ? this.#wait : REFUSED_WAIT;
        // Whatever changed while nobody listened was told to nobody.
        if (isLate) tellAll(job);
        await listening.closed;
      } else wait = listening === "refused" ? REFUSED_WAIT : Math.min(2 * wait, LONGEST_WAIT);
      isLate = true;
      await pause(wait * (0.5 + Math.random()), job.signal);
    }
  }

  async #open({ scope, resources, tell, signal }: Job): Promise<Listening | "refused" | "lost"> {
    try {
      const listening = await this.#leg.listen(scope, resources, (news) => {
        if (!signal.aborted) tell(news);
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
  tell(news: News): void;
  signal: AbortSignal;
}

function tellAll({ resources, tell }: Job): void {
  for (const kind of LISTS) tell({ kind });
  for (const uri of resources) tell({ kind: "resource", uri });
}

function pause(time: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve();
    const end = (): void => {
      clearTimeout(timer);
      signal.removeEventListener("abort", end);
      resolve();
    };
    const timer = setTimeout(end, time);
    signal.addEventListener("abort", end, { once: true });
  });
}
