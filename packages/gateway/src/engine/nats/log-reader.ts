import type { LogRecord } from "../engine.ts";
import { closedError, type EngineError } from "../errors.ts";
import { decodeMessage } from "./batch-message.ts";
import type { Connection } from "./connection.ts";
import { lateError } from "./nats-error.ts";
import { OrderedFeed } from "./ordered-feed.ts";
import { placeOf } from "./places.ts";
import { findStream } from "./streams.ts";

/** How long nothing may come before we look whether there is anything left. */
const SILENCE = 3_000;
const PATIENCE = 20_000;

interface Range {
  readonly stream: string;
  readonly first: number;
  readonly last: number;
  /** The place of the first record that is wanted. */
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
      // What is appended meanwhile is beyond the end.
      if (sequence <= last) arrived.push({ sequence, data: msg.data });
      if (sequence >= last) feed.close();
      waiting?.resolve();
    },
    onError: () => {},
  });
  const stopHearing = connection.onClose(() => waiting?.reject(closedError()));
  try {
    for (let isOver = false; !isOver; ) {
      const batch = arrived.shift();
      if (!batch) {
        isOver = next > last || !(await comes(connection, stream, () => next));
        continue;
      }
      for (const [index, record] of decodeMessage(batch.data).entries()) {
        const sequence = placeOf(batch.sequence, index);
        if (sequence >= from) yield { sequence, record };
      }
      isOver = batch.sequence >= last;
    }
  } finally {
    stopHearing();
    feed.close();
  }

  // Whether there is more to wait for: what was trimmed meanwhile never comes.
  async function comes(of: Connection, name: string, at: () => number): Promise<boolean> {
    for (const end = performance.now() + PATIENCE; performance.now() < end; ) {
      if (await something()) return true;
      const state = (await findStream(of, name))?.state;
      if (!state || state.first_seq > last) return false;
      if (arrived.length > 0 || at() > last) return true;
    }
    throw lateError(`Reading ${name}`, PATIENCE);
  }

  async function something(): Promise<boolean> {
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
