import { randomUUID } from "node:crypto";
import type { Exchange } from "./exchange.ts";
import type { Forwarder } from "./pipeline.ts";

/** A call that a server hasn't answered yet. */
export interface LiveCall {
  id: string;
  tenant: string;
  user: string;
  server: string;
  tool: string;
  party: "model" | "view";
  /** Milliseconds since 1970. */
  startedAt: number;
}

/** The tool calls in progress in this process. */
export interface LiveCalls {
  readonly size: number;
  list(): LiveCall[];
  /** Cancels a call. Returns it, or undefined if there is none with that id. */
  cancel(id: string): LiveCall | undefined;
  /** The same forwarder, whose calls are tracked. */
  track(forwarder: Forwarder): Forwarder;
}

const LONGEST_NAME = 256;

/** Tracks tool calls. */
export function createLiveCalls(): LiveCalls {
  const running = new Map<string, { call: LiveCall; end: AbortController }>();
  const begin = (exchange: Exchange): (() => void) => {
    const { caller, server, tool } = exchange;
    const { tenant, user, party } = caller;
    const id = randomUUID();
    const name = `${tool?.name}`.slice(0, LONGEST_NAME);
    const ids = { id, tenant, user, server: server.id, tool: name };
    const end = new AbortController();
    exchange.signal = AbortSignal.any([exchange.signal, end.signal]);
    running.set(id, { call: { ...ids, party, startedAt: Date.now() }, end });
    return () => void running.delete(id);
  };
  return {
    get size() {
      return running.size;
    },
    list: () => [...running.values()].map(({ call }) => call),
    cancel: (id) => {
      const found = running.get(id);
      found?.end.abort();
      return found?.call;
    },
    track: (forwarder) => ({
      ...forwarder,
      forward: (exchange) => {
        if (exchange.frame.method !== "tools/call") return forwarder.forward(exchange);
        const over = begin(exchange);
        return forwarder.forward(exchange).finally(over);
      },
    }),
  };
}
