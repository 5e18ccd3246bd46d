// A call on its way to whoever owns what it needs: found, asked, asked again where nothing can have happened,
// and given up where something can.

import { CallLifetime } from "../upstreams/call-lifetime.ts";
import type { CallSignal } from "../upstreams/cancellation.ts";
import {
  type OwnableUpstream,
  type UpstreamCall,
  UpstreamError,
  type UpstreamScope,
} from "../upstreams/upstream.ts";
import { LostAnswerError } from "./asked.ts";
import type { ClusterParts } from "./cluster.ts";
import type { Claim, Directory } from "./directory.ts";
import { isCode, type Member } from "./membership.ts";
import { type Holding, NotOwnerError, type Owner } from "./owner.ts";
import type { Reply } from "./owner-desk.ts";
import { pack, unpack } from "./parcel.ts";
import { runnerFor } from "./placement.ts";
import { Probes } from "./probes.ts";

/** What is asked of an owner, and done by this process where it is the owner. */
export interface Errand<T> {
  op: "call" | "notify" | "discover";
  scope: UpstreamScope;
  method: string;
  repeatable: boolean | undefined;
  text: string | undefined;
  /** Whether asking twice does nothing twice. */
  isSafe: boolean;
  here(signal: CallSignal, deadline: number): Promise<T>;
  read(answer: OwnersAnswer): T;
  onNotification: UpstreamCall["onNotification"] | undefined;
}

/** What an owner has answered. */
export interface OwnersAnswer {
  text: string;
  isError: boolean;
}

/** How errands are run. */
export interface ErrandsOptions {
  owner: Owner;
  directory: Directory;
  /** Milliseconds that a caller waits until what a dead process owned has another owner. */
  patience: number;
}

interface Trip<T> {
  readonly holding: Holding;
  readonly errand: Errand<T>;
  readonly lifetime: CallLifetime;
  readonly signal: CallSignal | undefined;
  /** Until when it is waited for an owner. */
  readonly patient: number;
  /** It was asked once before, and the answer was lost. */
  isRepeated: boolean;
}

const CANCEL_TIME = 30_000;
/** Milliseconds for which an answer is taken in after it was due. */
const LATE = 2_000;
const PAUSE = 100;

/** The calls of one server that need an owner. */
export class Errands {
  readonly #local: OwnableUpstream;
  readonly #parts: ClusterParts;
  readonly #options: ErrandsOptions;
  /** The last claim of another's that was seen, by key. */
  readonly #others = new Map<string, number>();
  readonly #probes: Probes;

  constructor(local: OwnableUpstream, parts: ClusterParts, options: ErrandsOptions) {
    this.#local = local;
    this.#parts = parts;
    this.#options = options;
    this.#probes = new Probes(local.id, parts);
  }

  async run<T>(
    holding: Holding,
    errand: Errand<T>,
    wait: { signal?: CallSignal; deadline: number },
  ): Promise<T> {
    const lifetime = new CallLifetime(wait);
    const patient = performance.now() + this.#options.patience;
    const { signal } = wait;
    const trip: Trip<T> = { holding, errand, lifetime, signal, patient, isRepeated: false };
    try {
      for (;;) {
        const claim = this.#known(holding.key) ?? (await this.#claim(trip));
        try {
          return await this.#go(claim, trip);
        } catch (error) {
          await this.#recover(error, claim, trip);
        }
      }
    } finally {
      lifetime.dispose();
    }
  }

  #go<T>(claim: Claim, trip: Trip<T>): Promise<T> {
    const { holding, errand, lifetime, signal } = trip;
    if (claim.node !== this.#parts.membership.node) return this.#ask(claim, trip);
    const { method, repeatable = false } = errand;
    const wish = { method, repeatable, ...(signal && { signal }) };
    return this.#options.owner.run(holding, (own) => errand.here(own, lifetime.rest), wish);
  }

  /** Whether it may be tried again; throws if not. */
  async #recover(error: unknown, { revision }: Claim, trip: Trip<unknown>): Promise<void> {
    const { directory } = this.#options;
    const { holding, errand, lifetime, patient } = trip;
    const isUndone = error instanceof NotOwnerError;
    if (!isUndone && !(error instanceof LostAnswerError)) throw error;
    directory.doubt(holding.key, revision);
    if (!isUndone) {
      if (!errand.isSafe) throw this.#lost("outcome-unknown");
      if (trip.isRepeated) throw this.#lost("unreachable");
      trip.isRepeated = true;
      return;
    }
    if (performance.now() > patient) throw this.#ownerless(PAUSE);
    // The entry may be as it was, and its owner on the way out.
    if (directory.known(holding.key) === undefined) await rest(PAUSE, lifetime);
  }

  /** The owner, where nobody has to be asked; who has lost touch does not know any more who lives. */
  #known(key: string): Claim | undefined {
    if (this.#parts.membership.epoch === undefined) return undefined;
    return this.#options.directory.known(key);
  }

  /** The owner, as soon as there is one. */
  async #claim({ holding: { key }, lifetime, patient }: Trip<unknown>): Promise<Claim> {
    const { membership } = this.#parts;
    for (;;) {
      // While out of touch: a question might wait for its deadline.
      const isIn = membership.epoch !== undefined;
      const finding = isIn ? await lifetime.race(this.#find(key)) : { wait: PAUSE };
      if (finding && "claim" in finding) return finding.claim;
      const runner = finding ? undefined : runnerFor(key, membership.members("runner"));
      if (runner) return { ...runner, revision: 0 };
      const wait = Math.max(1, finding?.wait ?? PAUSE);
      if (performance.now() + wait > patient) throw this.#ownerless(wait);
      await rest(wait, lifetime);
    }
  }

  async #find(key: string): ReturnType<Directory["find"]> {
    const take = this.#parts.membership.roles.includes("runner");
    try {
      return await this.#options.directory.find(key, { take });
    } catch (cause) {
      const message = `It cannot be told who runs ${this.#local.id}: the engine does not answer.`;
      throw new UpstreamError("unreachable", message, { cause });
    }
  }

  #ask<T>(claim: Claim, { holding: { key, stateKey }, errand, lifetime }: Trip<T>): Promise<T> {
    const { courier, tally } = this.#parts;
    const { op, scope, repeatable, text, onNotification } = errand;
    this.#endStray(key, stateKey, claim);
    const { rest } = lifetime;
    const asking = {
      op,
      server: this.#local.id,
      key,
      revision: claim.revision,
      // The owner ends it first and says how; the bus only knows that nothing came. Long after, because with
      // it those end that went in the same message.
      deadline: rest + LATE,
      body: pack({ scope, repeatable, deadline: Math.ceil(rest) }, text),
    };
    return new Promise((resolve, reject) => {
      const onFail = (error: unknown): void => {
        undo();
        const loss = asLoss(error, this.#local.id);
        tally.sent[endOf(loss)] += 1;
        reject(loss);
      };
      const call = courier.ask(claim, asking, {
        onNote: onNotification && ((note) => onNotification(note.text, note.method)),
        onFail,
        onAnswer: (body) => {
          try {
            resolve(this.#read(body, errand));
            tally.sent.answered += 1;
            undo();
          } catch (error) {
            onFail(error);
          }
        },
      });
      this.#probes.add({ call, owner: claim, key });
      const undo = lifetime.onEnd((reason) => {
        courier.forget(call);
        this.#cancel(claim, key, call);
        tally.sent.cancelled += 1;
        reject(reason.with({ sent: true }));
      });
    });
  }

  #read<T>(body: string, { onNotification, read }: Errand<T>): T {
    const { facts: reply, text } = unpack<Reply>(body);
    if (reply.told) for (const note of reply.told) onNotification?.(note.text, note.method);
    if (reply.kind === "not-owner") throw new NotOwnerError(`${this.#local.id} is not run there.`);
    if (reply.kind === "error") throw new UpstreamError(reply.code, reply.message, reply.facts);
    return read({ text, isError: reply.isError === true });
  }

  /** To find out what a server speaks a session may have been opened here, which is another's to have. */
  #endStray(key: string, stateKey: string, { revision }: Claim): void {
    if (this.#others.get(key) === revision) return;
    this.#others.set(key, revision);
    void this.#local.end(stateKey);
  }

  #cancel(owner: Member, key: string, call: number): void {
    const server = this.#local.id;
    const head = { op: "cancel", server, key, revision: 0, deadline: CANCEL_TIME };
    // Who does not hear it finds the deadline in the call.
    this.#parts.courier.request(owner, { ...head, body: pack({ call }) }).catch(() => {});
  }

  #lost(code: "outcome-unknown" | "unreachable"): UpstreamError {
    const message = `The process that runs ${this.#local.id} was lost during the call.`;
    return new UpstreamError(code, message, { sent: true });
  }

  #ownerless(wait: number): UpstreamError {
    const message = `No process runs ${this.#local.id} at the moment.`;
    return new UpstreamError("unreachable", message, { retryAfter: Math.ceil(wait) });
  }
}

/** A failure, to be counted. */
function endOf(loss: unknown): "failed" | "elsewhere" | "lost" {
  if (loss instanceof NotOwnerError) return "elsewhere";
  return loss instanceof LostAnswerError ? "lost" : "failed";
}

/** What a failure of the bus means for the call. */
function asLoss(error: unknown, server: string): unknown {
  if (error instanceof UpstreamError || error instanceof NotOwnerError) return error;
  // Nobody was there: nothing can have happened.
  if (isCode(error, "no-responders")) return new NotOwnerError(`${server} is not run there.`);
  if (isCode(error, "too-large")) {
    return new UpstreamError("too-large", `The call of ${server} is too large.`);
  }
  if (error instanceof LostAnswerError) return error;
  return new LostAnswerError(`The answer of ${server} was lost.`, { cause: error });
}

function rest(time: number, lifetime: CallLifetime): Promise<void> {
  return lifetime.race(new Promise((resolve) => setTimeout(resolve, time)));
}
