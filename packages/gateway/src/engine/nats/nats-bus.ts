import type { Msg, Subscription } from "@nats-io/nats-core";
import type { Bus } from "../engine.ts";
import { checkSize, closedError } from "../errors.ts";
import { copyOf } from "../local/bytes.ts";
import { checkKey, checkPattern } from "../names.ts";
import { BusClient } from "./bus-client.ts";
import { ANSWERED, FAILED, FrameBatch, GONE, readRequests } from "./bus-frames.ts";
import type { Connection } from "./connection.ts";

type Server = (body: Uint8Array) => Promise<Uint8Array>;
type Hearer = (body: Uint8Array, subject: string) => void;

interface Serving {
  readonly servers: Server[];
  readonly subscription: Subscription;
}

interface Hearing {
  readonly hearers: Set<Hearer>;
  readonly subscription: Subscription;
}

const EMPTY = new Uint8Array();
const ANSWER_BYTES = 64 * 1024;
/** All who serve an address are one group, of which one gets each message. */
const GROUP = "serve";

export interface NatsBusOptions {
  prefix: string;
  maxBytes: number;
  onError(error: unknown): void;
}

/** The bus over core NATS. Each address and each pattern is one subscription of this process. */
export class NatsBus implements Bus {
  readonly #connection: Connection;
  readonly #options: NatsBusOptions;
  readonly #client: BusClient;
  readonly #serving = new Map<string, Serving>();
  readonly #hearing = new Map<string, Hearing>();
  readonly #answers = new Map<string, FrameBatch>();
  readonly #events: string;
  #isScheduled = false;
  #closed = false;

  constructor(connection: Connection, options: NatsBusOptions) {
    this.#connection = connection;
    this.#options = options;
    this.#events = `${options.prefix}.event.`;
    this.#client = new BusClient(connection, {
      subjectOf: (address) => this.#subjectOf(address),
      onError: options.onError,
    });
  }

  request(
    address: string,
    body: Uint8Array,
    { deadline }: { deadline: number },
  ): Promise<Uint8Array> {
    try {
      this.#check(address, body);
    } catch (error) {
      return Promise.reject(error);
    }
    return this.#client.request(address, body, deadline);
  }

  serve(address: string, fn: Server): () => void {
    this.#check(address);
    const server: Server = (body) => fn(body);
    let serving = this.#serving.get(address);
    if (!serving) {
      const servers: Server[] = [];
      const hear = (msg: Msg): void => this.#answer(servers, msg);
      const subscription = this.#connection.subscribe(this.#subjectOf(address), hear, GROUP);
      serving = { servers, subscription };
      this.#serving.set(address, serving);
    }
    const { servers, subscription } = serving;
    servers.push(server);
    return () => {
      const place = servers.indexOf(server);
      if (place >= 0) servers.splice(place, 1);
      if (servers.length > 0 || this.#serving.get(address)?.servers !== servers) return;
      this.#serving.delete(address);
      // What is under way to us is still heard, and told that it came too late.
      if (!this.#closed) subscription.drain().catch(() => {});
    };
  }

  publish(subject: string, body: Uint8Array): void {
    this.#check(subject, body);
    // At most once: what nobody can take now is not kept.
    this.#connection.publish(this.#events + subject, copyOf(body));
  }

  subscribe(subject: string, fn: Hearer): () => void {
    if (this.#closed) throw closedError();
    checkPattern(subject);
    let hearing = this.#hearing.get(subject);
    if (!hearing) {
      const hearers = new Set<Hearer>();
      const hear = (msg: Msg): void => this.#tell(hearers, msg);
      hearing = { hearers, subscription: this.#connection.subscribe(this.#events + subject, hear) };
      this.#hearing.set(subject, hearing);
    }
    const { hearers, subscription } = hearing;
    const hearer: Hearer = (body, from) => fn(body, from);
    hearers.add(hearer);
    return () => {
      hearers.delete(hearer);
      if (hearers.size > 0 || this.#hearing.get(subject)?.hearers !== hearers) return;
      this.#hearing.delete(subject);
      if (!this.#closed) subscription.unsubscribe();
    };
  }

  close(): void {
    this.#closed = true;
    this.#client.close();
    for (const { hearers } of this.#hearing.values()) hearers.clear();
    for (const { servers } of this.#serving.values()) servers.length = 0;
  }

  #tell(hearers: ReadonlySet<Hearer>, msg: Msg): void {
    const subject = msg.subject.slice(this.#events.length);
    for (const hearer of [...hearers]) {
      // One of those before may have told it to go.
      if (!hearers.has(hearer)) continue;
      try {
        hearer(copyOf(msg.data), subject);
      } catch (error) {
        this.#options.onError(error);
      }
    }
  }

  #answer(servers: Server[], msg: Msg): void {
    const reply = msg.reply ?? "";
    const asker = reply.slice(0, reply.lastIndexOf("."));
    // Whoever asks names where the answer goes: into an inbox, and nowhere else.
    if (!asker.startsWith("_INBOX.")) return;
    try {
      for (const { id, body } of readRequests(msg.data)) {
        const server = servers.shift();
        if (!server) {
          this.#reply(asker, id, GONE, EMPTY);
          continue;
        }
        servers.push(server);
        void this.#run(server, body).then(
          (answer) => this.#reply(asker, id, ANSWERED, answer),
          (error: unknown) => {
            this.#options.onError(error);
            this.#reply(asker, id, FAILED, EMPTY);
          },
        );
      }
    } catch (error) {
      this.#options.onError(error);
    }
  }

  async #run(server: Server, body: Uint8Array): Promise<Uint8Array> {
    const answer = await server(body);
    checkSize("The answer", answer.length, this.#options.maxBytes);
    return answer;
  }

  #reply(asker: string, id: number, status: number, body: Uint8Array): void {
    let batch = this.#answers.get(asker);
    if (batch && batch.length + body.length > ANSWER_BYTES) {
      this.#send(asker, batch);
      batch = undefined;
    }
    if (!batch) {
      batch = new FrameBatch(Math.max(2_048, body.length + 16));
      this.#answers.set(asker, batch);
    }
    batch.addAnswer(id, status, body);
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    setImmediate(() => {
      this.#isScheduled = false;
      for (const [to, filled] of this.#answers) this.#send(to, filled);
    });
  }

  #send(asker: string, batch: FrameBatch): void {
    this.#answers.delete(asker);
    if (!this.#closed) this.#connection.publish(`${asker}.r`, batch.bytes);
  }

  #subjectOf(address: string): string {
    return `${this.#options.prefix}.bus.${address}`;
  }

  #check(name: string, body?: Uint8Array): void {
    if (this.#closed) throw closedError();
    checkKey(name);
    if (body) checkSize(`The message to "${name}"`, body.length, this.#options.maxBytes);
  }
}
