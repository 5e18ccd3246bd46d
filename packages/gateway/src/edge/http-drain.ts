// The end of the HTTP endpoint. Running requests get time to finish. After that they are cut off, but each one is
// answered: a client must learn that the outcome of its call is unknown. Requests that still arrive on open connections
// are refused and their connections closed, so that the client sends them to another gateway.

import type { FastifyInstance } from "fastify";
import { refuse } from "../errors/refusal.ts";
import { CUT_OFF } from "../policy/exchange.ts";
import type { Pipeline } from "../policy/pipeline.ts";
import { discardBody, sendRefusal } from "./http-admission.ts";

/** Ends the HTTP endpoint of a gateway. */
export interface HttpDrain {
  /** The same pipeline, whose running requests can be cut off. */
  watch(pipeline: Pipeline): Pipeline;
  /** Refuses requests that arrive while the endpoint closes. */
  guard(app: FastifyInstance): void;
  /** Starts the time for running requests. Returns the function that closes the endpoint. */
  start(app: FastifyInstance, time: number): () => Promise<void>;
}

/** Milliseconds to send the answers of requests that were cut off. */
const ANSWER_TIME = 1_000;
const DRAINING = refuse("draining", "The gateway is shutting down. Send the request again.", {
  retryAfter: 1,
});

/** Creates the end of one endpoint. */
export function createHttpDrain(): HttpDrain {
  const running = new Set<AbortController>();
  let isClosing = false;
  return {
    watch: (pipeline) => ({
      ...pipeline,
      run: async (exchange) => {
        const over = new AbortController();
        running.add(over);
        exchange.signal = AbortSignal.any([exchange.signal, over.signal]);
        try {
          return await pipeline.run(exchange);
        } finally {
          running.delete(over);
        }
      },
    }),
    guard: (app) => {
      app.addHook("onRequest", (request, reply, done) => {
        if (!isClosing) done();
        else sendRefusal(discardBody(request, reply).header("connection", "close"), DRAINING);
      });
    },
    start: (app, time) => {
      const cut = setTimeout(() => {
        for (const each of running) each.abort(CUT_OFF);
      }, time);
      // Node stops timing out requests once it closes, so unfinished ones are dropped here.
      const drop = setTimeout(() => app.server.closeAllConnections(), time + ANSWER_TIME);
      return async () => {
        isClosing = true;
        await app.close();
        clearTimeout(cut);
        clearTimeout(drop);
      };
    },
  };
}
