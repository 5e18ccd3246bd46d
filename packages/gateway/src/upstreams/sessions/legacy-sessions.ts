import type { CallerMessage } from "../../json-rpc/message.ts";
import { CallLifetime } from "../call-lifetime.ts";
import type { ClientIdentity } from "../frames/envelope.ts";
import { SessionLostError } from "../http/session-lost.ts";
import type { Leg, LegCall, Listening, News } from "../leg.ts";
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
  /** Opens a stream of news, where they do not come with everything else. */
  openNews?(): Promise<Stream>;
}

type Stream = Pick<Listening, "closed" | "stop">;

/** How sessions are opened and how long they are kept. */
export interface LegacySessionsOptions {
  identity: ClientIdentity;
  /** Who shares a session. */
  keyOf(scope: UpstreamScope): string;
  connect(scope: UpstreamScope): Promise<SessionWire>;
  /** Milliseconds for opening one. */
  patience?: number;
  /** Milliseconds without use after which one is ended. */
  idle?: number;
  /** How many are kept. */
  most?: number;
  holdTime?: number;
}

interface Entry {
  session: LegacySession;
  wire: SessionWire;
  hearers: Set<(news: News) => void>;
  users: number;
  usedAt: number;
}

interface Slot {
  opening: Promise<Entry>;
  /** What became of it. */
  entry: Entry | undefined;
}

/** A server from before 2026-07-28 over HTTP: one session for each credential. */
export class LegacySessions implements Leg {
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

  send(call: LegCall): Promise<UpstreamAnswer> {
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
    hear: (news: News) => void,
  ): Promise<Listening> {
    return this.#use(scope, undefined, async (entry) => {
      const lifetime = new CallLifetime({ deadline: this.#options.patience });
      try {
        const news = await lifetime.race(this.#openNews(entry.wire));
        const subscription = await entry.session.listen(resources, lifetime);
        return this.#hearing(entry, hear, [subscription, ...(news ? [news] : [])]);
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

  /** Ends the session of a key, or all of them. One that is only being opened is closed when it is open. */
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

  /** Runs with the session of this credential; in a new one, once, if the server has forgotten it. */
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
        // The last to leave a session that was dropped.
        if (this.#slots.get(key) !== slot) closeUnused(entry);
      }
    }
  }

  #slot(key: string, scope: UpstreamScope): Slot {
    const known = this.#slots.get(key);
    if (known) return known;
    if (this.#isClosed) throw new UpstreamError("closed", "The upstream was closed.");
    this.#makeRoom();
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
    const { connect, identity, holdTime, patience } = this.#options;
    const lifetime = new CallLifetime({ deadline: patience });
    const hearers = new Set<(news: News) => void>();
    let session: LegacySession | undefined;
    try {
      const wire = await lifetime.race(connect(scope));
      const opened = new LegacySession(wire, {
        identity,
        holdTime,
        onNews: (news) => {
          for (const hear of hearers) hear(news);
        },
      });
      session = opened;
      await opened.start(lifetime, (version) => {
        wire.version = version;
      });
      return { session: opened, wire, hearers, users: 0, usedAt: performance.now() };
    } catch (error) {
      void session?.close();
      // No call was made yet, whatever happened to the handshake.
      throw error instanceof UpstreamError ? error.with({ sent: false }) : error;
    } finally {
      lifetime.dispose();
    }
  }

  async #openNews(wire: SessionWire): Promise<Stream | undefined> {
    try {
      return await wire.openNews?.();
    } catch (error) {
      if (error instanceof SessionLostError) throw error;
      // 405: the server has no such stream; its news, if any, come beside answers.
      if (error instanceof UpstreamError && (error.facts.status ?? 500) < 500) return undefined;
      throw error;
    }
  }

  /** Hears until one of the streams ends; while somebody does, the session is in use. */
  #hearing(entry: Entry, hear: (news: News) => void, streams: readonly Stream[]): Listening {
    entry.hearers.add(hear);
    entry.users++;
    const stop = (): void => {
      if (!entry.hearers.delete(hear)) return;
      entry.users--;
      for (const stream of streams) stream.stop();
    };
    const closed = Promise.race(streams.map((stream) => stream.closed)).then(stop);
    return { closed, isHeard: true, stop };
  }

  /** Ends the session that was not used for longest, if there are too many. */
  #makeRoom(): void {
    if (this.#slots.size < this.#options.most) return;
    const [oldest] = this.#idle().sort((a, b) => a.entry.usedAt - b.entry.usedAt);
    if (!oldest) throw new UpstreamError("busy", `${this.#slots.size} sessions are in use.`);
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
