import { hash } from "node:crypto";
import type { DatabaseSync, StatementSync } from "node:sqlite";
import type { BlobStore } from "../engine.ts";
import { closedError } from "../engine-error.ts";
import { checkSha256 } from "../names.ts";
import type { CommitQueue } from "./commit-queue.ts";
import { damagedError, sqliteError } from "./sqlite-error.ts";

/** Blobs in the database. */
export class SqliteBlobs implements BlobStore {
  readonly #queue: CommitQueue;
  readonly #path: string;
  readonly #bytes: StatementSync;
  readonly #exists: StatementSync;
  #closed = false;

  constructor(database: DatabaseSync, queue: CommitQueue, path: string) {
    this.#queue = queue;
    this.#path = path;
    this.#bytes = database.prepare("SELECT bytes FROM blobs WHERE sha256 = ?");
    this.#exists = database.prepare("SELECT 1 FROM blobs WHERE sha256 = ?");
  }

  async put(bytes: Uint8Array): Promise<string> {
    this.#check();
    const own = new Uint8Array(bytes);
    const sha256 = hash("sha256", own, "hex");
    await this.#queue.addOne({ kind: "put-blob", sha256, bytes: own, now: Date.now() }, own.length);
    return sha256;
  }

  async get(sha256: string): Promise<Uint8Array | undefined> {
    const found = this.#find(this.#bytes, sha256) as { bytes: Uint8Array } | undefined;
    if (found && hash("sha256", found.bytes, "hex") !== sha256) {
      throw damagedError(this.#path, `the blob ${sha256} has another hash`);
    }
    return found?.bytes;
  }

  async has(sha256: string): Promise<boolean> {
    return this.#find(this.#exists, sha256) !== undefined;
  }

  async delete(sha256: string): Promise<void> {
    this.#check(sha256);
    await this.#queue.addOne({ kind: "delete-blob", sha256 });
  }

  async sweep(before: number): Promise<number> {
    this.#check();
    const { count = 0 } = await this.#queue.addOne({ kind: "sweep-blobs", before });
    return count;
  }

  close(): void {
    this.#closed = true;
  }

  #find(statement: StatementSync, sha256: string): unknown {
    this.#check(sha256);
    try {
      return statement.get(sha256);
    } catch (error) {
      throw sqliteError(this.#path, error);
    }
  }

  #check(sha256?: string): void {
    if (this.#closed) throw closedError();
    if (sha256 !== undefined) checkSha256(sha256);
  }
}
