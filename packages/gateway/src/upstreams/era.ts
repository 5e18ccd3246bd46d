import { MODERN_VERSION } from "./frames/envelope.ts";
import type { DiscoverResult } from "./upstream.ts";

/** What a server was found to speak. */
export type EraFinding =
  | { era: "modern"; discovered?: DiscoverResult }
  | { era: "legacy"; transport: "http" | "sse" | "stdio" };

/** A finding and the time (of the wall clock, other processes read it) until which it holds. */
export type EraVerdict = EraFinding & { until: number };

/** Where verdicts can be shared between processes. */
export interface EraStore {
  get(key: string): Promise<EraVerdict | undefined>;
  put(key: string, verdict: EraVerdict): Promise<void>;
}

/** How long a verdict holds. */
export interface EraOptions {
  /** Milliseconds. */
  modernFor?: number;
  legacyFor?: number;
  /** Milliseconds between two looks that were caused by doubt. */
  doubtEvery?: number;
  most?: number;
  store?: EraStore;
  now?: () => number;
}

const HOUR = 3_600_000;

/**
 * Which era each (server, credential) is of. A server is asked once, however many wait for it. A legacy
 * verdict expires after a day at most: it would otherwise hold for ever, since such a server never objects.
 */
export class EraCache {
  readonly #options: Required<Omit<EraOptions, "store">> & Pick<EraOptions, "store">;
  readonly #verdicts = new Map<string, EraVerdict>();
  readonly #looks = new Map<string, Promise<EraVerdict>>();
  readonly #doubts = new Map<string, number>();

  constructor(options: EraOptions = {}) {
    this.#options = {
      modernFor: HOUR,
      legacyFor: 24 * HOUR,
      doubtEvery: 5000,
      most: 10_000,
      now: Date.now,
      ...options,
    };
  }

  /** The verdict for `key`; looks if there is none that holds. */
  of(key: string, look: () => Promise<EraFinding>): Promise<EraVerdict> {
    const verdict = this.known(key);
    if (verdict) return Promise.resolve(verdict);
    let looking = this.#looks.get(key);
    if (!looking) {
      looking = this.#look(key, look).finally(() => this.#looks.delete(key));
      this.#looks.set(key, looking);
    }
    return looking;
  }

  /** The verdict for `key`, if there is one that holds. */
  known(key: string): EraVerdict | undefined {
    const verdict = this.#verdicts.get(key);
    return verdict && verdict.until > this.#options.now() ? verdict : undefined;
  }

  /** The server acts as if the verdict were wrong: the next caller looks again. */
  doubt(key: string): void {
    const now = this.#options.now();
    if (now - (this.#doubts.get(key) ?? Number.NEGATIVE_INFINITY) < this.#options.doubtEvery)
      return;
    keep(this.#doubts, key, now, this.#options.most);
    const verdict = this.#verdicts.get(key);
    if (verdict) this.#verdicts.set(key, { ...verdict, until: 0 });
  }

  async #look(key: string, look: () => Promise<EraFinding>): Promise<EraVerdict> {
    const { now, store, most } = this.#options;
    const isDoubted = this.#verdicts.get(key)?.until === 0;
    const shared = isDoubted ? undefined : await store?.get(key);
    const isGood = shared && shared.until > now();
    const verdict = isGood ? shared : this.#judge(await look());
    keep(this.#verdicts, key, verdict, most);
    if (!isGood) await store?.put(key, verdict);
    return verdict;
  }

  #judge(finding: EraFinding): EraVerdict {
    const { modernFor, legacyFor, now } = this.#options;
    const time = finding.era === "modern" ? modernFor : Math.min(legacyFor, 24 * HOUR);
    return { ...finding, until: now() + time };
  }
}

function keep<T>(map: Map<string, T>, key: string, value: T, most: number): void {
  map.delete(key);
  map.set(key, value);
  const [oldest] = map.keys();
  if (map.size > most && oldest !== undefined) map.delete(oldest);
}

/** True if one of the versions is of the era without a handshake; versions are dates. */
export function hasModernVersion(versions: unknown): boolean {
  return (
    Array.isArray(versions) &&
    versions.some((version) => typeof version === "string" && version >= MODERN_VERSION)
  );
}
