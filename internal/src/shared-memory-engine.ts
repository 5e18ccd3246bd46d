import {
  type Bus,
  checkKey,
  checkPattern,
  checkSize,
  closedError,
  createMemoryEngine,
  EngineError,
  type MemoryEngineOptions,
  type SharedEngine,
} from "@vitrine/gateway/engine";

type Server = (body: Uint8Array) => Promise<Uint8Array>;
type Listener = (body: Uint8Array, subject: string) => void;

/** An engine in memory with a bus: one test process plays several gateways. */
export function createSharedMemoryEngine(options: MemoryEngineOptions = {}): SharedEngine {
  const engine = createMemoryEngine(options);
  const bus = new MemoryBus(engine.caps.maxBytes);
  const close = async (): Promise<void> => {
    bus.close();
    await engine.close();
  };
  return { ...engine, caps: { ...engine.caps, shared: true }, bus, close };
}

class MemoryBus implements Bus {
  readonly #maxBytes: number;
  readonly #servers = new Map<string, Server[]>();
  readonly #listeners = new Map<Listener, string[]>();
  readonly #over = Promise.withResolvers<never>();
  #isClosed = false;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
    this.#over.promise.catch(() => {});
  }

  async request(address: string, body: Uint8Array, { deadline }: { deadline: number }) {
    this.#check(address, body);
    const servers = this.#servers.get(address) ?? [];
    const server = servers.shift();
    if (!server) throw new EngineError("no-responders", `Nobody serves "${address}".`);
    servers.push(server);
    const late = Promise.withResolvers<never>();
    const timer = setTimeout(
      () => late.reject(new EngineError("timeout", `"${address}" didn't respond in time.`)),
      deadline,
    );
    const request = new Uint8Array(body);
    const answering = later().then(async () => new Uint8Array(await server(request)));
    const failing = answering.catch((cause: unknown) => {
      throw new EngineError("unavailable", `The server of "${address}" failed.`, { cause });
    });
    return Promise.race([failing, late.promise, this.#over.promise]).finally(() =>
      clearTimeout(timer),
    );
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
    };
  }

  publish(subject: string, body: Uint8Array): void {
    this.#check(subject, body);
    const message = new Uint8Array(body);
    void later().then(() => {
      for (const [listener, pattern] of [...this.#listeners]) {
        if (!this.#listeners.has(listener) || !fits(pattern, subject.split("."))) continue;
        try {
          listener(new Uint8Array(message), subject);
        } catch {
          // It takes nothing from the others.
        }
      }
    });
  }

  subscribe(subject: string, fn: Listener): () => void {
    if (this.#isClosed) throw closedError();
    checkPattern(subject);
    const listener: Listener = (...message) => fn(...message);
    this.#listeners.set(listener, subject.split("."));
    return () => this.#listeners.delete(listener);
  }

  close(): void {
    this.#isClosed = true;
    this.#servers.clear();
    this.#listeners.clear();
    this.#over.reject(closedError());
  }

  #check(name: string, body?: Uint8Array): void {
    if (this.#isClosed) throw closedError();
    checkKey(name);
    if (body) checkSize(`The message to "${name}"`, body.length, this.#maxBytes);
  }
}

/** In order, and never inside of the caller's own call. */
function later(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

function fits(pattern: readonly string[], subject: readonly string[]): boolean {
  for (const [index, token] of pattern.entries()) {
    if (token === ">") return subject.length > index;
    if (token !== "*" && token !== subject[index]) return false;
  }
  return pattern.length === subject.length;
}
