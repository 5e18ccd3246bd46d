const PER_MINUTE = 240;
const BURST = 240;
const MINUTE = 60_000;
const SWEEP = 4096;

/** Limits how many receipts a view may send: about twice what its host lets it do. */
export class ReceiptRate {
  /** For each view, when all receipts it sent so far are paid for. */
  readonly #paid = new Map<string, number>();
  readonly #clock: () => number;

  constructor(clock: () => number = () => performance.now()) {
    this.#clock = clock;
  }

  /** Returns 0 and counts the receipts, or the seconds to wait. */
  take(view: string, count: number): number {
    const at = this.#clock();
    const each = MINUTE / PER_MINUTE;
    const until = Math.max(this.#paid.get(view) ?? 0, at) + count * each;
    const over = until - at - BURST * each;
    if (over > 0) return Math.ceil(over / 1000);
    if (this.#paid.size >= SWEEP) this.#sweep(at);
    this.#paid.set(view, until);
    return 0;
  }

  #sweep(at: number): void {
    for (const [view, until] of this.#paid) if (until < at) this.#paid.delete(view);
  }
}
