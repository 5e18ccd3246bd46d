import type { ConsentScope, ConsentSubject } from "./consent.ts";

/** A remembered answer of the host's user. */
export interface Permission {
  /** Identifies it in `revoke`. */
  readonly id: string;
  readonly kind: ConsentSubject["kind"];
  /** The host's name for the server. */
  readonly server: string;
  /** The tool's name, the origin of the link, the sites; none for messages. Show it as text. */
  readonly subject?: string | undefined;
  readonly scope: ConsentScope;
  /** The conversation that it holds in, if it doesn't hold always. */
  readonly conversation?: string | undefined;
  /** `false` if the user wants it to be rejected without a question. */
  readonly allow: boolean;
}

/** The remembered answers of the host's user. `host.permissions` returns them. */
export interface Permissions {
  list(): Promise<readonly Permission[]>;
  /** Forgets an answer: the user is asked again. */
  revoke(permission: Pick<Permission, "id">): Promise<void>;
  /** Calls `listener` whenever the list may have changed. Returns an unsubscribe function. */
  onChange(listener: () => void): () => void;
}

/** Calls `update` with the list, now and after each change. Returns a function that stops it. */
export function followPermissions(
  permissions: Permissions,
  update: (list: readonly Permission[]) => void,
  onError: (error: unknown) => void = () => {},
): () => void {
  // Counts reads, because an earlier one may end later.
  let turn = 0;
  const read = async (): Promise<void> => {
    const own = ++turn;
    try {
      const list = await permissions.list();
      if (own === turn) update(list);
    } catch (error) {
      if (own === turn) onError(error);
    }
  };
  const stop = permissions.onChange(() => void read());
  void read();
  return () => {
    turn = Number.NaN;
    stop();
  };
}
