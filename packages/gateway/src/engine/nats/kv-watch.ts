import type { Msg } from "@nats-io/nats-core";
import type { Change, WatchOptions } from "../engine.ts";
import { copyOf } from "../local/bytes.ts";
import type { BucketPlace } from "./buckets.ts";
import type { Connection } from "./connection.ts";
import { goneOf } from "./kv-entries.ts";
import { readNewest } from "./newest.ts";
import { OrderedFeed } from "./ordered-feed.ts";

interface BucketWatch extends WatchOptions {
  /** Resolves when the bucket is there. */
  opened(): Promise<void>;
  onChange(change: Change): void;
  onError(error: unknown): void;
}

/**
 * Watches a bucket. After a break everything is read again and compared with what was told: a mark that is
 * gone by then is missed by who only asks for what is new, and a cache would allow what was revoked.
 */
export function watchBucket(
  connection: Connection,
  { stream, subject }: BucketPlace,
  { prefix = "", fromNow = false, onReady, opened, onChange, onError }: BucketWatch,
): () => void {
  const told = new Map<string, number>();
  let unseen: Set<string> | undefined;
  let isFirst = true;
  let isStopped = false;

  const tell = (change: Change): void => {
    if (isStopped || (isFirst && fromNow)) return;
    try {
      onChange(change);
    } catch (error) {
      onError(error);
    }
  };
  const finish = (): void => {
    for (const key of unseen ?? []) {
      told.delete(key);
      tell({ key, entry: undefined, reason: "deleted" });
    }
    unseen = undefined;
    if (!isFirst) return;
    isFirst = false;
    if (!isStopped) onReady?.();
  };
  const hear = (key: string, msg: Msg, sequence: number): void => {
    const gone = goneOf(msg.headers);
    if (gone) {
      if (told.delete(key)) tell({ key, entry: undefined, reason: gone });
    } else if (told.get(key) !== sequence) {
      told.set(key, sequence);
      const entry = { key, value: copyOf(msg.data), revision: sequence };
      tell({ key, entry, reason: "put" });
    }
  };

  const feed = new OrderedFeed(connection, {
    stream,
    filter: filterOf(subject, prefix),
    opened,
    from: () => "last",
    onBegin: () => {
      unseen = new Set(told.keys());
    },
    onMessage: ({ msg, sequence }) => {
      const key = msg.subject.slice(subject.length);
      unseen?.delete(key);
      if (key.startsWith(prefix)) hear(key, msg, sequence);
    },
    onCaughtUp: finish,
    onError,
  });
  return () => {
    isStopped = true;
    feed.close();
  };
}

/** The keys there are. */
export async function listKeys(
  connection: Connection,
  { stream, subject }: BucketPlace,
  prefix: string,
): Promise<Set<string>> {
  const keys = new Set<string>();
  await readNewest(connection, {
    stream,
    filter: filterOf(subject, prefix),
    headersOnly: true,
    onBegin: () => keys.clear(),
    onMessage: ({ msg }) => {
      const key = msg.subject.slice(subject.length);
      // It may be behind, and tell of what is gone later.
      if (goneOf(msg.headers)) keys.delete(key);
      else if (key.startsWith(prefix)) keys.add(key);
    },
  });
  return keys;
}

// Subjects are matched token by token, prefixes letter by letter: the whole tokens of a prefix are a subject.
function filterOf(subject: string, prefix: string): string {
  return `${subject}${prefix.slice(0, prefix.lastIndexOf(".") + 1)}>`;
}
