// Blobs in JetStream's object store, each stored under its hash. The time in a blob's entry is when it was last
// put. Entries are written by compare-and-set, so that of a concurrent sweep and put only one succeeds.

import { hash } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { jetstream } from "@nats-io/jetstream";
import { headers } from "@nats-io/nats-core";
import { type ObjectStore, Objm } from "@nats-io/obj";
import type { BlobStore } from "@vitrine/gateway/engine";
import { checkSha256, closedError, EngineError } from "@vitrine/gateway/engine";
import type { Connection } from "./connection.ts";
import { readNewest } from "./last-messages.ts";
import {
  type ApiError,
  NO_MESSAGE,
  rejectedError,
  STREAM_NOT_FOUND,
  unreachableError,
  WRONG_SEQUENCE,
} from "./nats-error.ts";
import { ensureStream } from "./streams.ts";

/** Timeout of one attempt to read: a replica may be behind, or a server may have just stopped. */
const ATTEMPT = 5_000;
const ATTEMPTS = 4;
const PAUSE = 100;

/** The metadata that the object store keeps in addition to an object's chunks. */
interface Meta {
  readonly name: string;
  readonly nuid: string;
  readonly mtime: string;
  readonly deleted?: boolean;
}

interface Found {
  readonly meta: Meta;
  readonly revision: number;
}

export class NatsBlobs implements BlobStore {
  readonly #connection: Connection;
  readonly #bucket: string;
  readonly #replicas: number;
  readonly #writing = new Map<string, Promise<void>>();
  #opening: Promise<ObjectStore> | undefined;

  constructor(connection: Connection, options: { prefix: string; replicas: number }) {
    this.#connection = connection;
    this.#bucket = `${options.prefix}_blobs`;
    this.#replicas = options.replicas;
  }

  async put(bytes: Uint8Array): Promise<string> {
    if (this.#connection.isClosed) throw closedError();
    const own = new Uint8Array(bytes);
    const sha256 = hash("sha256", own, "hex");
    let writing = this.#writing.get(sha256);
    if (!writing) {
      writing = this.#write(sha256, own).finally(() => this.#writing.delete(sha256));
      this.#writing.set(sha256, writing);
    }
    await writing;
    return sha256;
  }

  async get(sha256: string): Promise<Uint8Array | undefined> {
    this.#check(sha256);
    for (let attempt = 1; await this.has(sha256); attempt++) {
      const bytes = await this.#read(sha256, attempt);
      // The store only checks its own checksum; the name has to match too.
      if (bytes && hash("sha256", bytes, "hex") === sha256) return new Uint8Array(bytes);
      if (bytes && attempt >= ATTEMPTS) {
        const text = `The content of the blob ${sha256} doesn't match its hash. Store it again.`;
        throw new EngineError("corrupt", text);
      }
      await sleep(PAUSE * attempt);
    }
    return undefined;
  }

  async has(sha256: string): Promise<boolean> {
    this.#check(sha256);
    const found = await this.#find(sha256);
    return found !== undefined && !found.meta.deleted;
  }

  async delete(sha256: string): Promise<void> {
    this.#check(sha256);
    for (;;) {
      const found = await this.#find(sha256);
      if (!found || found.meta.deleted || (await this.#drop(found))) return;
    }
  }

  async sweep(before: number): Promise<number> {
    if (this.#connection.isClosed) throw closedError();
    await this.#store();
    const stored = new Map<string, Found>();
    await readNewest(this.#connection, {
      stream: this.#stream,
      filter: `$O.${this.#bucket}.M.>`,
      onBegin: () => stored.clear(),
      onMessage: ({ msg, sequence }) => {
        stored.set(msg.subject, { meta: msg.json<Meta>(), revision: sequence });
      },
    });
    let swept = 0;
    for (const found of stored.values()) {
      if (found.meta.deleted || Date.parse(found.meta.mtime) >= before) continue;
      if (await this.#drop(found)) swept += 1;
    }
    return swept;
  }

  /** Returns false if the blob was put at the same time. */
  async #drop({ meta, revision }: Found): Promise<boolean> {
    if (!(await this.#note({ ...meta, deleted: true }, revision))) return false;
    const filter = `$O.${this.#bucket}.C.${meta.nuid}`;
    const what = `Deleting the blob ${meta.name}`;
    await this.#connection.apiOrFail(`STREAM.PURGE.${this.#stream}`, { filter }, what);
    return true;
  }

  get #stream(): string {
    return `OBJ_${this.#bucket}`;
  }

  async #write(sha256: string, bytes: Uint8Array): Promise<void> {
    for (let attempt = 1; ; attempt++) {
      if (await this.#touch(sha256)) return;
      try {
        await this.#add(sha256, bytes);
        return;
      } catch (cause) {
        if (this.#connection.isClosed) throw closedError();
        // Another process may have stored the same blob first, which is fine.
        if (attempt >= ATTEMPTS) throw failedError(`Storing the blob ${sha256}`, cause);
        await sleep(PAUSE * attempt);
      }
    }
  }

  /** Updates the time of an existing blob; returns false if there is none. */
  async #touch(sha256: string): Promise<boolean> {
    for (;;) {
      const found = await this.#find(sha256);
      if (!found || found.meta.deleted) return false;
      const mtime = new Date().toISOString();
      if (await this.#note({ ...found.meta, mtime }, found.revision)) return true;
    }
  }

  async #add(sha256: string, bytes: Uint8Array): Promise<void> {
    const store = await this.#store();
    const found = await this.#find(sha256);
    if (found && !found.meta.deleted) throw new Error("Another process stored it first.");
    // Never replaces a blob: that would delete the chunks under a concurrent reader.
    const options = { previousRevision: found?.revision ?? 0, timeout: ATTEMPT };
    await store.putBlob({ name: sha256 }, bytes, options);
  }

  // Returns nothing if the attempt failed and another one follows.
  async #read(sha256: string, attempt: number): Promise<Uint8Array | undefined> {
    try {
      const store = await this.#store();
      return (await inTime(store.getBlob(sha256))) ?? undefined;
    } catch (cause) {
      if (this.#connection.isClosed) throw closedError();
      if (attempt < ATTEMPTS) return undefined;
      throw failedError(`Reading the blob ${sha256}`, cause);
    }
  }

  async #find(sha256: string): Promise<Found | undefined> {
    const what = `Finding the blob ${sha256}`;
    const answer = await this.#connection.api<{ message: { seq: number; data?: string } }>(
      `STREAM.MSG.GET.${this.#stream}`,
      { last_by_subj: this.#subjectOf(sha256) },
      what,
    );
    const code = answer.error?.err_code ?? 0;
    if (code === NO_MESSAGE || code === STREAM_NOT_FOUND) return undefined;
    if (answer.error) throw rejectedError(what, answer.error);
    const text = Buffer.from(answer.message.data ?? "", "base64").toString();
    return { meta: JSON.parse(text) as Meta, revision: answer.message.seq };
  }

  /** Writes a blob's entry, unless another process did since that revision. */
  async #note(meta: Meta, revision: number): Promise<boolean> {
    const what = `Writing the entry of the blob ${meta.name}`;
    const hdrs = headers();
    hdrs.set("Nats-Rollup", "sub");
    hdrs.set("Nats-Expected-Last-Subject-Sequence", String(revision));
    const request = { what, data: JSON.stringify(meta), headers: hdrs };
    const msg = await this.#connection.request(this.#subjectOf(meta.name), request);
    const { error } = msg.json<{ error?: ApiError }>();
    if (!error) return true;
    if (WRONG_SEQUENCE.has(error.err_code ?? 0)) return false;
    throw rejectedError(what, error);
  }

  #subjectOf(name: string): string {
    // The object store's encoding: base64url with padding.
    const encoded = Buffer.from(name).toString("base64").replaceAll("+", "-").replaceAll("/", "_");
    return `$O.${this.#bucket}.M.${encoded}`;
  }

  #store(): Promise<ObjectStore> {
    this.#opening ??= this.#open().catch((error: unknown) => {
      this.#opening = undefined;
      throw error;
    });
    return this.#opening;
  }

  async #open(): Promise<ObjectStore> {
    const replicas = this.#replicas;
    const stores = new Objm(jetstream(this.#connection.nc, { timeout: ATTEMPT }));
    const store = await stores.create(this.#bucket, { storage: "file", replicas });
    // The client doesn't add replicas to an existing store when the cluster grows.
    const config = { name: this.#stream, subjects: [], num_replicas: replicas };
    await ensureStream(this.#connection, config);
    return store;
  }

  #check(sha256: string): void {
    if (this.#connection.isClosed) throw closedError();
    checkSha256(sha256);
  }
}

function inTime<Result>(doing: Promise<Result>): Promise<Result> {
  const late = sleep(ATTEMPT, undefined, { ref: false }).then(() => {
    throw new Error("It took too long.");
  });
  return Promise.race([doing, late]);
}

function failedError(what: string, cause: unknown): EngineError {
  const { code, message } = unreachableError(what);
  return new EngineError(code, message, { cause });
}
