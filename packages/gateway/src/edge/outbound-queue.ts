import type { JsonRpcNotification } from "@vitrine/protocol";
import type { WebSocket } from "ws";
import { type MessageText, serialize } from "../json-rpc/serialize.ts";
import type { Meter } from "../policy/traffic.ts";

/** Unsent bytes at which progress is delayed, and at which the View is disconnected. */
const SLOW = 256 * 1024;
const STUCK = 2 ** 20;
const PATIENCE = 10_000;
const RETRY = 50;

/** Sends messages over one socket and limits the bytes that wait for a slow reader. */
export class OutboundQueue {
  readonly #socket: WebSocket;
  #waiting: Map<string, MessageText> | undefined;
  #timer: NodeJS.Timeout | undefined;
  #stuckSince: number | undefined;
  readonly #meter: Meter;
  /** Unsent bytes that the meter counts. */
  #unread = 0;

  constructor(socket: WebSocket, meter: Meter) {
    this.#socket = socket;
    this.#meter = meter;
  }

  /** Whether so many bytes are unsent that no more messages should be read. */
  get isClogged(): boolean {
    return this.#socket.bufferedAmount > STUCK;
  }

  send(text: MessageText): void {
    // Progress must not arrive after its response.
    if (this.#waiting) this.#sendWaiting();
    if (this.#socket.readyState !== this.#socket.OPEN) return;
    if (this.#unread > 0 && !this.#count()) {
      this.#lose();
      return;
    }
    this.#meter.spend(text.length);
    this.#socket.send(text);
    if (this.#socket.bufferedAmount > SLOW) {
      this.#count();
      this.#watch();
    }
  }

  /** Sends a notification. While the reader is slow, newer progress replaces older progress. */
  notify(notification: JsonRpcNotification): void {
    if (this.#socket.bufferedAmount <= SLOW) {
      this.send(serialize(notification));
      return;
    }
    // A slow reader gets the newest progress only, and no log messages.
    if (notification.method === "notifications/progress") {
      this.#waiting ??= new Map();
      this.#waiting.set(tokenOf(notification), serialize(notification));
    }
    this.#watch();
  }

  close(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
    this.#waiting = undefined;
    this.#meter.release("unread", this.#unread);
    this.#unread = 0;
  }

  /** Counts the unsent bytes for the user. Returns false if the user exceeds the limit. */
  #count(): boolean {
    const { bufferedAmount } = this.#socket;
    this.#meter.release("unread", this.#unread);
    this.#unread = 0;
    if (!this.#meter.hold("unread", bufferedAmount)) return false;
    this.#unread = bufferedAmount;
    return true;
  }

  /** 1013: try again later. The resume buffer keeps the responses for a while. */
  #lose(): void {
    this.#socket.close(1013, "too slow");
    this.#socket.terminate();
  }

  #watch(): void {
    this.#timer ??= setInterval(() => this.#check(), RETRY).unref();
  }

  #check(): void {
    const { bufferedAmount } = this.#socket;
    const now = performance.now();
    this.#stuckSince = bufferedAmount > STUCK ? (this.#stuckSince ?? now) : undefined;
    const isStuck = this.#stuckSince !== undefined && now - this.#stuckSince > PATIENCE;
    if (isStuck || !this.#count()) this.#lose();
    if (bufferedAmount > SLOW) return;
    const waiting = this.#waiting;
    this.close();
    this.#waiting = waiting;
    this.#sendWaiting();
  }

  #sendWaiting(): void {
    const waiting = this.#waiting?.values() ?? [];
    this.#waiting = undefined;
    for (const text of waiting) this.send(text);
  }
}

function tokenOf({ params }: JsonRpcNotification): string {
  const { progressToken } = Object(params) as { progressToken?: unknown };
  return `${typeof progressToken}:${progressToken}`;
}
