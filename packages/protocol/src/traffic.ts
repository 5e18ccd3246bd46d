/** The messages that one side may send: its requests and its notifications, by method. */
export interface Traffic {
  /** Method → `{ params, result }`. */
  requests: object;
  /** Method → params. */
  notifications: object;
}

/** Any message; the default of a `Peer` without tables. */
export interface AnyTraffic {
  requests: Record<string, { params: unknown; result: unknown }>;
  notifications: Record<string, unknown>;
}

// A known method autocompletes and is typed; an unknown one stays possible and is `unknown`,
// because both sides may have extensions that no table lists.
type Known<T> = keyof T & string;
type OrAny<K extends string> = K | (string & {});

/** Methods that can be requested of a side. */
export type Serves<T extends Traffic> = OrAny<Known<T["requests"]>>;

/** Methods that can be notified by a side. */
export type Notifies<T extends Traffic> = OrAny<Known<T["notifications"]>>;

type Entry<T, M> = M extends keyof T ? T[M] : unknown;

/** The params of a method in a table of requests or notifications. */
export type ParamsOf<T, M> =
  Entry<T, M> extends { params: infer P; result: unknown } ? P : Entry<T, M>;

/** The result of a method in a table of requests. */
export type ResultOf<T, M> = Entry<T, M> extends { result: infer R } ? R : unknown;
