// Blobs in JetStream's object store, each under its hash. What a blob's entry says of its time is when it was
// last put. Entries are written by comparing: who sweeps and who puts at the same moment cannot both have it.

import { hash } from "node:crypto";
import { jetstream } from "@nats-io/jetstream";
import { headers } from "@nats-io/nats-core";
import { type ObjectStore, Objm } from "@nats-io/obj";
import type { BlobStore } from "../engine.ts";
import { closedError, EngineError } from "../errors.ts";
import { copyOf } from "../local/bytes.ts";
import { checkSha256 } from "../names.ts";
import type { Connection } from "./connection.ts";
import {
  type ApiError,
  awayError,
  NO_MESSAGE,
  refusedError,
  STREAM_NOT_FOUND,
  WRONG_SEQUENCE,
} from "./nats-error.ts";
import { readNewest } from "./newest.ts";
import { ensureStream } from "./streams.ts";

/** One attempt to read; chunks may be on a replica that is behind, or on a server that just went. */
const ATTEMPT = 5_000;
const ATTEMPTS = 4;
const PAUSE = 100;

/** What the object store keeps of an object, beside its chunks. */
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
    const own = copyOf(bytes);
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
      // The store checks its own sum; ours is the name.
      if (bytes && hash("sha256", bytes, "hex") === sha256) return copyOf(bytes);
      if (bytes && attempt >= ATTEMPTS) {
        const text = `The blob ${sha256} has other bytes than its name says; put it again.`;
        throw new EngineError("corrupt", text);
      }
      await new Promise((resolve) => setTimeout(resolve, PAUSE * attempt));
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

  /** False if somebody put it in this moment. */
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
        // Another may have been faster, which is as good.
        if (attempt >= ATTEMPTS) throw failedError(`Storing the blob ${sha256}`, cause);
        await new Promise((resolve) => setTimeout(resolve, PAUSE * attempt));
      }
    }
  }

  /** Gives a blob that is there a new time; false if there is none. */
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
    if (found && !found.meta.deleted) throw new Error("Another was faster.");
    // Never over another: to replace is to take the chunks from under who reads them.
    const options = { previousRevision: found?.revision ?? 0, timeout: ATTEMPT };
    await store.putBlob({ name: sha256 }, bytes, options);
  }

  // Nothing if it failed and there is another attempt.
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
    const what = `Looking for the blob ${sha256}`;
    const answer = await this.#connection.api<{ message: { seq: number; data?: string } }>(
      `STREAM.MSG.GET.${this.#stream}`,
      { last_by_subj: this.#subjectOf(sha256) },
      what,
    );
    const code = answer.error?.err_code ?? 0;
    if (code === NO_MESSAGE || code === STREAM_NOT_FOUND) return undefined;
    if (answer.error) throw refusedError(what, answer.error);
    const text = Buffer.from(answer.message.data ?? "", "base64").toString();
    return { meta: JSON.parse(text) as Meta, revision: answer.message.seq };
  }

  /** Writes a blob's entry, unless somebody else did since that revision. */
  async #note(meta: Meta, revision: number): Promise<boolean> {
    const what = `Writing the entry of the blob ${meta.name}`;
    const hdrs = headers();
    hdrs.set("Nats-Rollup", "sub");
    hdrs.set("Nats-Expected-Last-Subject-Sequence", String(revision));
    const question = { what, data: JSON.stringify(meta), headers: hdrs };
    const msg = await this.#connection.ask(this.#subjectOf(meta.name), question);
    const { error } = msg.json<{ error?: ApiError }>();
    if (!error) return true;
    if (WRONG_SEQUENCE.has(error.err_code ?? 0)) return false;
    throw refusedError(what, error);
  }

  #subjectOf(name: string): string {
    // As the object store names it: in base64 for addresses, with the padding.
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
    // It is there now; that it grows with the cluster the client does not see to.
    const config = { name: this.#stream, subjects: [], num_replicas: replicas };
    await ensureStream(this.#connection, config);
    return store;
  }

  #check(sha256: string): void {
    if (this.#connection.isClosed) throw closedError();
    checkSha256(sha256);
  }
}

async function inTime<Result>(doing: Promise<Result>): Promise<Result> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error("It took too long.")), ATTEMPT);
  });
  try {
    return await Promise.race([doing, late]);
  } finally {
    clearTimeout(timer);
  }
}

function failedError(what: string, cause: unknown): EngineError {
  const { code, message } = awayError(what);
  return new EngineError(code, message, { cause });
}
