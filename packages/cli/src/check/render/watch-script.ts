// Runs in every frame before all other code, next to the development agent. In the view it removes
// what a strict host removes, and reports the use of that through the console, which no policy blocks.

import type { SourcePlace } from "../../frame/source-place.ts";

/** Prefix of each report, so that it isn't mistaken for the view's own output. */
export const MARK = "\u2063vitrine-check\u2063";

/** Reports of the view's window. */
export type WatchReport =
  | {
      kind: "error";
      message: string;
      source: string;
      line: number;
      column: number;
      stack: string;
      /** It was passed to `console.error`, called from here. */
      isLogged?: true;
      caller?: string;
      /** In the author's file. */
      found?: SourcePlace;
    }
  | {
      kind: "violation";
      directive: string;
      blocked: string;
      line: number;
      column: number;
      sample: string;
    }
  | { kind: "unloaded"; tag: string; url: string }
  | { kind: "use"; what: string; line: number; column: number };

/** Sent as text, so it may not use anything outside itself. */
export function watchView(mark: string): void {
  // The page is the host's, the frame in it the sandbox's; deeper frames are the view or its own.
  if (window === window.parent || window.parent === window.parent.parent) return;
  // biome-ignore lint/suspicious/noConsole: the only way out of the view, see above.
  const log = console.debug.bind(console);
  const write = JSON.stringify.bind(JSON);
  let left = 200;
  const report = (one: object): void => {
    if (left-- > 0) log(mark + write(one));
  };
  const text = (value: unknown): string => {
    try {
      return String(value).slice(0, 1_000);
    } catch {
      return "something";
    }
  };
  // The caller, from the stack: the first line that belongs to the document itself.
  const use = (what: string): void => {
    const stack = text(new Error("").stack);
    const called = stack.split("\n").find((line) => line.includes(location.host));
    const [, line = "0", column = "0"] = /:(\d+):(\d+)\)?$/.exec(called ?? "") ?? [];
    report({ kind: "use", what, line: Number(line), column: Number(column) });
  };
  // Hosts that give views no origin leave them without storage.
  const refuse = (name: string, owner: object): void => {
    Object.defineProperty(owner, name, {
      configurable: true,
      get: () => {
        use(name);
        throw new DOMException(
          `Failed to read the '${name}' property from '${owner === window ? "Window" : "Document"}': The document is sandboxed and lacks the 'allow-same-origin' flag.`,
          "SecurityError",
        );
      },
    });
  };
  for (const name of ["localStorage", "sessionStorage", "caches"]) refuse(name, window);
  refuse("cookie", document);
  for (const name of ["alert", "confirm", "prompt", "print", "open"] as const) {
    const original = window[name] as (...args: unknown[]) => unknown;
    Object.defineProperty(window, name, {
      configurable: true,
      writable: true,
      value: (...args: unknown[]) => {
        use(name);
        return original.apply(window, args);
      },
    });
  }
}
