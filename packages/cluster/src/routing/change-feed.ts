// The changes of a server in a cluster. One process subscribes at the server and publishes the changes over the
// bus. The bus may lose messages, so each process asks for the revision now and then, and right after it was
// disconnected.

import {
  type ListenOptions,
  type OwnableUpstream,
  UpstreamError,
  type UpstreamEvent,
  type UpstreamScope,
} from "@vitrine/gateway/upstreams";
import { type Directory, directoryKey } from "../membership/directory.ts";
import { type Member, nameOf } from "../membership/membership.ts";
import type { Owner } from "../membership/owner.ts";
import { runnerFor } from "../membership/placement.ts";
import { ChangePublisher, type ChangeSource, type PublishedChange } from "./change-publisher.ts";
import type { ClusterParts } from "./cluster-parts.ts";
import type { ListenFacts, OwnerResponse } from "./owner-protocol.ts";
import { pack, unpack } from "./payload.ts";

type Listener = (event: UpstreamEvent) => void;

/** Times in milliseconds. */
export interface ChangeFeedOptions {
  /** Between two requests for the current revision. */
  interval?: number;
  /** Before a retry. */
  retry?: number;
}

interface Topic {
  readonly listeners: Map<Listener, readonly string[]>;
  readonly over: AbortController;
  scope: UpstreamScope;
  source: ChangeSource | undefined;
  /** The process that subscribed at the server. */
  publisher: Member | undefined;
  /** Everything up to this revision was delivered. */
  revision: number | undefined;
  wake: () => void;
}

const LISTS = ["tools", "resources", "prompts"] as const;
/** Missed renewals after which a subscriber is removed. */
const MISSES = 3;
const DEADLINE = 5000;
const SELF = "self";

/** The changes of one server, for the listeners of this process. */
export class ChangeFeed {
  readonly #local: OwnableUpstream;
  readonly #parts: ClusterParts;
  readonly #directory: Directory;
  readonly #publisher: ChangePublisher;
  readonly #interval: number;
  readonly #retry: number;
  readonly #subject: string;
  readonly #topics = new Map<string, Topic>();
  readonly #unsubscribes: (() => void)[];
  readonly #sweeper: NodeJS.Timeout;
  #unsubscribe: (() => void) | undefined;

  constructor(
    local: OwnableUpstream,
    parts: ClusterParts,
    { owner, directory, interval = 10_000, retry = 1000 }: ChangeFeedOptions & FeedParts,
  ) {
    const { engine, rpc, membership } = parts;
    this.#local = local;
    this.#parts = parts;
    this.#directory = directory;
    this.#interval = interval;
    this.#retry = retry;
    // A server may have any name; a subject may not.
    this.#subject = `ev.${Buffer.from(local.id).toString("base64url")}`;
    this.#publisher = new ChangePublisher(local, {
      ...{ engine, rpc, owner, subject: this.#subject },
      deliver: (change) => this.#onChange(change),
    });
    this.#unsubscribes = [
      // Changes that were published while this process was disconnected never reached it.
      membership.onJoin(() => this.#wakeAll()),
      membership.onGone((gone) =>
        this.#wakeAll(
          ({ publisher }) => publisher !== undefined && nameOf(publisher) === nameOf(gone),
        ),
      ),
    ];
    this.#sweeper = setInterval(() => this.#sweep(), interval);
    this.#sweeper.unref();
  }

  /** Calls `fn` for each change, whichever process subscribed at the server. Returns an unsubscribe function. */
  listen(scope: UpstreamScope, fn: Listener, { resources = [] }: ListenOptions = {}): () => void {
    const name = this.#local.changeKey(scope);
    let topic = this.#topics.get(name);
    // A wrapper, because two callers may pass the same function.
    const listener: Listener = (event) => fn(event);
    if (topic) {
      topic.listeners.set(listener, resources);
      topic.scope = scope;
      if (resources.length > 0) topic.wake();
    } else {
      topic = this.#open(scope);
      topic.listeners.set(listener, resources);
      this.#topics.set(name, topic);
      void this.#follow(topic);
    }
    const kept = topic;
    return () => {
      if (!kept.listeners.delete(listener) || kept.listeners.size > 0) return;
      kept.over.abort();
      if (this.#topics.get(name) === kept) this.#topics.delete(name);
      if (kept.source) void this.#publisher.unsubscribe(kept.source.key, SELF);
      if (this.#topics.size === 0) {
        this.#unsubscribe?.();
        this.#unsubscribe = undefined;
      }
    };
  }

  /** Subscribes another process; this one owns the source. Resolves to the current revision. */
  subscribe(
    source: ChangeSource,
    from: Member,
    { scope, resources }: ListenFacts,
  ): Promise<number> {
    const until = performance.now() + MISSES * this.#interval;
    return this.#publisher.subscribe(source, { name: nameOf(from), scope, resources, until });
  }

  /** The source of the changes for a scope. */
  async sourceOf(scope: UpstreamScope): Promise<ChangeSource> {
    const { id } = this.#local;
    const stateKey = await this.#local.stateKey(scope);
    if (stateKey !== undefined) {
      return { key: directoryKey(id, stateKey), stateKey, isStateful: true };
    }
    const changeKey = `changes ${this.#local.changeKey(scope)}`;
    return { key: directoryKey(id, changeKey), stateKey: changeKey, isStateful: false };
  }

  /** This process lost its lease: subscriptions that need an owner end. */
  fence(): void {
    this.#publisher.stop({ isStateful: true });
  }

  close(): void {
    for (const undo of this.#unsubscribes) undo();
    clearInterval(this.#sweeper);
    for (const { over } of this.#topics.values()) over.abort();
    this.#topics.clear();
    this.#unsubscribe?.();
    this.#publisher.stop();
  }

  #open(scope: UpstreamScope): Topic {
    this.#unsubscribe ??= this.#parts.rpc.subscribe(this.#subject, (body, from) => {
      const { node, epoch } = this.#parts.membership;
      // Its own changes were delivered before they were published.
      if (from !== `${node}.${epoch}`) this.#onChange(unpack<PublishedChange>(body).facts);
    });
    return {
      listeners: new Map(),
      over: new AbortController(),
      scope,
      source: undefined,
      publisher: undefined,
      revision: undefined,
      wake: () => {},
    };
  }

  /** Keeps a process subscribed at the server for as long as there are listeners. */
  async #follow(topic: Topic): Promise<void> {
    const { signal } = topic.over;
    while (!signal.aborted) {
      const wait = await this.#subscribe(topic).catch(() => this.#retry);
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

  async #subscribe(topic: Topic): Promise<number> {
    const { membership } = this.#parts;
    const { scope } = topic;
    const source = await this.sourceOf(scope);
    topic.source = source;
    const take = !source.isStateful || membership.roles.includes("runner");
    const found = await this.#directory.find(source.key, { take });
    if (found && "wait" in found) return Math.max(found.wait, 1);
    const runner = runnerFor(source.key, membership.members("runner"));
    const claim = found?.claim ?? (runner && { ...runner, revision: 0 });
    if (!claim) return this.#retry;
    topic.publisher = claim;
    const resources = [...new Set([...topic.listeners.values()].flat())];
    const isHere = claim.node === membership.node;
    // A subscription from before this process lost its lease.
    if (!isHere) void this.#publisher.unsubscribe(source.key, SELF);
    const revision = isHere
      ? await this.#publisher.subscribe(source, { name: SELF, scope, resources, until: Infinity })
      : await this.#subscribeAt(claim, source, { scope, resources });
    const isBehind = topic.revision !== undefined && revision > topic.revision;
    topic.revision = Math.max(topic.revision ?? 0, revision);
    if (isBehind) this.#reportGap(topic);
    return this.#interval;
  }

  async #subscribeAt(
    claim: Member & { revision: number },
    { key }: ChangeSource,
    facts: ListenFacts,
  ): Promise<number> {
    const { id: server } = this.#local;
    const { revision } = claim;
    const asking = { op: "listen", server, key, revision, deadline: DEADLINE, body: pack(facts) };
    try {
      const answer = await this.#parts.rpc.request(claim, asking);
      const { facts: reply, text } = unpack<OwnerResponse>(answer);
      if (reply.kind === undefined) return Number(text);
      throw new UpstreamError("unreachable", `${server} isn't owned by that process.`);
    } catch (error) {
      this.#directory.doubt(key, revision);
      throw error;
    }
  }

  #onChange({ key, revision, previous, change }: PublishedChange): void {
    for (const topic of this.#topics.values()) {
      if (topic.source?.key !== key) continue;
      const isGap = topic.revision !== undefined && previous > topic.revision;
      const isOld = topic.revision !== undefined && revision < topic.revision;
      if (isOld) continue;
      topic.revision = revision;
      if (isGap) this.#reportGap(topic);
      else this.#deliver(topic, change);
    }
  }

  /** Changes were missed, so every list and resource may have changed. */
  #reportGap(topic: Topic): void {
    this.#parts.counts.changesAfterGap += 1;
    this.#deliver(topic, "any");
  }

  #deliver({ listeners }: Topic, change: PublishedChange["change"]): void {
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
          // A listener that throws must not affect the others.
        }
      }
    }
  }

  #wakeAll(isMeant: (topic: Topic) => boolean = () => true): void {
    for (const topic of this.#topics.values()) if (isMeant(topic)) topic.wake();
  }

  #sweep(): void {
    void this.#publisher.sweep((source) => {
      if (!source.isStateful) void this.#directory.release(source.key, async () => {});
    });
  }
}

/** Parts that are shared with the calls of the same server. */
interface FeedParts {
  owner: Owner;
  directory: Directory;
}
