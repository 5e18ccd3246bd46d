// The development agent: the first script in a view's document in `dev` and `check`, and in no other
// set-up. It watches the document and reports; it changes nothing that the view relies on.

import { type ActionReport, watchActions } from "./action-agent.ts";
import { type OutlineReport, watchOutline } from "./outline-agent.ts";

/** Prefix of each report, so that it isn't mistaken for anything else. */
export const AGENT_MARK = "\u2063vitrine-agent\u2063";

/** Reports at most, of each sort: console calls, outlines, and the rest. */
export const MOST_REPORTS = 200;

/** Actions of a user at most: nobody clicks that often between two loads of a view. */
export const MOST_ACTIONS = 2_000;

/** An error, with its location in the page as the browser sees it; 0 if unknown. */
export interface ErrorReport {
  /** `logged`: passed to `console.error`, by a framework or by the author's code. */
  kind: "error" | "rejection" | "logged";
  message: string;
  stack: string;
  /** The stack of the `console.error` call. */
  caller?: string;
  line: number;
  column: number;
  /** The file, for an error that nobody caught. */
  source?: string;
}

/** Reports of the view's window. A view can forge them all. */
export type AgentReport =
  | ErrorReport
  | { kind: "console"; level: string; text: string; stack: string }
  | {
      kind: "violation";
      directive: string;
      blocked: string;
      line: number;
      column: number;
      sample: string;
    }
  | { kind: "unloaded"; tag: string; url: string }
  /** Loaded, and not connected a moment later. */
  | { kind: "silent" }
  /** Connected, and nothing is visible; or something is after all. */
  | { kind: "blank" | "visible" }
  | ActionReport
  | OutlineReport;

/** How the agent reports. */
export interface AgentOptions {
  mark: string;
  most: number;
  mostActions: number;
  /** Sent with each report. */
  page?: string;
  /** The origin of the page that receives reports; without one they go to the console. */
  target?: string;
}

/** The parts of the agent that only a page with an author needs. */
type Watch = (report: (one: never) => void) => void;

/** Sent as text, so it may not use anything outside itself. */
export function frameAgent(
  { mark, most, mostActions, page, target }: AgentOptions,
  watches: readonly Watch[],
): void {
  // The page is the host's, the frame in it the sandbox's; deeper frames are the view or its own.
  if (window === window.parent || window.parent === window.parent.parent) return;
  const { top } = window;
  const { console } = window;
  const log = console.debug.bind(console);
  const write = JSON.stringify.bind(JSON);
  const later = setTimeout;
  const left = { console: most, outline: most, action: mostActions, other: most };
  const report = (one: { kind: string }): void => {
    const sort = one.kind in left ? (one.kind as keyof typeof left) : "other";
    if (left[sort]-- < 1) return;
    const words = mark + write({ page, ...one });
    if (target === undefined) log(words);
    else top?.postMessage(words, target);
  };
  const text = (value: unknown, longest = 1_000): string => {
    try {
      return String(value).slice(0, longest);
    } catch {
      return "something";
    }
  };
  const isError = (value: unknown): value is Error =>
    // Also those of another window, and DOMException, which isn't an Error.
    typeof value === "object" && value !== null && "name" in value && "message" in value;
  const stackOf = (value: unknown): string => {
    try {
      return isError(value) ? text(value.stack, 4_000) : "";
    } catch {
      return "";
    }
  };
  const messageOf = (value: unknown): string => {
    try {
      if (isError(value)) return text(`${value.name}: ${value.message}`);
      return typeof value === "string" ? text(value) : text(write(value) ?? String(value));
    } catch {
      return text(value);
    }
  };
  addEventListener(
    "error",
    (event) => {
      if (event instanceof ErrorEvent) {
        const { message, filename, lineno, colno, error } = event;
        // For some errors Chromium only writes "Uncaught".
        const isShort = text(message).length <= 12;
        report({
          kind: "error",
          message: isShort && error ? messageOf(error) : text(message),
          stack: stackOf(error),
          source: text(filename),
          line: lineno,
          column: colno,
        } as ErrorReport);
        return;
      }
      const element = (event as Event).target as HTMLElement & { src?: string; href?: string };
      report({
        kind: "unloaded",
        tag: text(element.tagName).toLowerCase(),
        url: text(element.src ?? element.href),
      } as AgentReport);
    },
    true,
  );
  addEventListener("unhandledrejection", ({ reason }) => {
    const stack = stackOf(reason);
    const [, line = "0", column = "0"] = /:(\d+):(\d+)\)?$/m.exec(stack) ?? [];
    report({
      kind: "rejection",
      message: messageOf(reason),
      stack,
      line: Number(line),
      column: Number(column),
    } as ErrorReport);
  });
  addEventListener("securitypolicyviolation", (event) => {
    const { effectiveDirective, blockedURI, lineNumber, columnNumber, sample } = event;
    report({
      kind: "violation",
      directive: text(effectiveDirective),
      blocked: text(blockedURI),
      line: lineNumber,
      column: columnNumber,
      sample: text(sample),
    } as AgentReport);
  });

  const words = (values: unknown[]): string => {
    const [first, ...rest] = values;
    if (typeof first !== "string") return values.map(messageOf).join(" ");
    const filled = first.replace(/%[sdifoOc]/g, (all) => {
      if (rest.length === 0) return all;
      const value = rest.shift();
      return all === "%c" ? "" : messageOf(value);
    });
    return [filled, ...rest.map(messageOf)].join(" ");
  };
  for (const level of ["debug", "log", "info", "warn", "error"] as const) {
    const original = console[level];
    console[level] = (...values: unknown[]) => {
      try {
        const stack = stackOf(new Error(""));
        report({ kind: "console", level, text: text(words(values), 2_000), stack } as AgentReport);
        const error = level === "error" ? values.find(isError) : undefined;
        if (error)
          report({
            kind: "logged",
            message: messageOf(error),
            stack: stackOf(error),
            caller: stack,
            line: 0,
            column: 0,
          } as ErrorReport);
      } catch {
        // The view's own call must go on.
      }
      original.apply(console, values);
    };
  }

  // Only the host sends messages to a view, and only in response to its first one.
  let isConnected = false;
  let wasBlank = false;
  let looks = 0;
  const isVisible = (): boolean => {
    const { body } = document;
    if (!body) return false;
    // biome-ignore lint/performance/useDomNodeTextContent: hidden text isn't visible.
    if (body.innerText.trim() !== "") return true;
    const things = body.querySelectorAll(
      "img,svg,canvas,video,audio,input,button,select,textarea,iframe,object,embed,progress,meter,hr",
    );
    return [...things].some((one) => one.getBoundingClientRect().height > 0);
  };
  const look = (): void => {
    const isBlank = !isVisible();
    if (isBlank !== wasBlank) report({ kind: isBlank ? "blank" : "visible" });
    wasBlank = isBlank;
    if (++looks < 20) later(look, 500);
  };
  addEventListener("message", ({ source }) => {
    if (source !== parent || isConnected) return;
    isConnected = true;
    later(look, 800);
  });
  for (const watch of watches) watch(report as never);
  addEventListener("load", () =>
    later(() => {
      if (!isConnected) report({ kind: "silent" });
    }, 900),
  );
}

/** The agent as the text of a script. */
export function agentScript(options: Pick<AgentOptions, "page" | "target"> = {}): string {
  const settings: AgentOptions = {
    mark: AGENT_MARK,
    most: MOST_REPORTS,
    mostActions: MOST_ACTIONS,
    ...options,
  };
  // `check` has no author whose actions could be recorded.
  const watches = options.target === undefined ? [] : [watchActions, watchOutline];
  return `(${frameAgent})(${JSON.stringify(settings)}, [${watches.join(",\n")}]);`;
}
