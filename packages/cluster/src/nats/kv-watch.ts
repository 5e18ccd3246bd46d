import type { Msg } from "@nats-io/nats-core";
import type { Change, WatchOptions } from "@vitrine/gateway/engine";
import type { BucketPlace } from "./buckets.ts";
import type { Connection } from "./connection.ts";
import { goneOf } from "./kv-entries.ts";
import { readNewest } from "./last-messages.ts";
import { OrderedFeed } from "./ordered-feed.ts";

interface BucketWatch extends WatchOptions {
  /** Resolves when the bucket exists. */
  opened(): Promise<void>;
  onChange(change: Change): void;
  onError(error: unknown): void;
}

/**
 * Watches a bucket. After a disconnect it reads all keys again and compares them with those it reported. A
 * deletion whose marker has expired would be missed otherwise, and a cache would allow what was revoked.
 */
export function watchBucket(
  connection: Connection,
  { stream, subject }: BucketPlace,
  { fromNow = false, onReady, opened, onChange, onError }: BucketWatch,
): () => void {
  const reported = new Map<string, number>();
  let unseen: Set<string> | undefined;
  let isFirst = true;
  let isStopped = false;

  const report = (change: Change): void => {
    if (isStopped || (isFirst && fromNow)) return;
    try {
      onChange(change);
    } catch (error) {
      onError(error);
    }
  };
  const finish = (): void => {
    for (const key of unseen ?? []) {
      reported.delete(key);
      report({ key, entry: undefined, reason: "deleted" });
    }
    unseen = undefined;
    if (!isFirst) return;
    isFirst = false;
    if (!isStopped) onReady?.();
  };
  const handle = (key: string, msg: Msg, sequence: number): void => {
    const gone = goneOf(msg.headers);
    if (gone) {
      if (reported.delete(key)) report({ key, entry: undefined, reason: gone });
    } else if (reported.get(key) !== sequence) {
      reported.set(key, sequence);
      const entry = { key, value: new Uint8Array(msg.data), revision: sequence };
      report({ key, entry, reason: "put" });
    }
  };

  const feed = new OrderedFeed(connection, {
    stream,
    filter: `${subject}>`,
    opened,
    from: () => "last",
    onBegin: () => {
      unseen = new Set(reported.keys());
    },
    onMessage: ({ msg, sequence }) => {
      const key = msg.subject.slice(subject.length);
      unseen?.delete(key);
      handle(key, msg, sequence);
    },
    onCaughtUp: finish,
    onError,
  });
  return () => {
    isStopped = true;
    feed.close();
  };
}

/** The keys that have a value. */
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
      // A replica may be behind and deliver the deletion later.
      if (goneOf(msg.headers)) keys.delete(key);
      else if (key.startsWith(prefix)) keys.add(key);
    },
  });
  return keys;
}

// NATS matches subjects by token, and prefixes are matched by character: only whole tokens can be a filter.
function filterOf(subject: string, prefix: string): string {
  return `${subject}${prefix.slice(0, prefix.lastIndexOf(".") + 1)}>`;
}
