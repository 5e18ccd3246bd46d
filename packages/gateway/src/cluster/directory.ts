// Which process owns what only one can have: a child, a session, a stream of news. An entry is written when
// it is claimed and deleted when it is given back; in between it holds for as long as its owner lives, so
// that a thousand sessions cost no heartbeat. Its revision is the fencing token of the claim.

import type { Engine, Entry, Kv } from "../engine/engine.ts";
import { hashOf } from "../stable-hash.ts";
import { isCode, type Member, type Membership } from "./membership.ts";

/** Who owns something. */
export interface Claim extends Member {
  readonly revision: number;
}

/** What came of looking for an owner: one, or how long to wait before there can be another. */
export type Finding = { claim: Claim } | { wait: number };

const MOST_KNOWN = 100_000;
const ATTEMPTS = 8;
const RETRY = 100;

/** The owners of everything, and the claims of this process. */
export class Directory {
  readonly #kv: Kv;
  readonly #membership: Membership;
  readonly #known = new Map<string, Claim>();
  readonly #mine = new Map<string, Claim>();
  readonly #asking = new Map<string, Promise<Finding | undefined>>();
  readonly #releasing = new Map<string, Promise<void>>();

  constructor(engine: Engine, membership: Membership) {
    this.#kv = engine.kv("sessions");
    this.#membership = membership;
  }

  /** The key of what a server has for those who share it. */
  static keyOf(server: string, scope: string): string {
    return hashOf([server, scope]);
  }

  /** Whether this process owns it now, by the clock. */
  isMine(key: string, revision?: number): boolean {
    const claim = this.#mine.get(key);
    if (!claim || claim.epoch !== this.#membership.epoch) return false;
    return revision === undefined || claim.revision === revision;
  }

  /** The owner, as far as is known without asking. */
  known(key: string): Claim | undefined {
    const mine = this.#mine.get(key);
    if (mine && this.isMine(key)) return mine;
    const claim = this.#known.get(key);
    return claim && this.#membership.isAlive(claim) ? claim : undefined;
  }

  /** The owner was not where it should have been. */
  doubt(key: string, revision: number): void {
    if (this.#known.get(key)?.revision === revision) this.#known.delete(key);
  }

  /** Finds the owner; with `take` this process becomes it where nobody is. */
  async find(key: string, { take }: { take: boolean }): Promise<Finding | undefined> {
    const known = this.known(key);
    if (known) return { claim: known };
    const job = `${take} ${key}`;
    const asking = this.#asking.get(job) ?? this.#find(key, take);
    this.#asking.set(job, asking);
    try {
      return await asking;
    } finally {
      if (this.#asking.get(job) === asking) this.#asking.delete(job);
    }
  }

  /** Gives back what this process has, once it has ended it; whoever wants it meanwhile waits. */
  async release(key: string, end: () => Promise<void>): Promise<void> {
    const claim = this.#mine.get(key);
    this.#mine.delete(key);
    if (!claim) return;
    const give = async (): Promise<void> => {
      await end();
      await this.#kv.delete(key, claim.revision);
    };
    const releasing = give().catch(() => {
      // Somebody else's by now, or the engine is away: it counts for nothing once this epoch is over.
    });
    this.#releasing.set(key, releasing);
    await releasing;
    if (this.#releasing.get(key) === releasing) this.#releasing.delete(key);
  }

  /** What this process claims. */
  claims(): string[] {
    return [...this.#mine.keys()];
  }

  async #find(key: string, take: boolean): Promise<Finding | undefined> {
    await this.#releasing.get(key);
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      const entry = await this.#kv.get(key);
      const owner = entry && read(entry);
      // An own entry that is not in use is written anew: a deletion of it may still be on its way.
      const isOwn = owner?.node === this.#membership.node;
      if (owner && !isOwn && this.#membership.isAlive(owner)) {
        return { claim: this.#learn(key, owner) };
      }
      const wait = owner && !isOwn && this.#membership.succession(owner);
      if (wait) return { wait };
      if (!take) return undefined;
      if (this.#membership.epoch === undefined) return { wait: RETRY };
      const claim = await this.#claim(key, owner?.revision);
      if (claim) return { claim };
    }
    return { wait: RETRY };
  }

  /** Of two who try, one succeeds; the other looks again. */
  async #claim(key: string, revision: number | undefined): Promise<Claim | undefined> {
    const { node, epoch } = this.#membership;
    if (epoch === undefined) return undefined;
    const value = Buffer.from(JSON.stringify({ node, epoch }));
    try {
      const written =
        revision === undefined
          ? await this.#kv.create(key, value)
          : await this.#kv.update(key, value, revision);
      return this.#learn(key, { node, epoch, revision: written });
    } catch (error) {
      if (isCode(error, "exists") || isCode(error, "conflict")) return undefined;
      throw error;
    }
  }

  #learn(key: string, claim: Claim): Claim {
    const among = claim.node === this.#membership.node ? this.#mine : this.#known;
    among.delete(key);
    among.set(key, claim);
    const [oldest] = this.#known.keys();
    if (this.#known.size > MOST_KNOWN && oldest !== undefined) this.#known.delete(oldest);
    return claim;
  }
}

function read({ value, revision }: Entry): Claim {
  const { node, epoch } = JSON.parse(Buffer.from(value).toString()) as Member;
  return { node, epoch, revision };
}
