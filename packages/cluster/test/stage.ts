// Several gateways in one process: each with its own connection to one engine, and a server whose child only one
// of them may have.

import { createSharedMemoryEngine } from "@vitrine/internal/shared-memory-engine";
import { onTestFinished } from "vitest";
import type { SharedEngine } from "../../gateway/src/engine/index.ts";
import type { CallerMessage } from "../../gateway/src/json-rpc/message.ts";
import {
  type ListenOptions,
  type OwnableUpstream,
  type Upstream,
  type UpstreamAnswer,
  type UpstreamCall,
  UpstreamError,
  type UpstreamEvent,
  type UpstreamScope,
} from "../../gateway/src/upstreams/upstream.ts";
import { request, resultOf } from "../../gateway/test/upstreams/calls.ts";
import { type Cluster, type ClusterOptions, joinCluster } from "../src/cluster.ts";
import type { ClusteredOptions } from "../src/routing/clustered-upstream.ts";
import { type CutEngine, cutEngine } from "./cut-engine.ts";

export const KEYS = [{ id: "c1", secret: new Uint8Array(32).fill(9) }];
/** Short, so that a test can wait for a lease to end; long enough for a busy machine. */
export const TTL = 1500;
export const GRACE = 300;

/** The lifetime of a child. */
export interface Life {
  process: string;
  key: string;
  from: number;
  to: number | undefined;
}

/** What all children of a server did, in any process. */
export class World {
  readonly lives: Life[] = [];
  readonly calls: { process: string; name: string }[] = [];
  readonly waiting: (() => void)[] = [];

  /** Pairs of children that lived at the same time for the same key. */
  overlaps(): [Life, Life][] {
    const end = ({ to }: Life): number => to ?? performance.now();
    return this.lives.flatMap((a, place) =>
      this.lives
        .slice(place + 1)
        .filter((b) => a.key === b.key && a.from < end(b) && b.from < end(a))
        .map((b): [Life, Life] => [a, b]),
    );
  }

  count(name: string): number {
    return this.calls.filter((call) => call.name === name).length;
  }
}

/** A server whose children are only recorded. */
export class FakeUpstream implements OwnableUpstream {
  readonly id = "board";
  readonly kind = "stdio";
  readonly world: World;
  readonly process: string;
  readonly listeners = new Set<(event: UpstreamEvent) => void>();
  /** The resources of the last listener. */
  resources: readonly string[] = [];
  /** False for a server without sessions. */
  isStateful = true;
  mayStart: (key: string) => boolean = () => true;
  readonly #children = new Map<string, { life: Life; lose: Set<() => void> }>();

  constructor(world: World, process: string) {
    this.world = world;
    this.process = process;
  }

  stateKey({ tenant, user }: UpstreamScope): string | undefined {
    return this.isStateful ? `${tenant}/${user}` : undefined;
  }

  changeKey(scope: UpstreamScope): string {
    return `${scope.tenant}/${scope.user}`;
  }

  async send(call: UpstreamCall): ReturnType<Upstream["send"]> {
    const child = this.#child(call.scope);
    const { name, wait, size = 0, tell = [] } = Object(call.message.params?.arguments);
    this.world.calls.push({ process: this.process, name });
    for (const notification of tell) call.onNotification?.(notification);
    await new Promise<void>((resolve, reject) => {
      const lose = (): void => {
        const isSafe = call.message.method !== "tools/call";
        const code = isSafe ? "unreachable" : "outcome-unknown";
        reject(new UpstreamError(code, "The child ended.", { sent: true }));
      };
      child.lose.add(lose);
      call.signal.addEventListener("abort", () => {
        reject(new UpstreamError("aborted", "The caller gave up.", { sent: true }));
      });
      if (wait === "open") this.world.waiting.push(resolve);
      else setTimeout(resolve, wait ?? 0);
    });
    const result = { process: this.process, name, filler: "x".repeat(size) };
    return { message: { jsonrpc: "2.0", id: call.message.id, result } };
  }

  async notify({ method }: CallerMessage, scope: UpstreamScope): Promise<void> {
    this.#child(scope);
    this.world.calls.push({ process: this.process, name: `notify ${method}` });
  }

  async discover(scope: UpstreamScope): ReturnType<Upstream["discover"]> {
    this.#child(scope);
    return {
      resultType: "complete",
      supportedVersions: ["2026-07-28"],
      capabilities: {},
      instructions: this.process,
      ttlMs: 0,
      cacheScope: "private",
    };
  }

  listen(
    _scope: UpstreamScope,
    fn: (event: UpstreamEvent) => void,
    { resources = [] }: ListenOptions = {},
  ): () => void {
    this.listeners.add(fn);
    this.resources = resources;
    return () => this.listeners.delete(fn);
  }

  /** Sends an event to all listeners. */
  tell(kind: UpstreamEvent["kind"], uri?: string): void {
    const event = { server: this.id, kind, ...(uri !== undefined && { uri }) };
    for (const listener of this.listeners) listener(event);
  }

  async end(key?: string): Promise<void> {
    for (const [each, { life, lose }] of this.#children) {
      if (key !== undefined && each !== key) continue;
      this.#children.delete(each);
      life.to = performance.now();
      for (const fn of lose) fn();
    }
  }

  close(): Promise<void> {
    return this.end();
  }

  #child(scope: UpstreamScope): { life: Life; lose: Set<() => void> } {
    const key = this.stateKey(scope) ?? "";
    const known = this.#children.get(key);
    if (known) return known;
    if (!this.mayStart(key)) throw new UpstreamError("unreachable", "Not ours to start.");
    const life: Life = { process: this.process, key, from: performance.now(), to: undefined };
    this.world.lives.push(life);
    const child = { life, lose: new Set<() => void>() };
    this.#children.set(key, child);
    return child;
  }
}

/** One of the processes. */
export interface Process {
  name: string;
  engine: CutEngine;
  cluster: Cluster;
  local: FakeUpstream;
  upstream: Upstream;
  refused: string[];
}

export interface StageOptions extends Partial<ClusterOptions>, ClusteredOptions {
  engine?: SharedEngine;
}

/** Processes on one engine. */
export async function openProcesses(
  count: number,
  options: StageOptions = {},
): Promise<{ world: World; engine: SharedEngine; processes: Process[] }> {
  const engine = options.engine ?? createSharedMemoryEngine();
  const world = new World();
  const processes: Process[] = [];
  for (let place = 0; place < count; place++) {
    processes.push(await openProcess(engine, world, { name: `p${place + 1}`, ...options }));
  }
  onTestFinished(async () => {
    await Promise.all(processes.map(({ upstream }) => upstream.close()));
    await Promise.all(processes.map(({ cluster }) => cluster.close()));
    await engine.close();
  });
  return { world, engine, processes };
}

export async function openProcess(
  engine: SharedEngine,
  world: World,
  { name, patience, idle, drainTime, changes, ...options }: StageOptions & { name: string },
): Promise<Process> {
  const way = cutEngine(engine);
  const refused: string[] = [];
  const cluster = await joinCluster(way, {
    ttl: TTL,
    grace: GRACE,
    keys: KEYS,
    onRejected: (code) => refused.push(code),
    ...options,
  });
  const local = new FakeUpstream(world, name);
  const upstream = cluster.wrap(local, {
    ...(patience !== undefined && { patience }),
    ...(idle !== undefined && { idle }),
    ...(drainTime !== undefined && { drainTime }),
    changes: { interval: 300, retry: 100, ...changes },
  });
  return { name, engine: way, cluster, local, upstream, refused };
}

/** A call of a tool that is not safe to repeat. */
export function call(name: string, args: object = {}, options: Partial<UpstreamCall> = {}) {
  return request("tools/call", { name: "do", arguments: { name, ...args } }, options);
}

/** The process that answered. */
export async function processOf(answer: Promise<UpstreamAnswer>): Promise<string> {
  return resultOf(await answer).process;
}

/** The code with which a call failed. */
export async function failureOf(doing: Promise<unknown>): Promise<string> {
  try {
    await doing;
  } catch (error) {
    return error instanceof UpstreamError ? error.code : `${error}`;
  }
  return "it succeeded";
}
