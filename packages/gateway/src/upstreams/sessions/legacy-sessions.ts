import type { CallerMessage } from "../../json-rpc/message.ts";
import { CallLifetime } from "../call-lifetime.ts";
import { SessionLostError } from "../http/session-lost.ts";
import type { Listening, ServerChange, Transport, TransportCall } from "../transport.ts";
import {
  type DiscoverResult,
  type UpstreamAnswer,
  UpstreamError,
  type UpstreamScope,
} from "../upstream.ts";
import { LegacySession } from "./legacy-session.ts";
import type { Wire } from "./wire.ts";

/** A wire whose credential can be renewed. */
export interface SessionWire extends Wire {
  scope: UpstreamScope;
  version: string | undefined;
  /** Opens a stream of changes, if they need a separate stream. */
  openChanges?(): Promise<Stream>;
}

type Stream = Pick<Listening, "closed" | "stop">;

/** How sessions are opened and how long they are kept. */
export interface LegacySessionsOptions {
  /** Scopes with the same key share a session. */
  keyOf(scope: UpstreamScope): string;
  connect(scope: UpstreamScope): Promise<SessionWire>;
  /** Milliseconds for opening a session. */
  patience?: number;
  /** Milliseconds without use after which a session is ended. */
  idle?: number;
  /** Maximum number of sessions. */
  most?: number;
  holdTime?: number;
}

interface Entry {
  session: LegacySession;
  wire: SessionWire;
  listeners: Set<(changes: ServerChange) => void>;
  users: number;
  usedAt: number;
}

interface Slot {
  opening: Promise<Entry>;
  /** The opened session, once there is one. */
  entry: Entry | undefined;
}

/** A server before 2026-07-28 over HTTP: one session per credential. */
export class LegacySessions implements Transport {
  readonly #options: Required<LegacySessionsOptions>;
  readonly #slots = new Map<string, Slot>();
  readonly #sweeper: NodeJS.Timeout;
  #isClosed = false;

  constructor(options: LegacySessionsOptions) {
    this.#options = {
      patience: 30_000,
      idle: 1_800_000,
      most: 1000,
      holdTime: 300_000,
      ...options,
    };
    this.#sweeper = setInterval(() => this.#sweep(), Math.min(60_000, this.#options.idle));
    this.#sweeper.unref();
  }

  send(call: TransportCall): Promise<UpstreamAnswer> {
    return this.#use(call.scope, call.lifetime, ({ session }) => session.send(call));
  }

  async notify(message: CallerMessage, scope: UpstreamScope): Promise<void> {
    await this.#use(scope, undefined, ({ session }) => session.notify(message));
  }

  discover(scope: UpstreamScope, lifetime: CallLifetime): Promise<DiscoverResult> {
    return this.#use(scope, lifetime, ({ session }) => session.discover());
  }

  listen(
    scope: UpstreamScope,
    resources: readonly string[],
    listener: (changes: ServerChange) => void,
  ): Promise<Listening> {
    return this.#use(scope, undefined, async (entry) => {
      const lifetime = new CallLifetime({ deadline: this.#options.patience });
      try {
        const changes = await lifetime.race(this.#openChanges(entry.wire));
        const subscription = await entry.session.listen(resources, lifetime);
        return this.#subscribe(entry, listener, [subscription, ...(changes ? [changes] : [])]);
      } finally {
        lifetime.dispose();
      }
    });
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    clearInterval(this.#sweeper);
    await Promise.allSettled(this.#empty());
  }

  /** Ends the session of a key, or all of them. A session that is still being opened is closed afterwards. */
  async end(key?: string): Promise<void> {
    const present = [...this.#slots].flatMap(([each, { entry }]) =>
      entry && (key === undefined || each === key) ? [entry.session] : [],
    );
    for (const closing of this.#empty(key)) closing.catch(() => {});
    await Promise.all(present.map((session) => session.close()));
  }

  #empty(key?: string): Promise<void>[] {
    const emptied = [...this.#slots].filter(([each]) => key === undefined || each === key);
    for (const [each] of emptied) this.#slots.delete(each);
    return emptied.map(([, { opening }]) => opening.then(({ session }) => session.close()));
  }

  /** Runs with the session of this credential. If the server no longer knows it, retries once in a new one. */
  async #use<T>(
    scope: UpstreamScope,
    lifetime: CallLifetime | undefined,
    run: (entry: Entry) => Promise<T>,
  ): Promise<T> {
    const key = this.#options.keyOf(scope);
    for (let attempt = 1; ; attempt++) {
      const slot = this.#slot(key, scope);
      const entry = await (lifetime ? lifetime.race(slot.opening) : slot.opening);
      entry.wire.scope = scope;
      entry.users++;
      try {
        return await run(entry);
      } catch (error) {
        if (!(error instanceof SessionLostError)) throw error;
        this.#drop(key, slot, entry);
        if (attempt > 1) throw error;
      } finally {
        entry.users--;
        entry.usedAt = performance.now();
        // The last user of a dropped session closes it.
        if (this.#slots.get(key) !== slot) closeUnused(entry);
      }
    }
  }

  #slot(key: string, scope: UpstreamScope): Slot {
    const known = this.#slots.get(key);
    if (known) return known;
    if (this.#isClosed) throw new UpstreamError("closed", "The upstream was closed.");
    this.#evict();
    const slot: Slot = { opening: this.#open(scope), entry: undefined };
    this.#slots.set(key, slot);
    slot.opening.then(
      (entry) => {
        slot.entry = entry;
        entry.session.onEnd(() => this.#forget(key, slot));
      },
      () => this.#forget(key, slot),
    );
    return slot;
  }

  async #open(scope: UpstreamScope): Promise<Entry> {
    const { connect, holdTime, patience } = this.#options;
    const lifetime = new CallLifetime({ deadline: patience });
    const listeners = new Set<(changes: ServerChange) => void>();
    let session: LegacySession | undefined;
    try {
      const wire = await lifetime.race(connect(scope));
      const opened = new LegacySession(wire, {
        holdTime,
        onChange: (changes) => {
          for (const listener of listeners) listener(changes);
        },
      });
      session = opened;
      await opened.start(lifetime, (version) => {
        wire.version = version;
      });
      return { session: opened, wire, listeners, users: 0, usedAt: performance.now() };
    } catch (error) {
      void session?.close();
      // No call was sent yet, whatever happened to the handshake.
      throw error instanceof UpstreamError ? error.with({ sent: false }) : error;
    } finally {
      lifetime.dispose();
    }
  }

  async #openChanges(wire: SessionWire): Promise<Stream | undefined> {
    try {
      return await wire.openChanges?.();
    } catch (error) {
      if (error instanceof SessionLostError) throw error;
      // 405: the server has no such stream. Changes, if any, come with the responses.
      if (error instanceof UpstreamError && (error.facts.status ?? 500) < 500) return undefined;
      throw error;
    }
  }

  /**
   * Receives changes until one of the streams ends. The session counts as used as long as somebody is
   * subscribed.
   */
  #subscribe(
    entry: Entry,
    listener: (changes: ServerChange) => void,
    streams: readonly Stream[],
  ): Listening {
    entry.listeners.add(listener);
    entry.users++;
    const stop = (): void => {
      if (!entry.listeners.delete(listener)) return;
      entry.users--;
      for (const stream of streams) stream.stop();
    };
    const closed = Promise.race(streams.map((stream) => stream.closed)).then(stop);
    return { closed, sendsChanges: true, stop };
  }

  /** Ends the least recently used session if there are too many. */
  #evict(): void {
    if (this.#slots.size < this.#options.most) return;
    const [oldest] = this.#idle().sort((a, b) => a.entry.usedAt - b.entry.usedAt);
    if (!oldest)
      throw new UpstreamError("busy", `${this.#slots.size} sessions are in use. Try again later.`);
    this.#drop(oldest.key, oldest.slot, oldest.entry);
  }

  #sweep(): void {
    const before = performance.now() - this.#options.idle;
    for (const { key, slot, entry } of this.#idle()) {
      if (entry.usedAt < before) this.#drop(key, slot, entry);
    }
  }

  #idle(): { key: string; slot: Slot; entry: Entry }[] {
    return [...this.#slots].flatMap(([key, slot]) => {
      const { entry } = slot;
      return entry && entry.users === 0 && entry.session.size === 0 ? [{ key, slot, entry }] : [];
    });
  }

  #drop(key: string, slot: Slot, entry: Entry): void {
    this.#forget(key, slot);
    closeUnused(entry);
  }

  #forget(key: string, slot: Slot): void {
    if (this.#slots.get(key) === slot) this.#slots.delete(key);
  }
}

function closeUnused({ session, users }: Entry): void {
  if (users === 0 && session.size === 0) void session.close();
}
