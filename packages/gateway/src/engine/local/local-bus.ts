import type { Bus } from "../engine.ts";
import { checkSize, closedError, EngineError } from "../errors.ts";
import { checkKey, checkPattern, fits } from "../names.ts";
import { copyOf } from "./bytes.ts";
import type { Dispatch } from "./dispatch.ts";

type Server = (body: Uint8Array) => Promise<Uint8Array>;

interface Subscriber {
  readonly pattern: readonly string[];
  readonly fn: (body: Uint8Array, subject: string) => void;
}

/** A bus within one process. Bodies are copied: who keeps one does not see what the sender does to his. */
export class LocalBus implements Bus {
  readonly #servers = new Map<string, Server[]>();
  // By subject where there is no wildcard: most subscriptions, and they must not be tried one by one.
  readonly #exact = new Map<string, Set<Subscriber>>();
  readonly #patterns = new Set<Subscriber>();
  readonly #pending = new Set<(error: EngineError) => void>();
  readonly #dispatch: Dispatch;
  readonly #maxBytes: number;
  #closed = false;

  constructor(dispatch: Dispatch, { maxBytes }: { maxBytes: number }) {
    this.#dispatch = dispatch;
    this.#maxBytes = maxBytes;
  }

  async request(
    address: string,
    body: Uint8Array,
    { deadline }: { deadline: number },
  ): Promise<Uint8Array> {
    this.#check(address, body);
    const servers = this.#servers.get(address);
    const server = servers?.shift();
    if (!servers || !server) {
      throw new EngineError(
        "no-responders",
        `Nobody serves "${address}"; look up its owner again.`,
      );
    }
    servers.push(server);
    const asked = copyOf(body);
    return new Promise((resolve, reject) => {
      const fail = (error: EngineError): void => {
        clearTimeout(timer);
        this.#pending.delete(fail);
        reject(error);
      };
      const timer = setTimeout(() => fail(lateError(address, deadline)), deadline);
      this.#pending.add(fail);
      this.#dispatch.later(() => {
        void answerOf(server, asked, this.#maxBytes).then(
          (answer) => {
            clearTimeout(timer);
            this.#pending.delete(fail);
            resolve(answer);
          },
          (cause: unknown) => fail(failedError(address, cause)),
        );
      });
    });
  }

  serve(address: string, fn: Server): () => void {
    this.#check(address);
    const server: Server = (body) => fn(body);
    const servers = this.#servers.get(address) ?? [];
    this.#servers.set(address, servers);
    servers.push(server);
    return () => {
      const place = servers.indexOf(server);
      if (place >= 0) servers.splice(place, 1);
      if (servers.length === 0 && this.#servers.get(address) === servers) {
        this.#servers.delete(address);
      }
    };
  }

  publish(subject: string, body: Uint8Array): void {
    this.#check(subject, body);
    const told = copyOf(body);
    this.#dispatch.later(() => {
      const tokens = subject.split(".");
      const hearing = [...(this.#exact.get(subject) ?? [])];
      for (const subscriber of this.#patterns) {
        if (fits(subscriber.pattern, tokens)) hearing.push(subscriber);
      }
      for (const { fn } of hearing) this.#dispatch.later(() => fn(copyOf(told), subject));
    });
  }

  subscribe(subject: string, fn: (body: Uint8Array, subject: string) => void): () => void {
    if (this.#closed) throw closedError();
    checkPattern(subject);
    const pattern = subject.split(".");
    let isHearing = true;
    const subscriber: Subscriber = { pattern, fn: (body, from) => isHearing && fn(body, from) };
    const among = this.#among(subject, pattern);
    among.add(subscriber);
    return () => {
      isHearing = false;
      among.delete(subscriber);
      if (among.size === 0 && this.#exact.get(subject) === among) this.#exact.delete(subject);
    };
  }

  close(): void {
    this.#closed = true;
    this.#servers.clear();
    this.#exact.clear();
    this.#patterns.clear();
    for (const fail of [...this.#pending]) fail(closedError());
  }

  #among(subject: string, pattern: readonly string[]): Set<Subscriber> {
    if (pattern.includes("*") || pattern.includes(">")) return this.#patterns;
    const among = this.#exact.get(subject) ?? new Set();
    this.#exact.set(subject, among);
    return among;
  }

  #check(name: string, body?: Uint8Array): void {
    if (this.#closed) throw closedError();
    checkKey(name);
    if (body) checkSize(`The message to "${name}"`, body.length, this.#maxBytes);
  }
}

async function answerOf(server: Server, body: Uint8Array, most: number): Promise<Uint8Array> {
  const answer = await server(body);
  checkSize("The answer", answer.length, most);
  return copyOf(answer);
}

function lateError(address: string, deadline: number): EngineError {
  const text = `"${address}" did not answer within ${deadline} ms; whether it did as asked is unknown.`;
  return new EngineError("timeout", text);
}

function failedError(address: string, cause: unknown): EngineError {
  const text = `Whoever serves "${address}" failed; its log has the cause.`;
  return new EngineError("unavailable", text, { cause });
}
