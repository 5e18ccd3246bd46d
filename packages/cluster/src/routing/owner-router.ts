// Sends a call to the process that owns the server's process or session: looks up the owner, retries where
// nothing can have happened, and reports an unknown outcome where something can.

import {
  CallLifetime,
  isRepeatable,
  type MessageText,
  type OwnableUpstream,
  parseSerialized,
  type UpstreamCall,
  UpstreamError,
  type UpstreamScope,
} from "@vitrine/gateway/upstreams";
import type { Claim, Directory } from "../membership/directory.ts";
import { isCode } from "../membership/membership.ts";
import { NotOwnerError, type Owned, type Owner } from "../membership/owner.ts";
import { runnerFor } from "../membership/placement.ts";
import type { ClusterParts } from "./cluster-parts.ts";
import type { OwnerResponse } from "./owner-protocol.ts";
import { pack, unpack } from "./payload.ts";
import { LostResponseError } from "./peer-protocol.ts";

/** A call that its owner carries out. */
export interface OwnerCall<T> {
  readonly op: "call" | "notify" | "discover";
  readonly method: string;
  readonly scope: UpstreamScope;
  readonly text?: MessageText;
  readonly onNotification?: UpstreamCall["onNotification"] | undefined;
  /** Carries the call out in this process. */
  runHere(signal: AbortSignal, deadline: number): Promise<T>;
  /** Reads the response of another process. */
  read(text: string): T;
}

export interface OwnerRouterOptions {
  owner: Owner;
  directory: Directory;
  /** Milliseconds that a caller waits until a dead process's servers have a new owner. */
  patience: number;
  /** How many claims of other processes are remembered; 10,000 by default. */
  maxOtherClaims?: number;
}

interface Attempt<T> {
  readonly owned: Owned;
  readonly call: OwnerCall<T>;
  readonly lifetime: CallLifetime;
  readonly signal: AbortSignal | undefined;
  /** The call was sent once before, and its response was lost. */
  isRepeated: boolean;
}

const PAUSE = 100;
const MOST_OTHER_CLAIMS = 10_000;
/** Milliseconds after the deadline for which the owner's own report of the timeout is accepted. */
const LATE = 2_000;

/** Routes the calls of one server. */
export class OwnerRouter {
  readonly #local: OwnableUpstream;
  readonly #parts: ClusterParts;
  readonly #options: OwnerRouterOptions;
  /**
   * The last claim of another process that was used, by key. At the limit the oldest is forgotten. That is safe:
   * the next call with that key only ends the stray session of this process again, which does nothing if there
   * is none. While another process owns the key, this process has no session there that it needs.
   */
  readonly #otherClaims = new Map<string, number>();

  constructor(local: OwnableUpstream, parts: ClusterParts, options: OwnerRouterOptions) {
    this.#local = local;
    this.#parts = parts;
    this.#options = options;
  }

  async run<T>(
    owned: Owned,
    call: OwnerCall<T>,
    wait: { signal?: AbortSignal; deadline: number },
  ): Promise<T> {
    const lifetime = new CallLifetime(wait);
    const attempt = { owned, call, lifetime, signal: wait.signal, isRepeated: false };
    try {
      for (;;) {
        const claim = this.#known(owned.key) ?? (await this.#findOwner(attempt));
        try {
          return await this.#runAt(claim, attempt);
        } catch (error) {
          await this.#recover(error, claim, attempt);
        }
      }
    } finally {
      lifetime.dispose();
    }
  }

  #runAt<T>(claim: Claim, attempt: Attempt<T>): Promise<T> {
    const { owned, call, lifetime, signal } = attempt;
    if (claim.node !== this.#parts.membership.node) return this.#send(claim, attempt);
    const options = { method: call.method, ...(signal && { signal }) };
    const run = (own: AbortSignal): Promise<T> => call.runHere(own, lifetime.rest);
    return this.#options.owner.run(owned, run, options);
  }

  async #send<T>(claim: Claim, { owned, call, lifetime }: Attempt<T>): Promise<T> {
    const { key, stateKey } = owned;
    const { op, scope, text, onNotification } = call;
    const { rpc, counts } = this.#parts;
    this.#endStraySession(key, stateKey, claim);
    const { rest, signal } = lifetime;
    const facts = { scope, deadline: Math.ceil(rest) };
    // The owner ends the call first and reports how; the bus only knows that no response came.
    const target = { server: this.#local.id, key, revision: claim.revision, deadline: rest + LATE };
    try {
      const response = await rpc.request(
        claim,
        { op, ...target, body: pack(facts, text) },
        { signal, onNotification: (each) => onNotification?.(parseSerialized(each)) },
      );
      const value = this.#read(response, call);
      counts.sent.answered += 1;
      return value;
    } catch (error) {
      throw this.#failure(error, lifetime);
    }
  }

  #read<T>(response: string, call: OwnerCall<T>): T {
    const { facts, text } = unpack<OwnerResponse>(response);
    if (facts.kind === "not-owner") throw new NotOwnerError(`${this.#local.id} runs elsewhere.`);
    if (facts.kind === "error") throw new UpstreamError(facts.code, facts.message, facts.facts);
    return call.read(text);
  }

  /** Counts a failure and converts errors of the bus. */
  #failure(error: unknown, { reason }: CallLifetime): unknown {
    const { sent } = this.#parts.counts;
    const server = this.#local.id;
    if (reason && error === reason) {
      sent.cancelled += 1;
      return reason.with({ sent: true });
    }
    // With no responders, nothing can have happened.
    if (error instanceof NotOwnerError || isCode(error, "no-responders")) {
      sent.elsewhere += 1;
      return new NotOwnerError(`${server} runs elsewhere.`);
    }
    if (error instanceof UpstreamError || isCode(error, "too-large")) {
      sent.failed += 1;
      if (error instanceof UpstreamError) return error;
      return new UpstreamError("too-large", `The call of ${server} is too large.`);
    }
    sent.lost += 1;
    if (error instanceof LostResponseError) return error;
    return new LostResponseError(`The response of ${server} was lost.`, { cause: error });
  }

  /** Returns if the call may be tried again, throws if not. */
  async #recover(error: unknown, { revision }: Claim, attempt: Attempt<unknown>): Promise<void> {
    const { directory, patience } = this.#options;
    const { owned, call, lifetime } = attempt;
    if (error instanceof LostResponseError) {
      directory.doubt(owned.key, revision);
      // Sending it again is safe only if carrying it out twice is the same as once.
      if (!isRepeatable(call.method)) throw this.#lostError("outcome-unknown");
      if (attempt.isRepeated) throw this.#lostError("unreachable");
      attempt.isRepeated = true;
      return;
    }
    if (!(error instanceof NotOwnerError)) throw error;
    directory.doubt(owned.key, revision);
    if (lifetime.age > patience) throw this.#noOwnerError(PAUSE);
    // The entry may be unchanged while its owner shuts down.
    if (directory.known(owned.key) === undefined) await pause(PAUSE, lifetime);
  }

  /** The owner without a lookup. A process without a lease doesn't know any more which processes live. */
  #known(key: string): Claim | undefined {
    if (this.#parts.membership.epoch === undefined) return undefined;
    return this.#options.directory.known(key);
  }

  /** The owner, as soon as there is one. */
  async #findOwner({ owned: { key }, lifetime }: Attempt<unknown>): Promise<Claim> {
    const { membership } = this.#parts;
    for (;;) {
      // Without a lease the lookup could block until the deadline.
      const hasLease = membership.epoch !== undefined;
      const found = hasLease ? await lifetime.race(this.#lookUp(key)) : { wait: PAUSE };
      if (found && "claim" in found) return found.claim;
      const runner = found ? undefined : runnerFor(key, membership.members("runner"));
      if (runner) return { ...runner, revision: 0 };
      const wait = Math.max(1, found?.wait ?? PAUSE);
      if (lifetime.age + wait > this.#options.patience) throw this.#noOwnerError(wait);
      await pause(wait, lifetime);
    }
  }

  async #lookUp(key: string): ReturnType<Directory["find"]> {
    const take = this.#parts.membership.roles.includes("runner");
    try {
      return await this.#options.directory.find(key, { take });
    } catch (cause) {
      const message = `The gateway couldn't find the process that runs ${this.#local.id}: its engine doesn't respond. Try again.`;
      throw new UpstreamError("unreachable", message, { cause });
    }
  }

  /** Detecting the server's protocol may have opened a session here that now belongs to another process. */
  #endStraySession(key: string, stateKey: string, { revision }: Claim): void {
    if (this.#otherClaims.get(key) === revision) return;
    this.#otherClaims.set(key, revision);
    const [oldest] = this.#otherClaims.keys();
    const { maxOtherClaims = MOST_OTHER_CLAIMS } = this.#options;
    if (this.#otherClaims.size > maxOtherClaims && oldest !== undefined)
      this.#otherClaims.delete(oldest);
    void this.#local.end(stateKey);
  }

  #lostError(code: "outcome-unknown" | "unreachable"): UpstreamError {
    const message = `The gateway process that runs ${this.#local.id} was lost during the call.`;
    return new UpstreamError(code, message, { sent: true });
  }

  #noOwnerError(wait: number): UpstreamError {
    const message = `No gateway process runs ${this.#local.id} at the moment. Try again.`;
    return new UpstreamError("unreachable", message, { retryAfter: Math.ceil(wait) });
  }
}

function pause(time: number, lifetime: CallLifetime): Promise<void> {
  return lifetime.race(new Promise((resolve) => setTimeout(resolve, time)));
}
