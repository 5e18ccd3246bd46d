// Handles the requests of other processes to the owner of a server's process or session.

import {
  type OwnableUpstream,
  parseSerialized,
  type RequestMessage,
  serialize,
  UpstreamError,
  type UpstreamScope,
} from "@vitrine/gateway/upstreams";
import { type Directory, directoryKey } from "../membership/directory.ts";
import { NotOwnerError, type Owned, type Owner } from "../membership/owner.ts";
import type { Counts } from "./call-counts.ts";
import type { ChangeFeed } from "./change-feed.ts";
import type { CallFacts, ListenFacts } from "./owner-protocol.ts";
import { pack, unpack } from "./payload.ts";
import type { IncomingRequest } from "./request-receiver.ts";

interface HandlerParts {
  owner: Owner;
  directory: Directory;
  changes: ChangeFeed;
  counts: Counts;
}

/** The owner's side of the calls of one server. */
export class OwnerRpcHandler {
  readonly #local: OwnableUpstream;
  readonly #parts: HandlerParts;

  constructor(local: OwnableUpstream, parts: HandlerParts) {
    this.#local = local;
    this.#parts = parts;
  }

  async handle(request: IncomingRequest): Promise<string> {
    try {
      return pack(undefined, await this.#run(request));
    } catch (error) {
      if (error instanceof NotOwnerError) return pack({ kind: "not-owner" });
      const { code, message, facts } = asUpstreamError(error);
      const { sent, status, challenge, retryAfter } = facts;
      return pack({ kind: "error", code, message, facts: { sent, status, challenge, retryAfter } });
    }
  }

  async #run(request: IncomingRequest): Promise<string> {
    const { facts, text } = unpack<CallFacts & ListenFacts>(request.body);
    const { scope, deadline } = facts;
    switch (request.op) {
      case "listen": {
        const source = await this.#parts.changes.sourceOf(scope);
        await this.#checkOwner(request, source.key);
        return `${await this.#parts.changes.subscribe(source, request.from, facts)}`;
      }
      case "notify":
        return this.#asOwner(request, facts, "", async () => {
          await this.#local.notify(parseSerialized(text), scope);
          return "";
        });
      case "discover":
        return this.#asOwner(request, facts, "server/discover", async () =>
          serialize(await this.#local.discover(scope)),
        );
      case "call": {
        const message = parseSerialized<RequestMessage>(text);
        return this.#asOwner(request, facts, message.method, async (signal) => {
          const onNotification = request.notify;
          const call = { message, scope, deadline, signal, onNotification };
          return serialize((await this.#local.send(call)).message);
        });
      }
      default:
        throw new UpstreamError(
          "malformed",
          `Unknown operation "${request.op}" between processes.`,
        );
    }
  }

  async #asOwner(
    request: IncomingRequest,
    { scope }: CallFacts,
    method: string,
    work: (signal: AbortSignal) => Promise<string>,
  ): Promise<string> {
    const { owner, counts } = this.#parts;
    const { signal } = request;
    try {
      const owned = await this.#ownedBy(request, scope);
      // It arrived before the end and was checked since; the process may already be ending.
      if (owner.isClosing) throw new NotOwnerError(`${this.#local.id} is about to run elsewhere.`);
      const response = await owner.run(owned, work, { method, signal });
      counts.received.answered += 1;
      return response;
    } catch (error) {
      const isElsewhere = error instanceof NotOwnerError;
      const outcome = signal.aborted ? "cancelled" : isElsewhere ? "elsewhere" : "failed";
      counts.received[outcome] += 1;
      throw error;
    }
  }

  /** What the request is about, if this process owns it at the revision that the caller relies on. */
  async #ownedBy(request: IncomingRequest, scope: UpstreamScope): Promise<Owned> {
    const stateKey = await this.#local.stateKey(scope);
    const key = stateKey === undefined ? "" : directoryKey(this.#local.id, stateKey);
    await this.#checkOwner(request, key);
    return { key, stateKey: stateKey as string };
  }

  async #checkOwner({ key, revision }: IncomingRequest, own: string): Promise<void> {
    const { directory } = this.#parts;
    // The caller has another configuration of the server, so its key means something else.
    if (own !== key) throw new NotOwnerError(`${this.#local.id} has no such key here.`);
    if (revision === 0) {
      // The caller found no owner and can't be one itself.
      await directory.find(key, { take: true });
      if (directory.isMine(key)) return;
    } else if (directory.isMine(key, revision)) return;
    throw new NotOwnerError(`${this.#local.id} isn't owned here at revision ${revision}.`);
  }
}

function asUpstreamError(error: unknown): UpstreamError {
  if (error instanceof UpstreamError) return error;
  return new UpstreamError("unreachable", "The call failed in the gateway.", { sent: true });
}
