// One process at a time writes an archive. The right to do so is a lease in the engine, which all processes that
// archive this log share, on whatever machine they run: a lock in the folder wouldn't hold on a network file
// system. An archive belongs to one log, so processes with different engines don't share a folder.

import { randomUUID } from "node:crypto";
import type { Engine, Kv } from "../../engine/engine.ts";
import { EngineError } from "../../engine/engine-error.ts";
import { ArchiveError } from "./archive-error.ts";

/** What the right is about. */
export interface FolderTurnOptions {
  engine: Pick<Engine, "kv">;
  folder: string;
  /** Of the archive. */
  id: string;
  /** Milliseconds after its last renewal at which the lease ends, 15,000 by default. */
  leaseTime?: number | undefined;
  onNotice(text: string): void;
}

const BUCKET = "archive-turns";
const LEASE = 15_000;

interface Lease {
  readonly value: Uint8Array;
  revision: number;
  /** By the monotonic clock. */
  validUntil: number;
  timer: NodeJS.Timeout | undefined;
}

/** The right to write a folder. */
export class FolderTurn {
  readonly #options: FolderTurnOptions;
  readonly #leases: Kv;
  readonly #leaseTime: number;
  #isWaiting = false;
  #lease: Lease | undefined;

  constructor(options: FolderTurnOptions) {
    this.#options = options;
    this.#leaseTime = options.leaseTime ?? LEASE;
    this.#leases = options.engine.kv(BUCKET, { ttl: this.#leaseTime });
  }

  /** Whether it's our turn now. */
  async take(): Promise<boolean> {
    const { id, folder, onNotice } = this.#options;
    const start = performance.now();
    const value = Buffer.from(randomUUID());
    try {
      const revision = await this.#leases.create(id, value);
      this.#lease = { value, revision, validUntil: this.#validFrom(start), timer: undefined };
    } catch (error) {
      if (!(error instanceof EngineError) || error.code !== "exists") throw error;
      if (!this.#isWaiting) onNotice(`${folder} is written by another process; this one waits.`);
      this.#isWaiting = true;
      return false;
    }
    this.#renewLater(this.#lease);
    if (this.#isWaiting) onNotice(`${folder} is written by this process now.`);
    this.#isWaiting = false;
    return true;
  }

  /** Fails with `lost` if another process may have the turn, for example after this one was stopped. */
  guard(): void {
    if (this.#lease && performance.now() < this.#lease.validUntil) return;
    clearTimeout(this.#lease?.timer);
    this.#lease = undefined;
    const text = `The turn to write ${this.#options.folder} ended; another process may write it now.`;
    throw new ArchiveError("lost", text);
  }

  async giveBack(): Promise<void> {
    const lease = this.#lease;
    this.#lease = undefined;
    clearTimeout(lease?.timer);
    // A lease that can't be deleted ends by itself.
    if (lease) await this.#leases.delete(this.#options.id, lease.revision).catch(() => {});
  }

  /** The holder stops before its lease ends, so that a write under way can finish. */
  #validFrom(start: number): number {
    return start + (this.#leaseTime * 2) / 3;
  }

  #renewLater(lease: Lease): void {
    lease.timer = setTimeout(() => void this.#renew(lease), this.#leaseTime / 4).unref();
  }

  async #renew(lease: Lease): Promise<void> {
    const start = performance.now();
    try {
      lease.revision = await this.#leases.update(this.#options.id, lease.value, lease.revision);
      lease.validUntil = this.#validFrom(start);
    } catch (error) {
      // Someone else has it. Any other failure passes, or the lease ends.
      if (error instanceof EngineError && error.code === "conflict") lease.validUntil = 0;
    }
    if (this.#lease === lease) this.#renewLater(lease);
  }
}
