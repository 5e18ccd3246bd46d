// Which process owns a resource that only one may have: a child process, a session, a subscription to changes.
// A claim writes an entry, a release deletes it. In between the entry is valid while its owner lives, so a
// thousand sessions need no heartbeats. The entry's revision is the fencing token of the claim.

import { createHash } from "node:crypto";
import type { Engine, Entry, Kv } from "@vitrine/gateway/engine";
import { isCode, type Member, type Membership } from "./membership.ts";

/** The owner of a key. */
export interface Claim extends Member {
  readonly revision: number;
}

/** The result of a lookup: the owner, or the milliseconds until there can be another. */
export type Finding = { claim: Claim } | { wait: number };

const MOST_KNOWN = 100_000;
const ATTEMPTS = 8;
const RETRY = 100;

/** The known owners, and the claims of this process. */
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

  /** Whether this process owns the key now, by the clock. */
  isMine(key: string, revision?: number): boolean {
    const claim = this.#mine.get(key);
    if (!claim || claim.epoch !== this.#membership.epoch) return false;
    return revision === undefined || claim.revision === revision;
  }

  /** The owner, if it is known without a request. */
  known(key: string): Claim | undefined {
    const mine = this.#mine.get(key);
    if (mine && this.isMine(key)) return mine;
    const claim = this.#known.get(key);
    return claim && this.#membership.isAlive(claim) ? claim : undefined;
  }

  /** Forgets a claim that turned out to be wrong. */
  doubt(key: string, revision: number): void {
    if (this.#known.get(key)?.revision === revision) this.#known.delete(key);
  }

  /** Finds the owner. With `take`, this process claims a key without an owner. */
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

  /** Ends what this process owns, then gives up the claim. Lookups of the key wait for that. */
  async release(key: string, end: () => Promise<void>): Promise<void> {
    const claim = this.#mine.get(key);
    this.#mine.delete(key);
    if (!claim) return;
    const give = async (): Promise<void> => {
      await end();
      await this.#kv.delete(key, claim.revision);
    };
    const releasing = give().catch(() => {
      // Another process owns it by now, or the engine is down: the entry is void after this epoch.
    });
    this.#releasing.set(key, releasing);
    await releasing;
    if (this.#releasing.get(key) === releasing) this.#releasing.delete(key);
  }

  /** The keys that this process has claimed. */
  claims(): string[] {
    return [...this.#mine.keys()];
  }

  async #find(key: string, take: boolean): Promise<Finding | undefined> {
    await this.#releasing.get(key);
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      const entry = await this.#kv.get(key);
      const owner = entry && read(entry);
      // An unused entry of this process is written again: its deletion may still be on its way.
      const isOwn = owner?.node === this.#membership.node;
      if (owner && !isOwn && this.#membership.isAlive(owner)) {
        return { claim: this.#learn(key, owner) };
      }
      const wait = owner && !isOwn && this.#membership.succession(owner);
      if (wait) return { wait };
      if (!take || !this.#membership.mayOwn) return undefined;
      if (this.#membership.epoch === undefined) return { wait: RETRY };
      const claim = await this.#claim(key, owner?.revision);
      if (claim) return { claim };
    }
    return { wait: RETRY };
  }

  /** Of two concurrent claims one succeeds; the other process looks again. */
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

/** The key of a server's process or session, the same for all callers that share it. */
export function directoryKey(server: string, stateKey: string): string {
  return createHash("sha256")
    .update(JSON.stringify([server, stateKey]))
    .digest("base64url");
}

function read({ value, revision }: Entry): Claim {
  const { node, epoch } = JSON.parse(Buffer.from(value).toString()) as Member;
  return { node, epoch, revision };
}
