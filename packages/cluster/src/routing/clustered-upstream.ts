// A server of which only one process of the cluster runs the child process or session. Calls go to that
// process, wherever they came in. A server without either is called from here, without the engine.

import type { ClusterUpstream } from "@vitrine/gateway/cluster-port";
import {
  type CallerMessage,
  type DiscoverResult,
  type ListenOptions,
  type OwnableUpstream,
  parseSerialized,
  serialize,
  type Upstream,
  type UpstreamAnswer,
  type UpstreamCall,
  UpstreamError,
  type UpstreamEvent,
  type UpstreamScope,
} from "@vitrine/gateway/upstreams";
import { Directory, directoryKey } from "../membership/directory.ts";
import { Owner, type OwnerOptions } from "../membership/owner.ts";
import { ChangeFeed, type ChangeFeedOptions } from "./change-feed.ts";
import type { ClusterParts } from "./cluster-parts.ts";
import { type OwnerCall, OwnerRouter } from "./owner-router.ts";
import { OwnerRpcHandler } from "./owner-rpc-handler.ts";

/** How a server runs in a cluster. Times are milliseconds. */
export interface ClusteredOptions extends OwnerOptions {
  /** The longest a caller waits until a dead process's servers have a new owner. */
  patience?: number;
  changes?: ChangeFeedOptions;
}

const PATIENCE = 8_000;
/** For calls that the gateway makes itself. */
const OWN = { deadline: 30_000 };

/** An upstream that one process runs for the whole cluster. */
export class ClusteredUpstream implements ClusterUpstream {
  readonly #local: OwnableUpstream;
  readonly #directory: Directory;
  readonly #owner: Owner;
  readonly #router: OwnerRouter;
  readonly #changes: ChangeFeed;
  readonly #unsubscribe: (() => void)[];
  #closing: Promise<void> | undefined;

  constructor(local: OwnableUpstream, parts: ClusterParts, options: ClusteredOptions = {}) {
    const { engine, membership, rpc, counts } = parts;
    const { patience = PATIENCE } = options;
    const directory = new Directory(engine, membership);
    const owner = new Owner(local, { directory, ...options });
    const changes = new ChangeFeed(local, parts, { ...options.changes, owner, directory });
    const handler = new OwnerRpcHandler(local, { owner, directory, changes, counts });
    this.#local = local;
    this.#directory = directory;
    this.#owner = owner;
    this.#changes = changes;
    this.#router = new OwnerRouter(local, parts, { owner, directory, patience });
    this.#unsubscribe = [
      membership.onFence(() => {
        changes.fence();
        return owner.fence();
      }),
      rpc.handle(local.id, (request) => handler.handle(request)),
      () => changes.close(),
    ];
  }

  get id(): string {
    return this.#local.id;
  }

  get kind(): Upstream["kind"] {
    return this.#local.kind;
  }

  mayStart(stateKey: string): boolean {
    return this.#directory.isMine(directoryKey(this.id, stateKey));
  }

  async send(call: UpstreamCall): Promise<UpstreamAnswer> {
    const { message, scope, onNotification } = call;
    const { method } = message;
    const stateKey = method === "ping" ? undefined : await this.#local.stateKey(scope);
    if (stateKey === undefined) return this.#local.send(call);
    return this.#route<UpstreamAnswer>(stateKey, call, {
      ...{ op: "call", scope, method, onNotification },
      text: serialize(message),
      runHere: (signal, deadline) => this.#local.send({ ...call, signal, deadline }),
      read: (text) => ({ message: parseSerialized(text) }),
    });
  }

  async notify(message: CallerMessage, scope: UpstreamScope): Promise<void> {
    const stateKey = await this.#local.stateKey(scope);
    if (stateKey === undefined) return this.#local.notify(message, scope);
    await this.#route(stateKey, OWN, {
      ...{ op: "notify", scope, method: "", text: serialize(message) },
      runHere: () => this.#local.notify(message, scope),
      read: () => undefined,
    });
  }

  async discover(scope: UpstreamScope): Promise<DiscoverResult> {
    const stateKey = await this.#local.stateKey(scope);
    if (stateKey === undefined) return this.#local.discover(scope);
    return this.#route(stateKey, OWN, {
      ...{ op: "discover", scope, method: "server/discover" },
      runHere: () => this.#local.discover(scope),
      read: (text) => parseSerialized<DiscoverResult>(text),
    });
  }

  listen(
    scope: UpstreamScope,
    fn: (event: UpstreamEvent) => void,
    options?: ListenOptions,
  ): () => void {
    return this.#closing ? () => {} : this.#changes.listen(scope, fn, options);
  }

  close(): Promise<void> {
    if (!this.#closing) {
      for (const unsubscribe of this.#unsubscribe) unsubscribe();
      this.#closing = this.#owner.close();
    }
    return this.#closing;
  }

  async #route<T>(
    stateKey: string,
    wait: { signal?: AbortSignal; deadline: number },
    call: OwnerCall<T>,
  ): Promise<T> {
    if (this.#closing) throw new UpstreamError("closed", `The upstream ${this.id} was closed.`);
    return this.#router.run({ key: directoryKey(this.id, stateKey), stateKey }, call, wait);
  }
}
