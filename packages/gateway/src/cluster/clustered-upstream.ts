// A server of which only one process can have the child or session. Calls go to that process, wherever they
// came in; a server without either is called from here, and the engine never hears of it.

import type { CallerMessage } from "../json-rpc/message.ts";
import { parseSerialized } from "../json-rpc/parse.ts";
import { serialize } from "../json-rpc/serialize.ts";
import type { CallSignal } from "../upstreams/cancellation.ts";
import { isRepeatable } from "../upstreams/leg.ts";
import {
  type DiscoverResult,
  type ListenOptions,
  type OwnableUpstream,
  type Upstream,
  type UpstreamAnswer,
  type UpstreamCall,
  UpstreamError,
  type UpstreamEvent,
  type UpstreamScope,
} from "../upstreams/upstream.ts";
import type { ClusterParts } from "./cluster.ts";
import { Directory } from "./directory.ts";
import { type Errand, Errands } from "./errands.ts";
import { type NewsOptions, NewsWire } from "./news-wire.ts";
import { Owner, type OwnerOptions } from "./owner.ts";
import { OwnerDesk } from "./owner-desk.ts";

/** How a server is run in a cluster. Times in milliseconds. */
export interface ClusteredOptions extends OwnerOptions {
  /** The longest a caller waits until what a dead process owned has another owner. */
  patience?: number;
  news?: NewsOptions;
}

const OWN_DEADLINE = 30_000;
const PATIENCE = 8000;
const MOST_KEYS = 10_000;

/** An upstream that is one in the whole cluster. */
export class ClusteredUpstream implements Upstream {
  readonly #local: OwnableUpstream;
  readonly #directory: Directory;
  readonly #owner: Owner;
  readonly #errands: Errands;
  readonly #news: NewsWire;
  readonly #keys = new Map<string, string>();
  readonly #undo: (() => void)[];
  #closing: Promise<void> | undefined;

  constructor(local: OwnableUpstream, parts: ClusterParts, options: ClusteredOptions = {}) {
    const { engine, membership, courier } = parts;
    const { patience = PATIENCE } = options;
    const directory = new Directory(engine, membership);
    const owner = new Owner(local, { directory, ...options });
    const news = new NewsWire(local, parts, { ...options.news, owner, directory });
    const keyOf = (stateKey: string): string => this.#keyOf(stateKey);
    const desk = new OwnerDesk(local, { owner, directory, news, tally: parts.tally, keyOf });
    this.#local = local;
    this.#directory = directory;
    this.#owner = owner;
    this.#news = news;
    this.#errands = new Errands(local, parts, { owner, directory, patience });
    this.#undo = [
      membership.onFence(() => {
        news.fence();
        return owner.fence();
      }),
      courier.answer(local.id, (question) => desk.answer(question)),
      () => news.close(),
    ];
  }

  get id(): string {
    return this.#local.id;
  }

  get kind(): Upstream["kind"] {
    return this.#local.kind;
  }

  /** Whether this process may start what a key stands for. */
  mayStart(stateKey: string): boolean {
    return this.#directory.isMine(this.#keyOf(stateKey));
  }

  send(call: UpstreamCall): Promise<UpstreamAnswer> {
    if (call.message.method === "ping") return this.#local.send(call);
    const known = this.#local.stateKey(call.scope);
    const send = (stateKey: string | undefined): Promise<UpstreamAnswer> =>
      stateKey === undefined ? this.#local.send(call) : this.#send(call, stateKey);
    return known instanceof Promise ? known.then(send) : send(known);
  }

  async notify(message: CallerMessage, scope: UpstreamScope): Promise<void> {
    const stateKey = await this.#local.stateKey(scope);
    if (stateKey === undefined) return this.#local.notify(message, scope);
    const text = serialize(message);
    await this.#run(stateKey, OWN, {
      ...{ op: "notify", scope, method: "", repeatable: undefined, text, isSafe: false },
      here: () => this.#local.notify(message, scope),
      read: () => undefined,
      onNotification: undefined,
    });
  }

  async discover(scope: UpstreamScope): Promise<DiscoverResult> {
    const stateKey = await this.#local.stateKey(scope);
    if (stateKey === undefined) return this.#local.discover(scope);
    const method = "server/discover";
    return this.#run(stateKey, OWN, {
      ...{ op: "discover", scope, method, repeatable: undefined, text: undefined, isSafe: true },
      here: () => this.#local.discover(scope),
      read: (text) => parseSerialized<DiscoverResult>(text),
      onNotification: undefined,
    });
  }

  listen(
    scope: UpstreamScope,
    fn: (event: UpstreamEvent) => void,
    options?: ListenOptions,
  ): () => void {
    return this.#closing ? () => {} : this.#news.listen(scope, fn, options);
  }

  close(): Promise<void> {
    if (!this.#closing) {
      for (const undo of this.#undo) undo();
      this.#closing = this.#owner.close();
    }
    return this.#closing;
  }

  #send(call: UpstreamCall, stateKey: string): Promise<UpstreamAnswer> {
    const { message, scope, repeatable, onNotification } = call;
    const { method } = message;
    return this.#run<UpstreamAnswer>(stateKey, call, {
      op: "call",
      scope,
      method,
      repeatable,
      text: serialize(message),
      isSafe: isRepeatable(method, call),
      here: (signal, deadline) => this.#local.send({ ...call, signal, deadline }),
      read: readAnswer,
      onNotification,
    });
  }

  #run<T>(
    stateKey: string,
    wait: { signal?: CallSignal; deadline: number },
    errand: Errand<T>,
  ): Promise<T> {
    if (this.#closing) {
      const closed = new UpstreamError("closed", `The upstream ${this.id} was closed.`);
      return Promise.reject(closed);
    }
    return this.#errands.run({ key: this.#keyOf(stateKey), stateKey }, errand, wait);
  }

  /** A hash, which a call should not have to wait for. */
  #keyOf(stateKey: string): string {
    const known = this.#keys.get(stateKey);
    if (known) return known;
    if (this.#keys.size >= MOST_KEYS) this.#keys.clear();
    const key = Directory.keyOf(this.id, stateKey);
    this.#keys.set(stateKey, key);
    return key;
  }
}

const OWN = { deadline: OWN_DEADLINE };

/** Read again here, and only if this process reads what the owner wrote. */
function readAnswer(text: string): UpstreamAnswer {
  return { message: parseSerialized(text) };
}
