// Questions to every gateway that shares an engine: which views and calls are live there. The messages are sealed
// with a key of the gateways, because others may be able to write to the bus.

import { randomBytes } from "node:crypto";
import type { Sealer } from "../crypto/sealing.ts";
import type { Bus, Engine, SharedEngine } from "../engine/engine.ts";
import { jsonBytes, readJson, watchBucket } from "../engine/watched-bucket.ts";

/** A gateway. */
export interface GatewayInfo {
  node: string;
  version: string;
  roles: readonly string[];
  /** Milliseconds since 1970. */
  startedAt: number;
}

/** The answers of all gateways that answered in time. */
export interface Answers<Value> {
  answers: { node: string; value: Value }[];
  /** The gateways that didn't answer. */
  silent: string[];
}

/** Answers a question about this process. */
export type Answer = (question: string, body: unknown) => Promise<unknown>;

/** The gateways that share an engine. */
export interface Peers {
  ask<Value>(question: string, body?: unknown): Promise<Answers<Value>>;
  close(): void;
}

interface Message {
  at: number;
  id: string;
  node: string;
  question?: string;
  body: unknown;
}

const DEADLINE = 2000;
const BEAT = 10_000;
const GONE = 30_000;
const LONGEST_DELAY = 30_000;
const LARGEST = 512 * 1024;
const ASK = "admin.ask";

/** Announces this gateway and answers the others. */
export function openPeers(
  engine: Engine,
  { own, answer, sealer }: { own: GatewayInfo; answer: Answer; sealer: Sealer },
): Peers {
  if (!isShared(engine)) {
    return {
      ask: async <Value>(question: string, body: unknown = {}) => {
        const value = (await answer(question, body)) as Value;
        return { answers: [{ node: own.node, value }], silent: [] };
      },
      close: () => {},
    };
  }
  const { bus } = engine;
  const instance = randomBytes(12).toString("hex");
  const kv = engine.kv("gateways", { ttl: GONE });
  const known = watchBucket<GatewayInfo & { instance: string }>(kv);
  const beat = (): void => void kv.put(instance, jsonBytes({ ...own, instance })).catch(() => {});
  beat();
  const timer = setInterval(beat, BEAT);
  timer.unref();
  const sealed = createSealedBus(bus, sealer);
  const stop = sealed.subscribe(ASK, async ({ id, question, body }) => {
    const value = await answer(`${question}`, body).catch(() => undefined);
    sealed.publish(`admin.reply.${id}`, { id, node: own.node, body: { instance, value } });
  });
  return {
    ask: async <Value>(question: string, body: unknown = {}) => {
      await known.isReady;
      const id = randomBytes(16).toString("hex");
      const expected = new Map([...known.values()].map((one) => [one.instance, one.node]));
      expected.set(instance, own.node);
      const answers: { node: string; value: Value }[] = [];
      const { promise: isComplete, resolve } = Promise.withResolvers<void>();
      const off = sealed.subscribe(`admin.reply.${id}`, async ({ node, body: reply }) => {
        const { instance: from, value } = reply as { instance: string; value: Value };
        if (expected.delete(from) && value !== undefined) answers.push({ node, value });
        if (expected.size === 0) resolve();
      });
      const timeout = setTimeout(resolve, DEADLINE);
      sealed.publish(ASK, { id, node: own.node, question, body });
      await isComplete;
      clearTimeout(timeout);
      off();
      return { answers, silent: [...expected.values()] };
    },
    close: () => {
      stop();
      clearInterval(timer);
      known.close();
      void kv.delete(instance).catch(() => {});
    },
  };
}

function isShared(engine: Engine): engine is SharedEngine {
  return engine.caps.shared;
}

function createSealedBus(bus: Bus, sealer: Sealer) {
  return {
    publish: (subject: string, message: Omit<Message, "at">): void => {
      const bytes = jsonBytes({ ...message, at: Date.now() });
      if (bytes.length > LARGEST) return;
      bus.publish(subject, sealer.sealBytes(bytes, ["admin", subject]));
    },
    subscribe: (subject: string, fn: (message: Message) => Promise<void>): (() => void) =>
      bus.subscribe(subject, (bytes) => {
        const opened = sealer.openBytes(bytes, ["admin", subject]);
        const message = opened && readJson<Message>(opened);
        // An old message may be repeated by someone else.
        if (!message || Math.abs(Date.now() - message.at) > LONGEST_DELAY) return;
        void fn(message);
      }),
  };
}
