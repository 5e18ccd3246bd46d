import type { DecodedStep } from "./chain.ts";

/** What a key of the audit log made. */
export interface KeyUse {
  readonly id: string;
  readonly steps: number;
  /** Times of its first and its last step. */
  readonly from: string;
  readonly to: string;
  /** Whether it is one of the keys to verify with. */
  readonly isKnown: boolean;
}

/** Counts the steps of each key. */
export class KeyUses {
  readonly #uses = new Map<string, KeyUse>();

  add({ key, head: { time }, isKeyKnown: isKnown }: DecodedStep): void {
    if (key === undefined) return;
    const { steps = 0, from = time, to = time } = this.#uses.get(key) ?? {};
    const [first, last] = [time < from ? time : from, time > to ? time : to];
    this.#uses.set(key, { id: key, steps: steps + 1, from: first, to: last, isKnown });
  }

  list(): KeyUse[] {
    return [...this.#uses.values()].sort((a, b) => (a.from < b.from ? -1 : 1));
  }
}
