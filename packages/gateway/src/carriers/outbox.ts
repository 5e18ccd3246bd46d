import type { Duplex } from "node:stream";
import type { JsonRpcNotification } from "@vitrine/protocol";
import type { WebSocket } from "ws";
import { type MessageText, serialize } from "../json-rpc/serialize.ts";
import type { Meter } from "../pipeline/traffic.ts";
import { textFrame } from "./text-frame.ts";

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
  readonly #wire: Duplex;
  #waiting: Map<string, MessageText> | undefined;
  #timer: NodeJS.Timeout | undefined;
  #stuckSince: number | undefined;
  readonly #meter: Meter;
  /** Bytes that lie here, as the meter has them. */
  #unread = 0;

  /** `wire` is what the socket writes to. Nothing is packed, so its frames and ours never mix. */
  constructor(socket: WebSocket, wire: Duplex, meter: Meter) {
    this.#socket = socket;
    this.#wire = wire;
    this.#meter = meter;
  }

  /** Whether so much lies here that nothing more should be asked for. */
  get isClogged(): boolean {
    return this.#wire.writableLength > STUCK;
  }

  send(text: MessageText): void {
    // Progress that comes after its answer is no progress.
    if (this.#waiting) this.#sendWaiting();
    if (this.#socket.readyState !== this.#socket.OPEN) return;
    if (this.#unread > 0 && !this.#count()) {
      this.#lose();
      return;
    }
    this.#meter.spend(text.length);
    const frame = textFrame(text);
    if (frame) this.#wire.write(frame);
    else this.#socket.send(text);
    if (this.#wire.writableLength > SLOW) {
      this.#count();
      this.#watch();
    }
  }

  /** A notification; progress that nobody has read yet is replaced by newer progress. */
  notify(notification: JsonRpcNotification): void {
    if (this.#wire.writableLength <= SLOW) {
      this.send(serialize(notification));
      return;
    }
    // Of what cannot be sent now the newest is enough, and a log line can be spared.
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

  /** Counts what lies here for the user; false if that is more than the user may have. */
  #count(): boolean {
    const { writableLength } = this.#wire;
    this.#meter.release("unread", this.#unread);
    this.#unread = 0;
    if (!this.#meter.hold("unread", writableLength)) return false;
    this.#unread = writableLength;
    return true;
  }

  /** 1013: try again later. Its answers are kept for a while; memory is everybody's. */
  #lose(): void {
    this.#socket.close(1013, "too slow");
    this.#socket.terminate();
  }

  #watch(): void {
    this.#timer ??= setInterval(() => this.#look(), RETRY).unref();
  }

  #look(): void {
    const { writableLength } = this.#wire;
    const now = performance.now();
    this.#stuckSince = writableLength > STUCK ? (this.#stuckSince ?? now) : undefined;
    const isStuck = this.#stuckSince !== undefined && now - this.#stuckSince > PATIENCE;
    if (isStuck || !this.#count()) this.#lose();
    if (writableLength > SLOW) return;
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
