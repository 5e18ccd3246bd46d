import { EngineError } from "@vitrine/gateway/engine";
import type { Head, Stamp } from "./envelope.ts";
import { LostResponseError, type PeerRequest } from "./peer-protocol.ts";

/** A request of this process that has no response yet. */
export interface PendingRequest {
  readonly call: number;
  /** Addresses of this process and of the other one. */
  readonly from: string;
  readonly to: string;
  readonly request: PeerRequest;
  readonly onNotification: ((text: string) => void) | undefined;
  /** The message that starts the call was sent. */
  isSent: boolean;
  /** The first part of the response has arrived. */
  isResponding: boolean;
  /** Rejects when `reject` is called. */
  readonly failed: Promise<never>;
  reject(reason: unknown): void;
}

type NewRequest = Pick<PendingRequest, "from" | "to" | "request" | "onNotification">;

const TICK = 250;
const PROBE_INTERVAL = 3_000;
/** Milliseconds for which a response may still be on its way after the other process sent it. */
const IN_FLIGHT = 500;

/** The requests that wait for a response, and the probe that finds out when a response was lost. */
export class PendingRequests {
  readonly #requests = new Map<number, PendingRequest & { probeAt: number }>();
  readonly #isRunning: (pending: PendingRequest) => Promise<boolean>;
  #timer: NodeJS.Timeout | undefined;
  #lastCall = 0;

  /** `isRunning` asks the other process whether it still works on a request. */
  constructor(isRunning: (pending: PendingRequest) => Promise<boolean>) {
    this.#isRunning = isRunning;
  }

  add(request: NewRequest): PendingRequest {
    const { promise: failed, reject } = Promise.withResolvers<never>();
    // The request may have ended when it is rejected.
    failed.catch(() => {});
    const call = ++this.#lastCall;
    const state = {
      isSent: false,
      isResponding: false,
      probeAt: performance.now() + PROBE_INTERVAL,
    };
    const pending = { ...request, ...state, call, failed, reject };
    this.#requests.set(call, pending);
    this.#timer ??= setInterval(() => this.#probe(), TICK);
    return pending;
  }

  delete({ call }: PendingRequest): void {
    this.#requests.delete(call);
    if (this.#requests.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  /** Rejects the requests to a process that is gone. */
  lose(to: string): void {
    for (const pending of this.#requests.values())
      if (pending.to === to) pending.reject(lostError(pending));
  }

  /** Delivers notifications, if they come from the process that the request was sent to. */
  notify({ call, from }: Head & Stamp, body: string): void {
    const pending = this.#requests.get(call);
    if (pending?.to !== from) return;
    for (const text of JSON.parse(body) as unknown[]) {
      if (typeof text === "string") pending.onNotification?.(text);
    }
  }

  close(): void {
    for (const pending of this.#requests.values()) pending.reject(lostError(pending));
    clearInterval(this.#timer);
  }

  #probe(): void {
    const now = performance.now();
    for (const pending of this.#requests.values()) {
      if (!pending.isSent || pending.isResponding || pending.probeAt > now) continue;
      pending.probeAt = now + PROBE_INTERVAL;
      void this.#check(pending);
    }
  }

  async #check(pending: PendingRequest): Promise<void> {
    if (await this.#isRunning(pending)) return;
    await new Promise((resolve) => setTimeout(resolve, IN_FLIGHT).unref());
    if (!pending.isResponding) pending.reject(lostError(pending));
  }
}

function lostError({ to, isSent }: PendingRequest): Error {
  if (isSent) return new LostResponseError(`The response of ${to} was lost.`);
  return new EngineError("no-responders", `The request wasn't sent: ${to} has no lease.`);
}
