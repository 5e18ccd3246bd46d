import type { LogRecord } from "@vitrine/gateway/engine";
import { closedError, type EngineError } from "@vitrine/gateway/engine";
import { decodeMessage } from "./batch-message.ts";
import type { Connection } from "./connection.ts";
import { timeoutError } from "./nats-error.ts";
import { OrderedFeed } from "./ordered-feed.ts";
import { placeOf } from "./record-position.ts";
import { findStream } from "./streams.ts";

/** Milliseconds without a message after which the stream's state is checked. */
const SILENCE = 3_000;
const PATIENCE = 20_000;

interface Range {
  readonly stream: string;
  readonly first: number;
  readonly last: number;
  /** The position of the first wanted record. */
  readonly from: number;
}

interface Waiting {
  resolve(): void;
  reject(error: EngineError): void;
}

/** The records between two messages of a stream, both included. */
export async function* readStream(
  connection: Connection,
  { stream, first, last, from }: Range,
): AsyncGenerator<LogRecord> {
  if (first > last) return;
  const arrived: { sequence: number; data: Uint8Array }[] = [];
  let next = first;
  let waiting: Waiting | undefined;
  const feed = new OrderedFeed(connection, {
    stream,
    from: () => next,
    onBegin: () => {},
    onMessage: ({ msg, sequence }) => {
      next = sequence + 1;
      // Messages that were appended during the read are beyond its end.
      if (sequence <= last) arrived.push({ sequence, data: msg.data });
      if (sequence >= last) feed.close();
      waiting?.resolve();
    },
    onError: () => {},
  });
  const unsubscribe = connection.onClose(() => waiting?.reject(closedError()));
  try {
    for (let isOver = false; !isOver; ) {
      const batch = arrived.shift();
      if (!batch) {
        isOver = next > last || !(await hasMore(connection, stream, () => next));
        continue;
      }
      for (const [index, record] of decodeMessage(batch.data).entries()) {
        const sequence = placeOf(batch.sequence, index);
        if (sequence >= from) yield { sequence, record };
      }
      isOver = batch.sequence >= last;
    }
  } finally {
    unsubscribe();
    feed.close();
  }

  // Whether more messages will arrive: those that were trimmed during the read never do.
  async function hasMore(of: Connection, name: string, at: () => number): Promise<boolean> {
    for (const end = performance.now() + PATIENCE; performance.now() < end; ) {
      if (await arrival()) return true;
      const state = (await findStream(of, name))?.state;
      if (!state || state.first_seq > last) return false;
      if (arrived.length > 0 || at() > last) return true;
    }
    throw timeoutError(`Reading ${name}`, PATIENCE);
  }

  async function arrival(): Promise<boolean> {
    if (connection.isClosed) throw closedError();
    return new Promise<boolean>((resolve, reject) => {
      const timer = setTimeout(() => resolve(false), SILENCE);
      const done = (): void => clearTimeout(timer);
      waiting = {
        resolve: () => {
          done();
          resolve(true);
        },
        reject: (error) => {
          done();
          reject(error);
        },
      };
    });
  }
}
