import type { WebSocket } from "ws";

/** Bytes that lie here before progress waits, and before the View counts as lost. */
const SLOW = 256 * 1024;
const STUCK = 2 ** 20;
const PATIENCE = 10_000;
const RETRY = 50;

/**
 * What is sent over one socket, with an eye on how much of it still lies here. There are as many of these as
 * Views, most of them idle: what only a slow one needs is made when it is slow.
 */
export class Outbox {
  readonly #socket: WebSocket;
  #waiting: Map<string, string> | undefined;
  #timer: NodeJS.Timeout | undefined;
  #stuckSince: number | undefined;

  constructor(socket: WebSocket) {
    this.#socket = socket;
  }

  send(text: string): void {
    if (this.#socket.readyState !== this.#socket.OPEN) return;
    this.#socket.send(text);
    if (this.#socket.bufferedAmount > STUCK) this.#watch();
  }

  /** A notification; progress that nobody has read yet is replaced by newer progress. */
  notify(text: string, method: string): void {
    if (this.#socket.bufferedAmount <= SLOW) {
      this.send(text);
      return;
    }
    // Of what cannot be sent now the newest is enough, and a log line can be spared.
    if (method === "notifications/progress") {
      this.#waiting ??= new Map();
      this.#waiting.set(tokenOf(text), text);
    }
    this.#watch();
  }

  close(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
    this.#waiting = undefined;
  }

  #watch(): void {
    this.#timer ??= setInterval(() => this.#look(), RETRY).unref();
  }

  #look(): void {
    const { bufferedAmount } = this.#socket;
    const now = performance.now();
    this.#stuckSince = bufferedAmount > STUCK ? (this.#stuckSince ?? now) : undefined;
    // 1013: try again later. Its answers are kept for a while; memory is everybody's.
    if (this.#stuckSince !== undefined && now - this.#stuckSince > PATIENCE) {
      this.#socket.close(1013, "too slow");
      this.#socket.terminate();
    }
    if (bufferedAmount > SLOW) return;
    const waiting = this.#waiting?.values() ?? [];
    this.close();
    for (const text of waiting) this.send(text);
  }
}

function tokenOf(text: string): string {
  const { params } = JSON.parse(text) as { params?: { progressToken?: unknown } };
  return `${typeof params?.progressToken}:${params?.progressToken}`;
}
