// Sends receipts to the gateway in batches. Loaded with the first receipt.

import type { ViewReceipt } from "./receipt.ts";

/** Where receipts go. */
export interface ReceiptOptions {
  url: URL;
  /** The view's ticket, which identifies their sender. */
  ticket(): Promise<string>;
  /** The trace id of the call that a request became. */
  traceOf(request: object): string | undefined;
}

/** Sends receipts. */
export interface ReceiptSender {
  add(receipt: ViewReceipt): void;
  /** Sends what is left, even if the page is being closed. */
  close(): void;
}

interface Waiting {
  readonly text: string;
  readonly count: number;
}

const PAUSE = 500;
const LONGEST_PAUSE = 60_000;
const BATCH = 50;
/** Characters of a batch: a request that outlives its page may have 64 KiB. */
const BATCH_SIZE = 48 * 1024;
const QUEUE = 500;
const QUEUE_SIZE = 512 * 1024;
/** Statuses after which the same batch may succeed later. */
/** Attempts to send a batch: for about half an hour, and briefly once the view is closed. */
const ATTEMPTS = 40;
const LAST_ATTEMPTS = 3;
const LATER: ReadonlySet<number> = new Set([401, 408, 429, 500, 502, 503, 504]);

/** Creates a sender. */
export function createReceiptSender(options: ReceiptOptions): ReceiptSender {
  const sender = new Sender(options);
  // The last chance on a phone: a hidden page may never run again.
  globalThis.document?.addEventListener("visibilitychange", () => {
    if (document.visibilityState === "hidden") void sender.send();
  });
  return sender;
}

class Sender implements ReceiptSender {
  readonly #options: ReceiptOptions;
  readonly #queue: Waiting[] = [];
  #size = 0;
  #lost = 0;
  #failures = 0;
  #isSending = false;
  #isClosed = false;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(options: ReceiptOptions) {
    this.#options = options;
  }

  add({ request, ...receipt }: ViewReceipt): void {
    const trace = this.#options.traceOf(request);
    this.#push({ ...receipt, size: sizeOf(receipt), at: Date.now(), trace });
    this.#sendLater();
  }

  close(): void {
    this.#isClosed = true;
    void this.send();
  }

  async send(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#isSending) return;
    const batch = this.#nextBatch();
    if (batch.length === 0) return;
    this.#isSending = true;
    const { url, ticket } = this.#options;
    const isTaken = await post(url, await ticket().catch(() => ""), batch).catch(() => false);
    this.#isSending = false;
    this.#settle(batch, isTaken);
    if (this.#queue.length > 0) this.#sendLater();
  }

  #settle(batch: readonly Waiting[], isTaken: boolean): void {
    this.#failures = isTaken ? 0 : this.#failures + 1;
    const isOver = this.#failures >= (this.#isClosed ? LAST_ATTEMPTS : ATTEMPTS);
    if (!isTaken && !isOver) return;
    if (isOver) this.#lost += batch.reduce((sum, { count }) => sum + count, 0);
    this.#queue.splice(0, batch.length);
    for (const { text } of batch) this.#size -= text.length;
    if (isOver && this.#isClosed) this.#queue.length = 0;
  }

  #push(receipt: object, count = 1): void {
    const text = JSON.stringify(receipt);
    if (this.#queue.length >= QUEUE || this.#size + text.length > QUEUE_SIZE) {
      this.#lost += count;
      return;
    }
    this.#queue.push({ text, count });
    this.#size += text.length;
  }

  #nextBatch(): Waiting[] {
    if (this.#lost > 0 && this.#queue.length < QUEUE) {
      const count = this.#lost;
      this.#lost = 0;
      this.#push({ kind: "lost", outcome: "failed", at: Date.now(), count }, count);
    }
    let chars = 0;
    const end = this.#queue.findIndex(({ text }, at) => {
      chars += text.length;
      return at === BATCH || (at > 0 && chars > BATCH_SIZE);
    });
    return this.#queue.slice(0, end < 0 ? undefined : end);
  }

  #sendLater(): void {
    const pause = Math.min(PAUSE * 2 ** this.#failures, LONGEST_PAUSE);
    this.#timer ??= setTimeout(() => void this.send(), pause);
  }
}

/** Whether the gateway took the batch, or never will. */
async function post(url: URL, ticket: string, batch: readonly Waiting[]): Promise<boolean> {
  const body = `{"receipts":[${batch.map(({ text }) => text).join(",")}]}`;
  const answer = await fetch(url, {
    method: "POST",
    headers: { "content-type": "application/json", "vitrine-view": ticket },
    body,
    credentials: "omit",
    referrerPolicy: "no-referrer",
    // Browsers limit the bytes that may outlive a page.
    keepalive: body.length < BATCH_SIZE,
  });
  return answer.ok || !LATER.has(answer.status);
}

function sizeOf({ size, content }: Pick<ViewReceipt, "size" | "content">): number | undefined {
  if (size !== undefined || content === undefined) return size;
  return new TextEncoder().encode(JSON.stringify(content)).length;
}
