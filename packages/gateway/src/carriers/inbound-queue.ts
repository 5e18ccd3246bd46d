import type { Socket } from "node:net";
import type { WebSocket } from "ws";
import { now } from "../monotonic-clock.ts";
import type { Meter } from "../pipeline/traffic.ts";

/** What a queue serves its messages with. */
export interface InboundParts {
  wire: Pick<Socket, "bytesRead">;
  meter: Meter;
  serve(text: string): Promise<void>;
  /** Whether the other side doesn't read what it is sent. */
  isClogged(): boolean;
}

/** Milliseconds until a message that had to wait for others is tried again. */
const RETRY = 20;
/** Milliseconds without a message that had to wait, after which a flood is over. */
const QUIET = 2000;
/** Milliseconds that a flood may last before its socket is closed. */
const PATIENCE = 10_000;
/** Messages that `ws` may have read before the socket was paused. A socket that sends more is flooding. */
const LONGEST = 16_384;
/** Bytes of a message that has begun and doesn't end. */
const UNFINISHED = 2 ** 16;
const TRY_LATER = 1013;
/** Milliseconds for the close frame to be sent. */
const LAST_WORDS = 1000;

/**
 * The messages of one socket. Each is counted before it is parsed. A caller with too many is not refused
 * but not read: the socket is paused, TCP pushes back, and the flood costs its sender the memory and the
 * time. A socket that floods for long is closed.
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

  /** Nothing is read, answers to pings neither. */
  get isPaused(): boolean {
    return this.#waiting !== undefined;
  }

  push(data: Buffer): void {
    this.#readAt = this.#parts.wire.bytesRead;
    if (this.#isClosed) return;
    if (this.#waiting) {
      // A paused socket still hands over what was read before.
      if (this.#waiting.push(data) > LONGEST) this.#end();
      return;
    }
    const wait = this.#start(data);
    if (wait === 0) return;
    this.#waiting = [data];
    this.#socket.pause();
    this.#sleep(wait);
  }

  /** Not part of a message. */
  readControlFrame(bytes: number): void {
    this.#readAt += bytes;
  }

  /** Called now and then: whether a message that began before the last call still hasn't ended. */
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
    const at = now();
    if (at - this.#blockedAt > QUIET) this.#blockedSince = at;
    this.#blockedAt = at;
    if (at - this.#blockedSince > PATIENCE) this.#end();
    else this.#timer = setTimeout(() => this.#resume(), wait).unref();
  }

  #resume(): void {
    const waiting = this.#waiting ?? [];
    for (const [place, data] of waiting.entries()) {
      const wait = this.#start(data);
      if (wait === 0) continue;
      this.#waiting = waiting.slice(place);
      this.#sleep(wait);
      return;
    }
    this.#waiting = undefined;
    this.#socket.resume();
  }

  #end(): void {
    this.close();
    this.#socket.close(TRY_LATER, "too many messages");
    setTimeout(() => this.#socket.terminate(), LAST_WORDS).unref();
  }
}
