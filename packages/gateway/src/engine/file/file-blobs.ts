import { hash, randomUUID } from "node:crypto";
import { mkdir, open, readdir, readFile, rename, rm, stat, utimes } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { BlobStore } from "../engine.ts";
import { closedError } from "../errors.ts";
import { copyOf } from "../local/bytes.ts";
import { checkSha256 } from "../names.ts";
import { corruptError, diskError, isMissing } from "./disk-error.ts";
import { syncFolder } from "./frame-file.ts";

const DRAFT = "draft-";

/** Blobs in a folder, each a file named by its hash. A file is there whole or not at all. */
export class FileBlobs implements BlobStore {
  readonly #folder: string;
  readonly #writing = new Map<string, Promise<void>>();
  #sweeping: Promise<number> | undefined;
  #closed = false;

  private constructor(folder: string) {
    this.#folder = folder;
  }

  static async open(folder: string): Promise<FileBlobs> {
    for (const name of await readdir(folder)) {
      if (name.startsWith(DRAFT)) await rm(join(folder, name), { force: true });
    }
    return new FileBlobs(folder);
  }

  async put(bytes: Uint8Array): Promise<string> {
    if (this.#closed) throw closedError();
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
    const path = this.#path(sha256);
    const bytes = await ifThere(path, readFile(path));
    if (bytes && hash("sha256", bytes, "hex") !== sha256) {
      throw corruptError(path, 0, "its bytes have another hash than its name");
    }
    return bytes && copyOf(bytes);
  }

  async has(sha256: string): Promise<boolean> {
    const path = this.#path(sha256);
    return (await ifThere(path, stat(path))) !== undefined;
  }

  async delete(sha256: string): Promise<void> {
    const path = this.#path(sha256);
    await this.#writing.get(sha256)?.catch(() => {});
    await rm(path, { force: true }).catch((error: unknown) => {
      throw diskError(path, error);
    });
  }

  /** The time of a file is when it was last put. */
  async sweep(before: number): Promise<number> {
    if (this.#closed) throw closedError();
    this.#sweeping ??= this.#sweep(before).finally(() => {
      this.#sweeping = undefined;
    });
    return this.#sweeping;
  }

  async close(): Promise<void> {
    this.#closed = true;
    await Promise.allSettled([...this.#writing.values(), this.#sweeping]);
  }

  async #sweep(before: number): Promise<number> {
    // What is just being put is not old, whatever its file says.
    await Promise.allSettled(this.#writing.values());
    let swept = 0;
    for (const part of await readdir(this.#folder)) {
      if (part.startsWith(DRAFT) || this.#closed) continue;
      const folder = join(this.#folder, part);
      for (const name of await readdir(folder)) {
        const path = join(folder, name);
        const found = await ifThere(path, stat(path));
        if (!found || found.mtimeMs >= before) continue;
        await rm(path, { force: true });
        swept += 1;
      }
    }
    return swept;
  }

  async #write(sha256: string, bytes: Uint8Array): Promise<void> {
    const path = this.#path(sha256);
    // It might be the next to go.
    await this.#sweeping?.catch(() => {});
    const now = new Date();
    // That it is there is known by giving it a new time.
    if (
      await ifThere(
        path,
        utimes(path, now, now).then(() => true),
      )
    )
      return;
    const draft = join(this.#folder, DRAFT + randomUUID());
    try {
      const file = await open(draft, "wx", 0o600);
      try {
        await file.writeFile(bytes);
        await file.datasync();
      } finally {
        await file.close();
      }
      const folder = dirname(path);
      if (await mkdir(folder, { recursive: true, mode: 0o700 })) await syncFolder(this.#folder);
      await rename(draft, path);
      await syncFolder(folder);
    } catch (error) {
      await rm(draft, { force: true }).catch(() => {});
      throw diskError(path, error);
    }
  }

  #path(sha256: string): string {
    if (this.#closed) throw closedError();
    checkSha256(sha256);
    return join(this.#folder, sha256.slice(0, 2), sha256);
  }
}

async function ifThere<Result>(path: string, asking: Promise<Result>): Promise<Result | undefined> {
  try {
    return await asking;
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw diskError(path, error);
  }
}
