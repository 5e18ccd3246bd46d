// Globals of every runtime we target (browsers, workers, Node, Deno, Bun, edge), declared here because
// this package compiles without DOM and Node types, so that it can't depend on either by accident.

interface AbortSignal {
  readonly aborted: boolean;
  readonly reason: unknown;
  throwIfAborted(): void;
  addEventListener(type: "abort", listener: () => void, options?: { once?: boolean }): void;
  removeEventListener(type: "abort", listener: () => void): void;
}

interface AbortController {
  readonly signal: AbortSignal;
  abort(reason?: unknown): void;
}
declare const AbortController: { new (): AbortController };

interface URL {
  readonly href: string;
  readonly origin: string;
  readonly protocol: string;
  readonly username: string;
  readonly password: string;
  readonly host: string;
  readonly hostname: string;
  readonly pathname: string;
}
declare const URL: { new (url: string, base?: string): URL };

declare function setTimeout<T extends unknown[]>(
  callback: (...args: T) => void,
  milliseconds: number,
  ...args: T
): unknown;
declare function clearTimeout(timer: unknown): void;
declare function queueMicrotask(callback: () => void): void;
