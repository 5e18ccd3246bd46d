import { MODERN_VERSION } from "./frames/request-meta.ts";

/** The protocol era that a server was found to support. */
export type EraFinding = { era: "modern" } | { era: "legacy"; transport: "http" | "sse" | "stdio" };

/** A finding and when it expires. */
export type EraVerdict = EraFinding & { until: number };

const HOUR = 3_600_000;
/** Milliseconds that a verdict is valid. */
const VALID = { modern: HOUR, legacy: 24 * HOUR };
/** Minimum milliseconds between two probes that were caused by doubt. */
const DOUBT_EVERY = 5000;
const MOST = 10_000;

/**
 * The era of each server and credential. A server is probed once, however many calls wait for it. A legacy
 * verdict expires after a day. Otherwise it would last for ever, because such a server never objects.
 */
export class EraCache {
  readonly #now: () => number;
  readonly #verdicts = new Map<string, EraVerdict>();
  readonly #looks = new Map<string, Promise<EraVerdict>>();
  readonly #doubts = new Map<string, number>();

  constructor({ now = Date.now }: { now?: () => number } = {}) {
    this.#now = now;
  }

  /** The verdict for `key`. Probes if there is no valid one. */
  of(key: string, probe: () => Promise<EraFinding>): Promise<EraVerdict> {
    const verdict = this.known(key);
    if (verdict) return Promise.resolve(verdict);
    let looking = this.#looks.get(key);
    if (!looking) {
      looking = this.#probe(key, probe).finally(() => this.#looks.delete(key));
      this.#looks.set(key, looking);
    }
    return looking;
  }

  /** The verdict for `key`, if there is a valid one. */
  known(key: string): EraVerdict | undefined {
    const verdict = this.#verdicts.get(key);
    return verdict && verdict.until > this.#now() ? verdict : undefined;
  }

  /** Called if the server behaves as if the verdict were wrong. The next call probes again. */
  doubt(key: string): void {
    const now = this.#now();
    if (now - (this.#doubts.get(key) ?? Number.NEGATIVE_INFINITY) < DOUBT_EVERY) return;
    keep(this.#doubts, key, now);
    const verdict = this.#verdicts.get(key);
    if (verdict) this.#verdicts.set(key, { ...verdict, until: 0 });
  }

  async #probe(key: string, probe: () => Promise<EraFinding>): Promise<EraVerdict> {
    const finding = await probe();
    const verdict = { ...finding, until: this.#now() + VALID[finding.era] };
    keep(this.#verdicts, key, verdict);
    return verdict;
  }
}

function keep<T>(map: Map<string, T>, key: string, value: T): void {
  map.delete(key);
  map.set(key, value);
  const [oldest] = map.keys();
  if (map.size > MOST && oldest !== undefined) map.delete(oldest);
}

/** Whether one of the versions is of the era without a handshake. Versions are dates. */
export function hasModernVersion(versions: unknown): boolean {
  return (
    Array.isArray(versions) &&
    versions.some((version) => typeof version === "string" && version >= MODERN_VERSION)
  );
}
