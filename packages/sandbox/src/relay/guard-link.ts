/** A fault of the view as the guard saw it. The texts are the view's. */
export type GuardReport = { error: string } | { directive: string; blocked: string };

/** What the guard in the view's document reports. */
export interface FromGuard {
  /** The view has tried to add too many entries to the history. */
  history(): void;
  /** Bytes that the view's origin stores. */
  usage(bytes: number): void;
  /** An error that the view didn't catch. */
  error(message: string): void;
  /** A request that the view's policy blocked: the directive, and an origin or a keyword. */
  violation(directive: string, blocked: string): void;
}

const LONGEST = 500;
const DIRECTIVE = /^[a-z]+(?:-[a-z]+){1,3}$/;

/** The origin of an address, or a word such as `eval`: the rest could contain data that a View wants to leak. */
export function originIn(blocked: string): string {
  return /^\w+:\/\/[^/?#\s]{1,255}/.exec(blocked)?.[0] ?? blocked.slice(0, 64);
}

/** The way to the guard. */
export interface GuardLink {
  /** Takes the guard's port out of the first message of the view; true if the message was that. */
  take(event: MessageEvent): boolean;
  /** Asks for the usage, which is reported when the browser knows it. */
  ask(): void;
  close(): void;
}

/**
 * Receives the guard's port. The guard is the first script of the view's document, so the first
 * message from the view is the guard's, and only the guard has the other end of that port.
 */
export function openGuardLink(from: FromGuard): GuardLink {
  let port: MessagePort | undefined;
  let isFirst = true;
  return {
    take: ({ data, ports }) => {
      const isGuard = isFirst && data?.vitrine === "guard" && ports.length === 1;
      isFirst = false;
      if (!isGuard) return false;
      port = ports[0] as MessagePort;
      port.onmessage = ({ data }) => {
        if (data === "history") from.history();
        if (typeof data === "number") from.usage(data);
        const { error, directive, blocked } = Object(data) as Record<string, unknown>;
        if (typeof error === "string") from.error(error.slice(0, LONGEST));
        if (DIRECTIVE.test(`${directive}`)) from.violation(`${directive}`, originIn(`${blocked}`));
      };
      return true;
    },
    ask: () => port?.postMessage(0),
    close: () => port?.close(),
  };
}
