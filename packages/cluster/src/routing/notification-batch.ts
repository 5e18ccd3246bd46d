const PROGRESS = "notifications/progress";
const WAIT = 20;
const MOST = 16;

/** Notifications of one call. A server that floods its caller with progress costs a message every 20 ms. */
export class NotificationBatch {
  readonly #send: (texts: readonly string[]) => void;
  #notifications: { method: string; text: string }[] = [];
  #timer: NodeJS.Timeout | undefined;

  constructor(send: (texts: readonly string[]) => void) {
    this.#send = send;
  }

  add(method: string, text: string): void {
    if (this.#notifications.length >= MOST) {
      // The latest progress replaces an earlier one; other notifications beyond the limit are dropped.
      const last = this.#notifications.findLastIndex((each) => each.method === PROGRESS);
      if (last < 0 || method !== PROGRESS) return;
      this.#notifications.splice(last, 1);
    }
    this.#notifications.push({ method, text });
    this.#timer ??= setTimeout(() => this.#send(this.take()), WAIT);
  }

  /** Takes what wasn't sent yet, so that it travels with the response. */
  take(): string[] {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const texts = this.#notifications.map(({ text }) => text);
    this.#notifications = [];
    return texts;
  }
}
