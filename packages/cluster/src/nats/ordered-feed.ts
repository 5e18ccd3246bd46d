// The messages of a stream in order, over a consumer that exists only while it is used. The client's ordered
// consumer isn't used because it takes a minute to notice a lost server, and a cache of grants must not be a
// minute behind. Here it takes three seconds.

import type { Msg, Subscription } from "@nats-io/nats-core";
import type { Connection } from "./connection.ts";
import { NO_MESSAGE, rejectedError } from "./nats-error.ts";
import { nanoseconds } from "./streams.ts";

const HEARTBEAT = 1_000;
const SILENCE = 3 * HEARTBEAT;
const FIRST_PAUSE = 100;
const LONGEST_PAUSE = 2_000;

/** A message of a stream. */
export interface FeedMessage {
  readonly msg: Msg;
  readonly sequence: number;
}

/** The stream to follow, and the callbacks. */
export interface FeedOptions {
  readonly stream: string;
  /** Only these subjects; all if left out. */
  readonly filter?: string;
  readonly headersOnly?: boolean;
  /** Resolves when the stream exists; called at each start of the feed. */
  opened?(): Promise<void>;
  /** Where to start, called at each start of the feed: the newest message of each subject, or a sequence. */
  from(): "last" | number;
  /** The feed starts, at first and after each interruption. */
  onBegin(): void;
  onMessage(message: FeedMessage): void;
  /** All messages that existed at the start have been delivered. */
  onCaughtUp?(): void;
  onError(error: unknown): void;
}

interface Made {
  readonly num_pending: number;
  /** Messages that were sent before this response, and may arrive after it. */
  readonly delivered: { readonly consumer_seq: number };
}

/** Follows a stream until it is closed. */
export class OrderedFeed {
  readonly #connection: Connection;
  readonly #options: FeedOptions;
  readonly #unsubscribe: () => void;
  #subscription: Subscription | undefined;
  #consumer: string | undefined;
  #delivered = 0;
  #highest = 0;
  #pending = 0;
  /** The leader's newest message at the start; the feed's replica is behind until it arrives. */
  #target = 0;
  #isCaughtUp = false;
  #lastMessageAt = 0;
  #watchdog: NodeJS.Timeout | undefined;
  #isBeginning = false;
  #closed = false;

  constructor(connection: Connection, options: FeedOptions) {
    this.#connection = connection;
    this.#options = options;
    this.#unsubscribe = connection.onReconnect(() => void this.#begin());
    this.#watchdog = setInterval(() => this.#checkProgress(), HEARTBEAT).unref();
    void this.#begin();
  }

  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#unsubscribe();
    clearInterval(this.#watchdog);
    this.#leave();
  }

  #checkProgress(): void {
    if (performance.now() - this.#lastMessageAt > SILENCE) void this.#begin();
    // The message that it waits for may have been removed.
    else if (!this.#isCaughtUp && !this.#isBeginning && this.#options.onCaughtUp) {
      this.#findTarget().then(
        () => this.#settle(),
        () => {},
      );
    }
  }

  async #findTarget(): Promise<void> {
    const { stream, filter } = this.#options;
    const body = { last_by_subj: filter ?? ">" };
    const what = `The end of ${stream}`;
    const answer = await this.#connection.api<{ message: { seq: number } }>(
      `STREAM.MSG.GET.${stream}`,
      body,
      what,
    );
    if (answer.error && answer.error.err_code !== NO_MESSAGE)
      throw rejectedError(what, answer.error);
    this.#target = answer.error ? 0 : answer.message.seq;
  }

  #settle(): void {
    if (this.#isCaughtUp || this.#isBeginning || this.#isOver) return;
    if (this.#pending > 0 || this.#highest < this.#target) return;
    this.#isCaughtUp = true;
    this.#options.onCaughtUp?.();
  }

  async #begin(): Promise<void> {
    if (this.#isBeginning) return;
    this.#isBeginning = true;
    for (let pause = FIRST_PAUSE; !this.#isOver; pause = Math.min(pause * 2, LONGEST_PAUSE)) {
      this.#leave();
      try {
        await this.#open();
        this.#isBeginning = false;
        this.#settle();
        return;
      } catch (error) {
        if (this.#isOver) break;
        this.#options.onError(error);
        await new Promise((resolve) => setTimeout(resolve, pause).unref());
      }
    }
    this.#isBeginning = false;
  }

  get #isOver(): boolean {
    return this.#closed || this.#connection.isClosed;
  }

  async #open(): Promise<void> {
    const { stream, filter, headersOnly, from, onBegin } = this.#options;
    const connection = this.#connection;
    await this.#options.opened?.();
    if (this.#isOver) return;
    const name = `feed-${crypto.randomUUID()}`;
    const inbox = `${connection.inbox}.feed.${name}`;
    const start = from();
    // Messages may arrive before the response with their number.
    let early: Msg[] | undefined = [];
    this.#delivered = 0;
    this.#highest = 0;
    this.#isCaughtUp = false;
    const subscription = connection.subscribe(inbox, (msg) => {
      if (this.#subscription !== subscription) return;
      if (early) early.push(msg);
      else this.#onMessage(msg);
    });
    this.#subscription = subscription;
    const finding = this.#options.onCaughtUp ? this.#findTarget() : undefined;
    // It is awaited below; until then a rejection must not count as unhandled.
    finding?.catch(() => {});
    const made = await connection.apiOrFail<Made>(
      `CONSUMER.CREATE.${stream}.${name}`,
      {
        stream_name: stream,
        config: {
          name,
          deliver_subject: inbox,
          ack_policy: "none",
          deliver_policy: start === "last" ? "last_per_subject" : "by_start_sequence",
          ...(start !== "last" && { opt_start_seq: start }),
          ...(filter !== undefined && { filter_subject: filter }),
          headers_only: headersOnly === true,
          max_deliver: 1,
          mem_storage: true,
          num_replicas: 1,
          flow_control: true,
          idle_heartbeat: nanoseconds(HEARTBEAT),
          inactive_threshold: nanoseconds(SILENCE * 2),
        },
      },
      `Listening to ${stream}`,
    );
    this.#consumer = `${stream}.${name}`;
    await finding;
    this.#lastMessageAt = performance.now();
    if (this.#isOver) {
      this.#leave();
      return;
    }
    this.#pending = made.num_pending + made.delivered.consumer_seq;
    onBegin();
    const first = early;
    early = undefined;
    for (const msg of first) this.#onMessage(msg);
  }

  #onMessage(msg: Msg): void {
    if (this.#isOver) return;
    this.#lastMessageAt = performance.now();
    if (msg.headers?.code === 100) {
      this.#onStatus(msg);
      return;
    }
    // $JS.ACK.<stream>.<consumer>.<deliveries>.<stream sequence>.<consumer sequence>.<time>.<pending>; the
    // longer form has the domain and the account before the stream.
    const tokens = msg.reply?.split(".") ?? [];
    const at = tokens.length >= 11 ? 7 : 5;
    const [sequence, delivered, , pending] = tokens.slice(at).map(Number);
    if (sequence === undefined || pending === undefined) return;
    if (delivered !== this.#delivered + 1) {
      void this.#begin();
      return;
    }
    this.#delivered = delivered;
    this.#highest = sequence;
    this.#pending = pending;
    this.#options.onMessage({ msg, sequence });
    this.#settle();
  }

  #onStatus(msg: Msg): void {
    const stalled = msg.headers?.get("Nats-Consumer-Stalled");
    const waiting = msg.reply || stalled;
    if (waiting) this.#connection.publish(waiting, "");
    else {
      const last = Number(msg.headers?.get("Nats-Last-Consumer"));
      // A message was sent before this heartbeat and never arrived.
      if (last > this.#delivered) void this.#begin();
    }
  }

  #leave(): void {
    const subscription = this.#subscription;
    const consumer = this.#consumer;
    this.#subscription = undefined;
    this.#consumer = undefined;
    if (this.#connection.isClosed) return;
    subscription?.unsubscribe();
    if (!consumer) return;
    const [stream, name] = consumer.split(".");
    this.#connection.api(`CONSUMER.DELETE.${stream}.${name}`, undefined, "Leaving").catch(() => {});
  }
}
