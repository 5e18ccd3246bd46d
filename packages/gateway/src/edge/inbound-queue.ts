import type { Socket } from "node:net";
import type { WebSocket } from "ws";
import type { Meter } from "../policy/traffic.ts";

/** The parts that a queue needs to serve its messages. */
export interface InboundParts {
  wire: Pick<Socket, "bytesRead">;
  meter: Meter;
  serve(text: string): Promise<void>;
  /** Whether the client doesn't read what it is sent. */
  isClogged(): boolean;
}

/** Milliseconds until a delayed message is tried again. */
const RETRY = 20;
/** Milliseconds without a delayed message after which a flood is over. */
const QUIET = 2000;
/** Milliseconds that a flood may last before its socket is closed. */
const PATIENCE = 10_000;
/** Messages that `ws` may have read before the socket was paused. A client that sends more is flooding. */
const LONGEST = 16_384;
/** Bytes of an unfinished message after which it counts as stalled. */
const UNFINISHED = 2 ** 16;
const TRY_LATER = 1013;
/** Milliseconds in which the close frame must be sent. */
const CLOSE_TIME = 1000;

/**
 * The messages of one socket. Each is counted before it is parsed. If a caller sends too many, they aren't
 * refused but not read: the socket is paused, TCP applies backpressure, and the flood costs its sender memory
 * and time. A socket that floods for long is closed.
 */
export class InboundQueue {
  readonly #socket: WebSocket;
  readonly #parts: InboundParts;
  #waiting: Buffer[] | undefined;
  #isClosed = false;
  #timer: NodeJS.Timeout | undefined;
  #blockedSince = 0;
  #blockedAt = Number.NEGATIVE_INFINITY;
  /** `bytesRead` at the end of the last message. */
  #readAt = 0;
  #wasUnfinished = false;

  constructor(socket: WebSocket, parts: InboundParts) {
    this.#socket = socket;
    this.#parts = parts;
    this.#readAt = parts.wire.bytesRead;
  }

  /** Whether the socket is paused. Then pongs aren't read either. */
  get isPaused(): boolean {
    return this.#waiting !== undefined;
  }

  push(data: Buffer): void {
    this.#readAt = this.#parts.wire.bytesRead;
    if (this.#isClosed) return;
    if (this.#waiting) {
      // A paused socket still delivers data that was already read.
      if (this.#waiting.push(data) > LONGEST) this.#end();
      return;
    }
    const wait = this.#start(data);
    if (wait === 0) return;
    this.#waiting = [data];
    this.#socket.pause();
    this.#sleep(wait);
  }

  /** A control frame isn't part of a message. */
  readControlFrame(bytes: number): void {
    this.#readAt += bytes;
  }

  /** Called periodically. Returns whether a message that began before the last call is still unfinished. */
  isStalled(): boolean {
    const isUnfinished = !this.#waiting && this.#parts.wire.bytesRead - this.#readAt > UNFINISHED;
    const isStalled = isUnfinished && this.#wasUnfinished;
    this.#wasUnfinished = isUnfinished;
    return isStalled;
  }

  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    this.#waiting = undefined;
  }

  /** Serves a message, or returns the milliseconds after which to try again. */
  #start(data: Buffer): number {
    const { meter, serve, isClogged } = this.#parts;
    if (isClogged() || !meter.hold("atOnce")) return RETRY;
    const wait = meter.take(data.length);
    const end = (): void => meter.release("atOnce");
    if (wait > 0) end();
    else meter.inTurn(() => void serve(data.toString()).then(end, end));
    return wait;
  }

  #sleep(wait: number): void {
    const at = performance.now();
    if (at - this.#blockedAt > QUIET) this.#blockedSince = at;
    this.#blockedAt = at;
    if (at - this.#blockedSince > PATIENCE) this.#end();
    else this.#timer = setTimeout(() => this.#resume(), wait).unref();
  }

  #resume(): void {
    const waiting = this.#waiting ?? [];
    for (const [index, data] of waiting.entries()) {
      const wait = this.#start(data);
      if (wait === 0) continue;
      this.#waiting = waiting.slice(index);
      this.#sleep(wait);
      return;
    }
    this.#waiting = undefined;
    this.#socket.resume();
  }

  #end(): void {
    this.close();
    this.#socket.close(TRY_LATER, "too many messages");
    setTimeout(() => this.#socket.terminate(), CLOSE_TIME).unref();
  }
}
