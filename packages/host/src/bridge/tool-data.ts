// Enforces the order of the specification: partial input, any number of times; then the input, once;
// then the result or the cancellation, once (HST-43 to HST-48). The host may call in any order and at
// any time: early data waits, late data is dropped and reported.

/** The data of the tool call that opened a view. */
export interface ToolDataFeed {
  /** The view may receive messages from now on. */
  start(): void;
  /** Sends nothing more. */
  stop(): void;
  tell(method: string, params: object): void;
}

/** Where the data goes, and the callback for calls that came too late. */
export interface ToolDataOptions {
  send(method: string, params: object): void;
  onLate(detail: string): void;
}

function nextFrame(action: () => void): void {
  // Missing in Node and in workers of some browsers.
  if (typeof requestAnimationFrame === "function") requestAnimationFrame(action);
  else setTimeout(action, 16);
}

/** Puts a tool's data in order. */
export function createToolData({ send, onLate }: ToolDataOptions): ToolDataFeed {
  let isOpen = false;
  let isOver = false;
  let isInputSent = false;
  let isScheduled = false;
  let partial: object | undefined;
  let input: object | undefined;
  let end: [method: string, params: object] | undefined;

  const flushPartial = (): void => {
    isScheduled = false;
    const newest = partial;
    partial = undefined;
    if (newest && !isOver) send("ui/notifications/tool-input-partial", newest);
  };
  const flush = (): void => {
    if (!isOpen || isOver) return;
    if (input && !isInputSent) {
      isInputSent = true;
      send("ui/notifications/tool-input", input);
    }
    if (end && (isInputSent || end[0] === "ui/notifications/tool-cancelled")) {
      isOver = true;
      send(...end);
    } else if (partial && !isScheduled) {
      // A model writes faster than a screen refreshes: the newest per frame is enough.
      isScheduled = true;
      nextFrame(flushPartial);
    }
  };

  const takers: Record<string, (params: object) => boolean> = {
    // A stream may end late, so late partial input isn't an error (HST-46).
    "ui/notifications/tool-input-partial": (params) => {
      if (!input && end?.[0] !== "ui/notifications/tool-cancelled") partial = params;
      return true;
    },
    "ui/notifications/tool-input": (params) => {
      if (input || end?.[0] === "ui/notifications/tool-cancelled") return false;
      input = params;
      partial = undefined;
      return true;
    },
    "ui/notifications/tool-result": (params) => {
      if (end) return false;
      end = ["ui/notifications/tool-result", params];
      return true;
    },
    "ui/notifications/tool-cancelled": (params) => {
      if (end) return false;
      end = ["ui/notifications/tool-cancelled", params];
      partial = undefined;
      return true;
    },
  };

  return {
    start: () => {
      isOpen = true;
      flush();
    },
    stop: () => {
      isOver = true;
    },
    tell: (method, params) => {
      if (takers[method]?.(params)) flush();
      else onLate(method);
    },
  };
}
