// News of a server in a cluster: whoever wants them finds out who listens to the server, or does so itself,
// and hears the rest over the bus. The bus may lose what it carries, so who listens is asked for its revision
// now and then, and at once after this process was away.

import {
  type ListenOptions,
  type OwnableUpstream,
  UpstreamError,
  type UpstreamEvent,
  type UpstreamScope,
} from "../upstreams/upstream.ts";
import { Broadcasts, type Bulletin, type Station } from "./broadcasts.ts";
import type { ClusterParts } from "./cluster.ts";
import { Directory } from "./directory.ts";
import { type Member, nameOf } from "./membership.ts";
import type { Owner } from "./owner.ts";
import type { Reply } from "./owner-desk.ts";
import { pack, unpack } from "./parcel.ts";
import { runnerFor } from "./placement.ts";

type Listener = (event: UpstreamEvent) => void;

/** How often things are looked after, in milliseconds. */
export interface NewsOptions {
  /** Between two questions for the revision. */
  interval?: number;
  /** Before another attempt. */
  retry?: number;
}

/** What an owner is told about who listens. */
export interface ListenFacts {
  scope: UpstreamScope;
  resources: string[];
}

interface Topic {
  readonly listeners: Map<Listener, readonly string[]>;
  readonly over: AbortController;
  scope: UpstreamScope;
  station: Station | undefined;
  /** Who listens to the server. */
  source: Member | undefined;
  /** Up to which everything was told. */
  revision: number | undefined;
  wake: () => void;
}

const LISTS = ["tools", "resources", "prompts"] as const;
/** Questions for a revision that may go unanswered before an interest is over. */
const MISSES = 3;
const DEADLINE = 5000;
const SELF = "self";

/** The news of one server. */
export class NewsWire {
  readonly #local: OwnableUpstream;
  readonly #parts: ClusterParts;
  readonly #directory: Directory;
  readonly #broadcasts: Broadcasts;
  readonly #interval: number;
  readonly #retry: number;
  readonly #subject: string;
  readonly #topics = new Map<string, Topic>();
  readonly #undo: (() => void)[];
  readonly #sweeper: NodeJS.Timeout;
  #unsubscribe: (() => void) | undefined;

  constructor(
    local: OwnableUpstream,
    parts: ClusterParts,
    { owner, directory, interval = 10_000, retry = 1000 }: NewsOptions & NewsHands,
  ) {
    const { engine, courier, membership } = parts;
    this.#local = local;
    this.#parts = parts;
    this.#directory = directory;
    this.#interval = interval;
    this.#retry = retry;
    // A server may have any name; a subject may not.
    this.#subject = `ev.${Buffer.from(local.id).toString("base64url")}`;
    this.#broadcasts = new Broadcasts(local, {
      ...{ engine, courier, owner, subject: this.#subject },
      tell: (bulletin) => this.#hear(bulletin),
    });
    this.#undo = [
      // Back after it was away: whatever was told meanwhile was told to nobody here.
      membership.onJoin(() => this.#wakeAll()),
      membership.onGone((gone) =>
        this.#wakeAll(({ source }) => source !== undefined && nameOf(source) === nameOf(gone)),
      ),
    ];
    this.#sweeper = setInterval(() => this.#sweep(), interval);
    this.#sweeper.unref();
  }

  /** Hears of changes, wherever the stream from the server ends. */
  listen(scope: UpstreamScope, fn: Listener, { resources = [] }: ListenOptions = {}): () => void {
    const name = this.#local.newsKey(scope);
    let topic = this.#topics.get(name);
    // Each listener is its own, even when two share a function.
    const listener: Listener = (event) => fn(event);
    if (topic) {
      topic.listeners.set(listener, resources);
      topic.scope = scope;
      if (resources.length > 0) topic.wake();
    } else {
      topic = this.#open(scope);
      topic.listeners.set(listener, resources);
      this.#topics.set(name, topic);
      void this.#attend(topic);
    }
    const kept = topic;
    return () => {
      if (!kept.listeners.delete(listener) || kept.listeners.size > 0) return;
      kept.over.abort();
      if (this.#topics.get(name) === kept) this.#topics.delete(name);
      if (kept.station) void this.#broadcasts.leave(kept.station.key, SELF);
      if (this.#topics.size === 0) {
        this.#unsubscribe?.();
        this.#unsubscribe = undefined;
      }
    };
  }

  /** Another process wants to know; this one listens to the server. */
  attend(station: Station, from: Member, { scope, resources }: ListenFacts): Promise<number> {
    const until = performance.now() + MISSES * this.#interval;
    return this.#broadcasts.attend(station, { name: nameOf(from), scope, resources, until });
  }

  /** What can be listened to with this scope. */
  async station(scope: UpstreamScope): Promise<Station> {
    const { id } = this.#local;
    const stateKey = await this.#local.stateKey(scope);
    if (stateKey !== undefined) {
      return { key: Directory.keyOf(id, stateKey), stateKey, isStateful: true };
    }
    const newsKey = `news ${this.#local.newsKey(scope)}`;
    return { key: Directory.keyOf(id, newsKey), stateKey: newsKey, isStateful: false };
  }

  /** This process owns nothing any more; streams that do no harm go on. */
  fence(): void {
    this.#broadcasts.stop({ isStateful: true });
  }

  close(): void {
    for (const undo of this.#undo) undo();
    clearInterval(this.#sweeper);
    for (const { over } of this.#topics.values()) over.abort();
    this.#topics.clear();
    this.#unsubscribe?.();
    this.#broadcasts.stop();
  }

  #open(scope: UpstreamScope): Topic {
    this.#unsubscribe ??= this.#parts.courier.subscribe(this.#subject, (body, from) => {
      const { node, epoch } = this.#parts.membership;
      // What this process told the others it has told itself.
      if (from !== `${node}.${epoch}`) this.#hear(unpack<Bulletin>(body).facts);
    });
    return {
      listeners: new Map(),
      over: new AbortController(),
      scope,
      station: undefined,
      source: undefined,
      revision: undefined,
      wake: () => {},
    };
  }

  /** Sees to it that somebody listens, for as long as anybody wants to know. */
  async #attend(topic: Topic): Promise<void> {
    const { signal } = topic.over;
    while (!signal.aborted) {
      const wait = await this.#ask(topic).catch(() => this.#retry);
      if (signal.aborted) return;
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, wait * (0.75 + Math.random() / 2));
        timer.unref();
        topic.wake = () => {
          clearTimeout(timer);
          resolve();
        };
        signal.addEventListener("abort", topic.wake, { once: true });
      });
    }
  }

  async #ask(topic: Topic): Promise<number> {
    const { membership } = this.#parts;
    const { scope } = topic;
    const station = await this.station(scope);
    topic.station = station;
    const take = !station.isStateful || membership.roles.includes("runner");
    const found = await this.#directory.find(station.key, { take });
    if (found && "wait" in found) return Math.max(found.wait, 1);
    const runner = runnerFor(station.key, membership.members("runner"));
    const claim = found?.claim ?? (runner && { ...runner, revision: 0 });
    if (!claim) return this.#retry;
    topic.source = claim;
    const resources = [...new Set([...topic.listeners.values()].flat())];
    const isHere = claim.node === membership.node;
    // What went on while this process was counted out.
    if (!isHere) void this.#broadcasts.leave(station.key, SELF);
    const revision = isHere
      ? await this.#broadcasts.attend(station, { name: SELF, scope, resources, until: Infinity })
      : await this.#askOther(claim, station, { scope, resources });
    const isBehind = topic.revision !== undefined && revision > topic.revision;
    topic.revision = Math.max(topic.revision ?? 0, revision);
    if (isBehind) this.#heal(topic);
    return this.#interval;
  }

  async #askOther(
    claim: Member & { revision: number },
    { key }: Station,
    facts: ListenFacts,
  ): Promise<number> {
    const { id: server } = this.#local;
    const { revision } = claim;
    const asking = { op: "listen", server, key, revision, deadline: DEADLINE, body: pack(facts) };
    try {
      const answer = await this.#parts.courier.request(claim, asking);
      const { facts: reply, text } = unpack<Reply>(answer);
      if (reply.kind === undefined) return Number(text);
      throw new UpstreamError("unreachable", `${server} is not listened to there.`);
    } catch (error) {
      this.#directory.doubt(key, revision);
      throw error;
    }
  }

  #hear({ key, revision, previous, change }: Bulletin): void {
    for (const topic of this.#topics.values()) {
      if (topic.station?.key !== key) continue;
      const isGap = topic.revision !== undefined && previous > topic.revision;
      const isOld = topic.revision !== undefined && revision < topic.revision;
      if (isOld) continue;
      topic.revision = revision;
      if (isGap) this.#heal(topic);
      else this.#tell(topic, change);
    }
  }

  /** Something was missed: anything may have changed. */
  #heal(topic: Topic): void {
    this.#parts.tally.healedNews += 1;
    this.#tell(topic, "any");
  }

  #tell({ listeners }: Topic, change: Bulletin["change"]): void {
    const uris = new Set([...listeners.values()].flat());
    const changes =
      change === "any"
        ? [
            ...LISTS.map((kind) => ({ kind })),
            ...[...uris].map((uri) => ({ kind: "resource" as const, uri })),
          ]
        : [change];
    for (const listener of [...listeners.keys()]) {
      for (const each of changes) {
        try {
          listener({ server: this.#local.id, ...each });
        } catch {
          // One that fails must not cost the others their news.
        }
      }
    }
  }

  #wakeAll(isMeant: (topic: Topic) => boolean = () => true): void {
    for (const topic of this.#topics.values()) if (isMeant(topic)) topic.wake();
  }

  #sweep(): void {
    void this.#broadcasts.sweep((station) => {
      if (!station.isStateful) void this.#directory.release(station.key, async () => {});
    });
  }
}

/** What the news share with the calls of the same server. */
interface NewsHands {
  owner: Owner;
  directory: Directory;
}
