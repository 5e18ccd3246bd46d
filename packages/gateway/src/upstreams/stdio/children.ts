import type { CallLifetime } from "../call-lifetime.ts";
import type { EraFinding } from "../era.ts";
import type { FairSlots } from "../fair-slots.ts";
import type { Session } from "../sessions/session.ts";
import type { ServerChange } from "../transport.ts";
import { UpstreamError, type UpstreamScope } from "../upstream.ts";
import { variablesFor } from "./child-environment.ts";
import { type ChildLimits, ChildWire, type Command } from "./child-wire.ts";
import { DiedOnProbeError, type HandshakeOptions, type Ready, shakeHands } from "./handshake.ts";
import { type RestartOptions, Restarts } from "./restarts.ts";

/** How processes are started and how long they are kept. Times in milliseconds. */
export interface ChildrenOptions {
  command: Command;
  /** Prepares a process that can't reach the gateway. By default, it runs as any program. */
  isolate?: ((command: Command) => Promise<Command>) | undefined;
  keyOf(scope: UpstreamScope): string;
  handshake: Omit<HandshakeOptions, "era" | "onChange">;
  limits: Partial<ChildLimits>;
  restarts: RestartOptions;
  /** Concurrent starts, over all servers of the gateway. */
  spawns: FairSlots;
  /** Maximum number of processes of this server. */
  most: number;
  /** Time without use after which a process is ended. */
  idle: number;
  /** Total lifetime. Then a new process takes over, and the old one ends after its calls. */
  lifetime: number;
  /** The longest time that a caller waits for a restart. */
  restartPatience: number;
  /** Called right before each start. */
  mayStart(key: string): boolean;
}

/** The era of the program, detected once for all its processes. */
export interface EraProbe {
  known(): "modern" | "legacy" | undefined;
  found(finding: EraFinding): Promise<unknown>;
}

/** A process that is ready. */
export interface Child {
  readonly key: string;
  session: Session;
  listeners: Set<(change: ServerChange) => void>;
  users: number;
  usedAt: number;
  retiresAt: number;
}

interface Slot {
  readonly key: string;
  /** The first user, or one of the tenant. Which one only matters for a process of one user. */
  readonly owner: Pick<UpstreamScope, "tenant" | "user">;
  /** Set once further output of the process is ignored. */
  isEnded: boolean;
  opening: Promise<Child> | undefined;
  child: Child | undefined;
  restarts: Restarts;
}

/** The processes of one server: one per credential, started on demand and ended when idle. */
export class Children {
  readonly #options: ChildrenOptions;
  readonly #era: EraProbe;
  readonly #slots = new Map<string, Slot>();
  readonly #starting = new Map<ChildWire, Slot>();
  /** Processes that are retired but still running. */
  readonly #leaving = new Set<Child>();
  readonly #sweeper: NodeJS.Timeout;
  #probing: Promise<unknown> | undefined;
  #isClosed = false;

  constructor(options: ChildrenOptions, era: EraProbe) {
    this.#options = options;
    this.#era = era;
    const { idle, lifetime } = options;
    this.#sweeper = setInterval(
      () => this.#sweep(),
      Math.max(10, Math.min(30_000, idle / 2, lifetime / 4)),
    );
    this.#sweeper.unref();
  }

  /** The process of this credential. Starts it if necessary. */
  async get(scope: UpstreamScope, lifetime: CallLifetime): Promise<Child> {
    if (this.#isClosed) throw new UpstreamError("closed", "The upstream was closed.");
    const key = this.#options.keyOf(scope);
    let slot = this.#slots.get(key);
    if (!slot) {
      slot = {
        key,
        owner: { tenant: scope.tenant, user: scope.user },
        isEnded: false,
        opening: undefined,
        child: undefined,
        restarts: new Restarts(this.#options.restarts),
      };
      this.#slots.set(key, slot);
    }
    if (slot.child) return slot.child;
    const { wait } = slot.restarts;
    if (!slot.opening && wait > this.#options.restartPatience) {
      const message = "The process crashed several times and is waiting for its restart.";
      throw new UpstreamError("crashed", message, { retryAfter: Math.ceil(wait) });
    }
    slot.opening ??= this.#open(slot, scope);
    return lifetime.race(slot.opening);
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    clearInterval(this.#sweeper);
    await Promise.all([...this.#starting.keys()].map((wire) => wire.close()));
    const opening = [...this.#slots.values()].map(({ opening }) => opening);
    const opened = await Promise.allSettled(opening.filter((each) => each !== undefined));
    const late = opened.flatMap((each) => (each.status === "fulfilled" ? [each.value] : []));
    const present = [...this.#slots.values()].flatMap(({ child }) => child ?? []);
    const all = new Set([...late, ...present, ...this.#leaving]);
    this.#slots.clear();
    await Promise.all([...all].map(({ session }) => session.close()));
  }

  /** Ends the processes of a key, or all of them, without a graceful shutdown. */
  async end(key?: string): Promise<void> {
    const isMeant = (slot: Slot): boolean => key === undefined || slot.key === key;
    const slots = [...this.#slots.values()].filter(isMeant);
    const leaving = [...this.#leaving].filter((child) => key === undefined || child.key === key);
    const starting = [...this.#starting].filter(([, slot]) => isMeant(slot));
    for (const slot of slots) {
      slot.isEnded = true;
      this.#slots.delete(slot.key);
    }
    const sessions = [...slots.flatMap(({ child }) => child ?? []), ...leaving];
    await Promise.all([
      ...starting.map(([wire]) => wire.kill()),
      ...sessions.map(({ session }) => session.close({ now: true })),
    ]);
  }

  async #open(slot: Slot, scope: UpstreamScope): Promise<Child> {
    const { restarts } = slot;
    let leave: (() => void) | undefined;
    try {
      await new Promise((resolve) => setTimeout(resolve, restarts.wait));
      this.#evict();
      leave = await this.#options.spawns.take(scope);
      return await this.#inTurn(() => this.#start(slot));
    } finally {
      slot.opening = undefined;
      leave?.();
    }
  }

  /** While the era is unknown, one process detects it and the others wait. */
  async #inTurn(start: () => Promise<Child>): Promise<Child> {
    while (this.#era.known() === undefined && this.#probing) await this.#probing.catch(() => {});
    if (this.#era.known() !== undefined) return start();
    const starting = start();
    this.#probing = starting;
    try {
      return await starting;
    } finally {
      this.#probing = undefined;
    }
  }

  async #start(slot: Slot): Promise<Child> {
    const listeners: Child["listeners"] = new Set();
    const startedAt = performance.now();
    const known = this.#era.known();
    let isReady = false;
    const attempt = async (era: "modern" | "legacy" | undefined): Promise<Ready> => {
      const wire = await this.#spawn(slot);
      const onChange = (change: ServerChange): void => {
        for (const listener of listeners) listener(change);
      };
      try {
        return await shakeHands(wire, { ...this.#options.handshake, era, onChange });
      } catch (error) {
        await wire.close();
        throw error;
      } finally {
        this.#starting.delete(wire);
      }
    };
    try {
      const ready = await attempt(known).catch((error) => {
        if (error instanceof DiedOnProbeError && !this.#isClosed) return attempt("legacy");
        throw error;
      });
      isReady = true;
      if (known === undefined) await this.#era.found(ready.finding);
      if (slot.isEnded) {
        await ready.session.close({ now: true });
        throw new UpstreamError("closed", "The process was ended before it was ready.");
      }
      return this.#keep(slot, ready.session, listeners, startedAt);
    } catch (error) {
      if (!isReady) slot.restarts.fail(0);
      // No call was sent yet, whatever happened to the handshake.
      throw error instanceof UpstreamError ? error.with({ sent: false }) : error;
    }
  }

  async #spawn(slot: Slot): Promise<ChildWire> {
    const { isolate } = this.#options;
    const { env, given, ...rest } = this.#options.command;
    const { owner } = slot;
    const command = {
      ...rest,
      ...{ env: variablesFor(env, owner), given: given && variablesFor(given, owner) },
    };
    const isolated = isolate ? await isolate(command) : command;
    try {
      if (this.#isClosed) throw new UpstreamError("closed", "The upstream was closed.");
      if (slot.isEnded || !this.#options.mayStart(slot.key)) {
        throw new UpstreamError("unreachable", "Another gateway owns this process.");
      }
      const wire = new ChildWire(isolated, this.#options.limits);
      this.#starting.set(wire, slot);
      return wire;
    } catch (cause) {
      await isolated.release?.();
      if (cause instanceof UpstreamError) throw cause;
      throw new UpstreamError("crashed", "The process can't be started.", { cause });
    }
  }

  #keep(slot: Slot, session: Session, listeners: Child["listeners"], startedAt: number): Child {
    const retiresAt = startedAt + this.#options.lifetime * (0.9 + Math.random() / 5);
    const { key } = slot;
    const child: Child = {
      key,
      session,
      listeners,
      users: 0,
      usedAt: performance.now(),
      retiresAt,
    };
    slot.child = child;
    session.onEnd(() => {
      this.#leaving.delete(child);
      if (slot.child !== child) return;
      slot.child = undefined;
      // An unexpected exit counts as a crash, whatever the exit code.
      slot.restarts.fail(performance.now() - startedAt);
    });
    return child;
  }

  #sweep(): void {
    const now = performance.now();
    for (const [key, slot] of this.#slots) {
      const { child, opening, restarts } = slot;
      if (!child) {
        if (!opening && restarts.wait === 0) this.#slots.delete(key);
      } else if (isUnused(child) && now - child.usedAt > this.#options.idle)
        this.#retire(slot, child);
      else if (now > child.retiresAt) this.#retire(slot, child);
    }
    for (const child of this.#leaving) this.#letGo(child);
  }

  /** Takes a process out of use. */
  #retire(slot: Slot, child: Child): void {
    slot.child = undefined;
    this.#leaving.add(child);
    this.#letGo(child);
  }

  #letGo(child: Child): void {
    // Subscribers notice the end of the stream and subscribe to the next process.
    if (child.session.size > 0) return;
    this.#leaving.delete(child);
    void child.session.close();
  }

  #evict(): void {
    const slots = [...this.#slots.values()];
    const taken = slots.filter(({ child, opening }) => child || opening).length;
    if (taken <= this.#options.most) return;
    const [oldest] = slots
      .flatMap((slot) => (slot.child && isUnused(slot.child) ? [{ slot, child: slot.child }] : []))
      .sort((a, b) => a.child.usedAt - b.child.usedAt);
    if (!oldest)
      throw new UpstreamError(
        "busy",
        `${taken - 1} processes of this server are in use (processes.most). Try again later, let users share processes (sharing), or raise the limit.`,
      );
    this.#retire(oldest.slot, oldest.child);
  }
}

function isUnused({ session, users }: Child): boolean {
  return session.size === 0 && users === 0;
}
