import { type Channel, linkedChannels } from "@vitrine/protocol";

type Message = {
  jsonrpc: "2.0";
  id?: string | number;
  method?: string;
  params?: Record<string, unknown>;
  result?: unknown;
  error?: { code: number; message: string };
};

/** What the host answers to `ui/initialize`, as far as a test cares. */
export interface HostScript {
  hostContext?: Record<string, unknown>;
  hostCapabilities?: Record<string, unknown>;
  /** The whole result, where a test wants it strange. */
  result?: unknown;
  /** Method → answer to a request; a function may throw `{ code, message }`. */
  answers?: Record<string, unknown>;
  /** Method → a function whose promise is the answer. */
  slowAnswers?: Record<string, (params: Record<string, unknown>) => Promise<unknown>>;
  /** Leave `ui/initialize` unanswered until `admit` is called. */
  hesitate?: boolean;
}

/**
 * A hand-written host on the bare wire: it uses none of our classes, so what a test reads in `received` is
 * what any host would see.
 */
export class ScriptedHost {
  readonly view: Channel;
  readonly received: Message[] = [];
  readonly #channel: Channel;
  readonly #script: HostScript;
  readonly #waiting = new Map<string | number, (message: Message) => void>();
  #lastId = 100;
  #initialize: Message | undefined;

  constructor(script: HostScript = {}) {
    const [near, far] = linkedChannels();
    this.view = near;
    this.#channel = far;
    this.#script = script;
    far.onmessage = (message: Message) => this.#receive(message);
  }

  /** Methods in the order in which the View sent them. */
  get methods(): string[] {
    return this.received.flatMap(({ method }) => method ?? []);
  }

  /** The last message of a method. */
  last(method: string): Message | undefined {
    return this.received.findLast((message) => message.method === method);
  }

  all(method: string): Message[] {
    return this.received.filter((message) => message.method === method);
  }

  notify(method: string, params?: Record<string, unknown>): void {
    this.#channel.send({ jsonrpc: "2.0", method, params } as never);
  }

  /** Sends a request and resolves with the View's whole answer. */
  request(method: string, params?: Record<string, unknown>): Promise<Message> {
    const id = this.#lastId++;
    const answer = new Promise<Message>((resolve) => this.#waiting.set(id, resolve));
    this.#channel.send({ jsonrpc: "2.0", id, method, params } as never);
    return answer;
  }

  send(message: unknown): void {
    this.#channel.send(message as never);
  }

  /** Answers a `ui/initialize` that was left waiting. */
  admit(): void {
    if (this.#initialize) this.#answer(this.#initialize);
  }

  close(): void {
    this.#channel.close();
  }

  #receive(message: Message): void {
    this.received.push(message);
    if (message.method === undefined) {
      this.#waiting.get(message.id as string | number)?.(message);
    } else if (message.method === "ui/initialize") {
      this.#initialize = message;
      if (!this.#script.hesitate) this.#answer(message);
    } else if (message.id !== undefined) {
      const slow = this.#script.slowAnswers?.[message.method];
      if (slow) void this.#answerLater(message, slow(message.params ?? {}));
      else this.#answer(message);
    }
  }

  async #answerLater({ id }: Message, answer: Promise<unknown>): Promise<void> {
    const result = await answer;
    this.#channel.send({ jsonrpc: "2.0", id, result } as never);
  }

  #answer({ id, method, params }: Message): void {
    const answers: Record<string, unknown> = {
      "ui/initialize": this.#script.result ?? {
        protocolVersion: "2026-01-26",
        hostInfo: { name: "scripted", version: "1.0.0" },
        hostCapabilities: this.#script.hostCapabilities ?? {},
        hostContext: this.#script.hostContext ?? {},
      },
      ...this.#script.answers,
    };
    const answer = answers[method as string];
    try {
      const result = typeof answer === "function" ? answer(params) : (answer ?? {});
      this.#channel.send({ jsonrpc: "2.0", id, result } as never);
    } catch (error) {
      this.#channel.send({ jsonrpc: "2.0", id, error } as never);
    }
  }
}

/** Lets everything that is under way in microtasks happen. */
export async function turn(): Promise<void> {
  for (let i = 0; i < 20; i++) await Promise.resolve();
}
