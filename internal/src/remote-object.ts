/** What a thrown value is once it has crossed a port: the fields, not the class. */
export interface RemoteError {
  name: string;
  message: string;
  code?: number | string | undefined;
  data?: unknown;
}

/** An object at the other end of a port: each method answers with a promise. */
export type Remote<T> = {
  [K in keyof T]: T[K] extends (...args: infer A) => infer R
    ? (...args: A) => Promise<Awaited<R>>
    : never;
};

interface Call {
  id: number;
  method: string;
  args: unknown[];
}

type Reply = { id: number; value: unknown } | { id: number; error: RemoteError };

/**
 * Lets the other end of the port call the object's methods. Deliberately not our own `Peer`: what
 * drives a test must not share a fault with what is tested.
 */
function serveObject(port: MessagePort, object: object): void {
  port.onmessage = async ({ data }: MessageEvent<Call>) => {
    const method = (object as Record<string, (...args: unknown[]) => unknown>)[data.method];
    try {
      const value = await method?.apply(object, data.args);
      port.postMessage({ id: data.id, value } satisfies Reply);
    } catch (thrown) {
      port.postMessage({ id: data.id, error: toRemoteError(thrown) } satisfies Reply);
    }
  };
}

/**
 * Serves an object on the first port that the parent window hands over: what drives a frame must not
 * travel on the window channel that is under test.
 */
export function servePort(create: () => object): void {
  const takePort = ({ source, ports: [port] }: MessageEvent): void => {
    if (source !== parent || !port) return;
    removeEventListener("message", takePort);
    serveObject(port, create());
  };
  addEventListener("message", takePort);
}

/** The object served at the other end of the port. */
export function remoteObject<T extends object>(port: MessagePort): Remote<T> {
  const waiting = new Map<number, (reply: Reply) => void>();
  let lastId = 0;
  port.onmessage = ({ data }: MessageEvent<Reply>) => {
    waiting.get(data.id)?.(data);
    waiting.delete(data.id);
  };
  const call = (method: string, args: unknown[]): Promise<unknown> =>
    new Promise((resolve, reject) => {
      const id = ++lastId;
      waiting.set(id, (reply) => ("error" in reply ? reject(reply.error) : resolve(reply.value)));
      port.postMessage({ id, method, args } satisfies Call);
    });
  return new Proxy({} as Remote<T>, {
    get: (_, name) => {
      // A promise chain asks every value whether it is a promise.
      if (typeof name !== "string" || name === "then") return undefined;
      return (...args: unknown[]) => call(name, args);
    },
  });
}

/** A thrown value as plain data. */
export function toRemoteError(thrown: unknown): RemoteError {
  const { name, message, code, data } = Object(thrown) as RemoteError;
  return { name: name ?? typeof thrown, message: message ?? `${thrown}`, code, data };
}
