// A group of consumers is one durable consumer of JetStream, which hands out one message until it is
// acknowledged: so one member of the group works at a time, and in order.

import type { Msg, Subscription } from "@nats-io/nats-core";
import type { LogRecord } from "../engine.ts";
import { decodeMessage } from "./batch-message.ts";
import type { Connection } from "./connection.ts";
import { placeOf } from "./places.ts";
import { nanoseconds } from "./streams.ts";

/** After this a batch goes to another member, unless we say that we are at it. */
const ACK_WAIT = 15_000;
const AT_IT = 5_000;
const PULL_TIME = 5_000;
const FIRST_PAUSE = 50;
const LONGEST_PAUSE = 5_000;

interface ConsumerOptions {
  readonly stream: string;
  readonly group: string;
  /** Resolves when the stream is there. */
  opened(): Promise<void>;
  onBatch(batch: readonly LogRecord[]): Promise<void>;
  onError(error: unknown): void;
}

/** A member of a group. */
export class LogConsumer {
  readonly #connection: Connection;
  readonly #options: ConsumerOptions;
  readonly #inbox: string;
  #subscription: Subscription | undefined;
  readonly #stopHearing: () => void;
  #wake: ((msg: Msg | undefined) => void) | undefined;
  /** It came when we did not ask any more. */
  #held: Msg | undefined;
  #stopped = false;
  #failures = 0;

  constructor(connection: Connection, options: ConsumerOptions) {
    this.#connection = connection;
    this.#options = options;
    this.#inbox = `${connection.inbox}.pull.${crypto.randomUUID()}`;
    // What was asked of the server that went is asked of the next.
    this.#stopHearing = connection.onReconnect(() => this.#wake?.(undefined));
    void this.#run();
  }

  stop(): void {
    if (this.#stopped) return;
    this.#stopped = true;
    this.#stopHearing();
    this.#wake?.(undefined);
    if (this.#held) this.#hear(this.#held);
    // What is under way to us is still heard, and given back at once.
    if (!this.#connection.isClosed) this.#subscription?.drain().catch(() => {});
  }

  get #isOver(): boolean {
    return this.#stopped || this.#connection.isClosed;
  }

  async #run(): Promise<void> {
    for (let pause = FIRST_PAUSE; !this.#isOver; pause = Math.min(pause * 2, LONGEST_PAUSE)) {
      try {
        await this.#options.opened();
        await this.#ensure();
        this.#subscription ??= this.#connection.subscribe(this.#inbox, (msg) => this.#hear(msg));
        pause = FIRST_PAUSE;
        while (!this.#isOver) await this.#take();
      } catch (error) {
        if (this.#isOver) return;
        this.#options.onError(error);
        await new Promise((resolve) => setTimeout(resolve, pause).unref());
      }
    }
  }

  async #ensure(): Promise<void> {
    const { stream, group } = this.#options;
    const config = {
      name: group,
      durable_name: group,
      deliver_policy: "all",
      ack_policy: "explicit",
      ack_wait: nanoseconds(ACK_WAIT),
      max_ack_pending: 1,
      max_deliver: -1,
    };
    await this.#connection.apiOrFail(
      `CONSUMER.CREATE.${stream}.${group}`,
      { stream_name: stream, config, action: "" },
      `The group ${group} of ${stream}`,
    );
  }

  #hear(msg: Msg): void {
    if (this.#isOver) {
      // Another member is to have it, and not only when our time for it is over.
      if (msg.reply?.startsWith("$JS.ACK.")) this.#connection.publish(msg.reply, "-NAK");
      return;
    }
    if (this.#wake) this.#wake(msg);
    else if (msg.reply?.startsWith("$JS.ACK.")) this.#held = msg;
  }

  async #take(): Promise<void> {
    const msg = await this.#pull();
    // Silence, the end of the pull, or a status: a consumer that is gone is made again.
    if (!msg?.reply?.startsWith("$JS.ACK.")) {
      if (msg?.headers && msg.headers.code !== 408 && msg.headers.code !== 404)
        await this.#ensure();
      return;
    }
    const say = (word: string): void => void this.#connection.publish(`${msg.reply}`, word);
    const beat = setInterval(() => say("+WPI"), AT_IT).unref();
    try {
      await this.#options.onBatch(recordsOf(msg));
      this.#failures = 0;
      say("+ACK");
    } catch (error) {
      this.#failures += 1;
      const delay = Math.min(FIRST_PAUSE * 2 ** this.#failures, LONGEST_PAUSE);
      say(`-NAK ${JSON.stringify({ delay: nanoseconds(delay) })}`);
      throw error;
    } finally {
      clearInterval(beat);
    }
  }

  #pull(): Promise<Msg | undefined> {
    const { stream, group } = this.#options;
    const held = this.#held;
    this.#held = undefined;
    if (held) return Promise.resolve(held);
    return new Promise((resolve) => {
      const finish = (msg: Msg | undefined): void => {
        clearTimeout(timer);
        this.#wake = undefined;
        resolve(msg);
      };
      // The server ends it before we do, unless it is gone.
      const timer = setTimeout(() => finish(undefined), PULL_TIME + 1_000);
      this.#wake = finish;
      const pull = JSON.stringify({ batch: 1, expires: nanoseconds(PULL_TIME) });
      const subject = `$JS.API.CONSUMER.MSG.NEXT.${stream}.${group}`;
      this.#connection.publish(subject, pull, this.#inbox);
    });
  }
}

function recordsOf(msg: Msg): LogRecord[] {
  const tokens = msg.reply?.split(".") ?? [];
  const stored = Number(tokens[tokens.length >= 11 ? 7 : 5]);
  return decodeMessage(msg.data).map((record, index) => ({
    sequence: placeOf(stored, index),
    record,
  }));
}
