// The owner's side of the news of a server: one stream from the server for each who share it, told to all
// processes that want to know. Each change gets a revision, and says which one came before it, so that whoever
// missed one finds out with the next.

import type { Engine, Kv } from "../engine/engine.ts";
import type { OwnableUpstream, UpstreamEvent, UpstreamScope } from "../upstreams/upstream.ts";
import type { Courier } from "./courier.ts";
import type { Holding, Owner } from "./owner.ts";
import { pack } from "./parcel.ts";

/** What is told: a change, or that there may have been any. */
export interface Bulletin {
  key: string;
  revision: number;
  /** The revision before it. */
  previous: number;
  change: Omit<UpstreamEvent, "server"> | "any";
}

/** What can be listened to. */
export interface Station extends Holding {
  /** A stream of a server without sessions needs an owner for economy, not for safety. */
  readonly isStateful: boolean;
}

/** Who wants to know, and what. */
export interface Interest {
  name: string;
  scope: UpstreamScope;
  resources: readonly string[];
  /** When it is over unless it is renewed, by the clock that nobody sets. */
  until: number;
}

/** What broadcasting needs. */
export interface BroadcastsOptions {
  engine: Engine;
  courier: Courier;
  owner: Owner;
  subject: string;
  /** Tells those in this process. */
  tell(bulletin: Bulletin): void;
}

interface Broadcast {
  readonly station: Station;
  readonly interests: Map<string, Interest>;
  readonly release: () => void;
  scope: UpstreamScope;
  resources: readonly string[];
  revision: number;
  /** Changes one after the other: their revisions rise in the order in which they are told. */
  last: Promise<void>;
  /** A change could not be written down: others have not heard of it. */
  isBehind: boolean;
  stop: (() => void) | undefined;
}

const encoder = new TextEncoder();

/** The streams of one server that this process owns. */
export class Broadcasts {
  readonly #local: OwnableUpstream;
  readonly #options: BroadcastsOptions;
  readonly #kv: Kv;
  readonly #broadcasts = new Map<string, Promise<Broadcast>>();

  constructor(local: OwnableUpstream, options: BroadcastsOptions) {
    this.#local = local;
    this.#options = options;
    this.#kv = options.engine.kv("revisions");
  }

  /** Takes or renews an interest; resolves to the present revision. */
  async attend(station: Station, interest: Interest): Promise<number> {
    let opening = this.#broadcasts.get(station.key);
    if (!opening) {
      opening = this.#open(station, interest);
      this.#broadcasts.set(station.key, opening);
      opening.catch(() => this.#broadcasts.delete(station.key));
    }
    const broadcast = await opening;
    broadcast.interests.set(interest.name, interest);
    broadcast.scope = interest.scope;
    this.#tune(broadcast);
    if (broadcast.isBehind) {
      broadcast.last = broadcast.last.then(() => this.#publish(broadcast, "any"));
      await broadcast.last;
    }
    return broadcast.revision;
  }

  /** Lets go of interests that are over; the key of a station nobody listens to any more is told. */
  async sweep(
    onUnused: (station: Station) => void,
    now: number = performance.now(),
  ): Promise<void> {
    for (const [key, opening] of [...this.#broadcasts]) {
      const broadcast = await opening.catch(() => undefined);
      if (!broadcast) continue;
      for (const { name, until } of broadcast.interests.values()) {
        if (until <= now) broadcast.interests.delete(name);
      }
      if (broadcast.interests.size > 0) this.#tune(broadcast);
      else {
        this.#end(key, broadcast);
        onUnused(broadcast.station);
      }
    }
  }

  /** Nobody of this name wants to know any more. */
  async leave(key: string, name: string): Promise<void> {
    const broadcast = await this.#broadcasts.get(key)?.catch(() => undefined);
    broadcast?.interests.delete(name);
  }

  /** Ends what only an owner may have, or everything. */
  stop({ isStateful }: { isStateful?: true } = {}): void {
    for (const [key, opening] of [...this.#broadcasts]) {
      void opening.then(
        (broadcast) => {
          if (!isStateful || broadcast.station.isStateful) this.#end(key, broadcast);
        },
        () => {},
      );
    }
  }

  #end(key: string, broadcast: Broadcast): void {
    this.#broadcasts.delete(key);
    broadcast.stop?.();
    broadcast.stop = undefined;
    broadcast.release();
  }

  async #open(station: Station, { scope }: Interest): Promise<Broadcast> {
    const known = await this.#kv.get(station.key);
    const broadcast: Broadcast = {
      station,
      scope,
      interests: new Map(),
      release: station.isStateful ? this.#options.owner.hold(station) : () => {},
      resources: [],
      revision: known?.revision ?? 0,
      last: Promise.resolve(),
      isBehind: false,
      stop: undefined,
    };
    // Somebody else listened before: what came in between nobody heard.
    if (known) await this.#publish(broadcast, "any");
    else broadcast.revision = await this.#kv.put(station.key, this.#value());
    return broadcast;
  }

  /** Listens to what all of them want. */
  #tune(broadcast: Broadcast): void {
    const wanted = new Set([...broadcast.interests.values()].flatMap(({ resources }) => resources));
    const { resources, stop } = broadcast;
    const isSame = wanted.size === resources.length && resources.every((uri) => wanted.has(uri));
    if (stop && isSame) return;
    broadcast.resources = [...wanted];
    const hear = ({ kind, uri }: UpstreamEvent): void => {
      const change = uri === undefined ? { kind } : { kind, uri };
      broadcast.last = broadcast.last.then(() => this.#publish(broadcast, change));
    };
    broadcast.stop = this.#local.listen(newestScope(broadcast), hear, {
      resources: broadcast.resources,
    });
    stop?.();
  }

  async #publish(broadcast: Broadcast, change: Bulletin["change"]): Promise<void> {
    const { courier, subject, tell } = this.#options;
    const { key } = broadcast.station;
    const previous = broadcast.revision;
    try {
      broadcast.revision = await this.#kv.put(key, this.#value());
      broadcast.isBehind = false;
    } catch {
      // Those here can still be told; the others when the engine is back.
      broadcast.isBehind = true;
      tell({ key, revision: previous, previous, change });
      return;
    }
    const bulletin: Bulletin = { key, revision: broadcast.revision, previous, change };
    tell(bulletin);
    courier.publish(subject, this.#local.id, pack(bulletin));
  }

  #value(): Uint8Array {
    return encoder.encode(this.#local.id);
  }
}

/** Tokens change while a stream lasts: each time it is opened, the newest is used. */
function newestScope(broadcast: Broadcast): UpstreamScope {
  const { headers, ...rest } = broadcast.scope;
  if (!headers) return rest;
  return {
    ...rest,
    get headers() {
      return broadcast.scope.headers ?? headers;
    },
  };
}
