import { readdir } from "node:fs/promises";
import { join } from "node:path";
import type { Appended, Log, LogRecord } from "../engine.ts";
import { closedError } from "../errors.ts";
import { checkBatch } from "../local/batch.ts";
import { checkBucket, checkPartition } from "../names.ts";
import { encodeBatch } from "./batch-codec.ts";
import { Partition, type PartitionOptions } from "./partition.ts";

/** A log in a folder: one folder for each partition. */
export class FileLog implements Log {
  readonly #folder: string;
  readonly #options: PartitionOptions & { maxBytes: number };
  readonly #partitions = new Map<string, Partition>();
  readonly #opening = new Map<string, Promise<Partition>>();
  #closed = false;

  private constructor(folder: string, options: PartitionOptions & { maxBytes: number }) {
    this.#folder = folder;
    this.#options = options;
  }

  static async open(
    folder: string,
    options: PartitionOptions & { maxBytes: number },
  ): Promise<FileLog> {
    const log = new FileLog(folder, options);
    try {
      for (const entry of await readdir(folder, { withFileTypes: true })) {
        if (entry.isDirectory()) await log.#partition(entry.name);
      }
      return log;
    } catch (error) {
      await log.close();
      throw error;
    }
  }

  async append(
    partition: string,
    batch: readonly Uint8Array[],
    { id }: { id?: string } = {},
  ): Promise<Appended> {
    checkBatch(batch, { id, most: this.#options.maxBytes });
    const encoded = { id, count: batch.length, parts: encodeBatch(id ?? "", batch) };
    const into = this.#partitions.get(partition) ?? (await this.#partition(partition));
    if (this.#closed) throw closedError();
    return into.append(encoded);
  }

  async *read(partition: string, from = 0): AsyncGenerator<LogRecord> {
    yield* (await this.#partition(partition)).read(from);
  }

  async bounds(partition: string): Promise<{ first: number; last: number } | undefined> {
    return (await this.#partition(partition)).bounds();
  }

  consume(
    group: string,
    partition: string,
    fn: (batch: readonly LogRecord[]) => Promise<void>,
  ): () => void {
    checkBucket(group);
    checkPartition(partition);
    if (this.#closed) throw closedError();
    let isWanted = true;
    let stop = (): void => {
      isWanted = false;
    };
    void this.#partition(partition).then((of) => {
      if (isWanted) stop = of.consume(group, fn);
    }, this.#options.onError);
    return () => stop();
  }

  async trim(partition: string, before: number): Promise<void> {
    await (await this.#partition(partition)).trim(before);
  }

  async bytes(partition: string): Promise<number> {
    return (await this.#partition(partition)).bytes;
  }

  async close(): Promise<void> {
    this.#closed = true;
    await Promise.allSettled(this.#opening.values());
    for (const partition of this.#partitions.values()) await partition.close();
  }

  async #partition(name: string): Promise<Partition> {
    if (this.#closed) throw closedError();
    checkPartition(name);
    let opening = this.#opening.get(name);
    if (!opening) {
      opening = this.#open(name);
      this.#opening.set(name, opening);
    }
    return opening;
  }

  async #open(name: string): Promise<Partition> {
    try {
      const partition = await Partition.open(join(this.#folder, name), this.#options);
      this.#partitions.set(name, partition);
      return partition;
    } catch (error) {
      this.#opening.delete(name);
      throw error;
    }
  }
}
