// The owner's side of a server's changes: one subscription at the server for all who share it, published to
// every process that wants it. Each change gets a revision and names the one before, so that a process that
// missed a change notices it with the next.

import type { Engine, Kv } from "@vitrine/gateway/engine";
import type { OwnableUpstream, UpstreamEvent, UpstreamScope } from "@vitrine/gateway/upstreams";
import type { Owned, Owner } from "../membership/owner.ts";
import { pack } from "./payload.ts";
import type { PeerRpc } from "./peer-rpc.ts";

/** A change, or "any" if some may have been missed. */
export interface PublishedChange {
  key: string;
  revision: number;
  previous: number;
  change: Omit<UpstreamEvent, "server"> | "any";
}

/** Something whose changes can be subscribed to. */
export interface ChangeSource extends Owned {
  /** False for a server without sessions: its owner saves subscriptions, but isn't needed for safety. */
  readonly isStateful: boolean;
}

/** A process that wants the changes of a source. */
export interface Subscriber {
  name: string;
  scope: UpstreamScope;
  resources: readonly string[];
  /** The end of the subscription unless it is renewed, on the monotonic clock. */
  until: number;
}

export interface ChangePublisherOptions {
  engine: Engine;
  rpc: PeerRpc;
  owner: Owner;
  subject: string;
  /** Delivers a change to the listeners of this process. */
  deliver(change: PublishedChange): void;
}

interface Publication {
  readonly source: ChangeSource;
  readonly subscribers: Map<string, Subscriber>;
  readonly release: () => void;
  scope: UpstreamScope;
  resources: readonly string[];
  revision: number;
  /** Publishes one change after the other, so that revisions rise in the order of delivery. */
  queue: Promise<void>;
  /** A change couldn't be stored, so other processes may have missed it. */
  isBehind: boolean;
  stop: (() => void) | undefined;
}

const encoder = new TextEncoder();

/** The changes of one server that this process publishes. */
export class ChangePublisher {
  readonly #local: OwnableUpstream;
  readonly #options: ChangePublisherOptions;
  readonly #revisions: Kv;
  readonly #publications = new Map<string, Promise<Publication>>();

  constructor(local: OwnableUpstream, options: ChangePublisherOptions) {
    this.#local = local;
    this.#options = options;
    this.#revisions = options.engine.kv("revisions");
  }

  /** Adds or renews a subscriber. Resolves to the current revision. */
  async subscribe(source: ChangeSource, subscriber: Subscriber): Promise<number> {
    let opening = this.#publications.get(source.key);
    if (!opening) {
      opening = this.#open(source, subscriber);
      this.#publications.set(source.key, opening);
      opening.catch(() => this.#publications.delete(source.key));
    }
    const publication = await opening;
    publication.subscribers.set(subscriber.name, subscriber);
    publication.scope = subscriber.scope;
    this.#listen(publication);
    if (publication.isBehind) await this.#enqueue(publication, "any");
    return publication.revision;
  }

  /** Removes subscribers whose time is over; calls `onUnused` for each source without any left. */
  async sweep(
    onUnused: (source: ChangeSource) => void,
    now: number = performance.now(),
  ): Promise<void> {
    for (const [key, opening] of [...this.#publications]) {
      const publication = await opening.catch(() => undefined);
      if (!publication) continue;
      for (const { name, until } of publication.subscribers.values()) {
        if (until <= now) publication.subscribers.delete(name);
      }
      if (publication.subscribers.size > 0) this.#listen(publication);
      else {
        this.#end(key, publication);
        onUnused(publication.source);
      }
    }
  }

  async unsubscribe(key: string, name: string): Promise<void> {
    const publication = await this.#publications.get(key)?.catch(() => undefined);
    publication?.subscribers.delete(name);
  }

  /** Ends everything, or only what needs an owner. */
  stop({ isStateful }: { isStateful?: true } = {}): void {
    for (const [key, opening] of [...this.#publications]) {
      void opening.then(
        (publication) => {
          if (!isStateful || publication.source.isStateful) this.#end(key, publication);
        },
        () => {},
      );
    }
  }

  #end(key: string, publication: Publication): void {
    this.#publications.delete(key);
    publication.stop?.();
    publication.stop = undefined;
    publication.release();
  }

  async #open(source: ChangeSource, { scope }: Subscriber): Promise<Publication> {
    const known = await this.#revisions.get(source.key);
    const publication: Publication = {
      source,
      scope,
      subscribers: new Map(),
      release: source.isStateful ? this.#options.owner.hold(source) : () => {},
      resources: [],
      revision: known?.revision ?? 0,
      queue: Promise.resolve(),
      isBehind: false,
      stop: undefined,
    };
    // Another process published before; changes since then reached nobody.
    if (known) await this.#publish(publication, "any");
    else publication.revision = await this.#revisions.put(source.key, this.#value());
    return publication;
  }

  /** Listens to what all subscribers want. */
  #listen(publication: Publication): void {
    const { subscribers, resources, stop } = publication;
    const wanted = new Set([...subscribers.values()].flatMap((each) => each.resources));
    const isSame = wanted.size === resources.length && resources.every((uri) => wanted.has(uri));
    if (stop && isSame) return;
    publication.resources = [...wanted];
    const onEvent = ({ kind, uri }: UpstreamEvent): void =>
      void this.#enqueue(publication, uri === undefined ? { kind } : { kind, uri });
    publication.stop = this.#local.listen(latestScope(publication), onEvent, {
      resources: publication.resources,
    });
    stop?.();
  }

  #enqueue(publication: Publication, change: PublishedChange["change"]): Promise<void> {
    publication.queue = publication.queue.then(() => this.#publish(publication, change));
    return publication.queue;
  }

  async #publish(publication: Publication, change: PublishedChange["change"]): Promise<void> {
    const { rpc, subject, deliver } = this.#options;
    const { key } = publication.source;
    const previous = publication.revision;
    try {
      publication.revision = await this.#revisions.put(key, this.#value());
      publication.isBehind = false;
    } catch {
      // The listeners here still get it; other processes do when the engine is back.
      publication.isBehind = true;
      deliver({ key, revision: previous, previous, change });
      return;
    }
    const published = { key, revision: publication.revision, previous, change };
    deliver(published);
    rpc.publish(subject, this.#local.id, pack(published));
  }

  #value(): Uint8Array {
    return encoder.encode(this.#local.id);
  }
}

/** Reads the latest headers each time, because tokens change while a subscription lasts. */
function latestScope(publication: Publication): UpstreamScope {
  const { headers, ...rest } = publication.scope;
  if (!headers) return rest;
  return {
    ...rest,
    get headers() {
      return publication.scope.headers ?? headers;
    },
  };
}
