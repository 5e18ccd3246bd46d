import type { CallToolResult } from "@vitrine/view";
import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import { textOf } from "./records.ts";
import { useShell } from "./shell-context.ts";

/** How a call that the user set off is doing. */
export type CallState =
  | { status: "idle" | "pending" }
  | { status: "failed"; text: string }
  | { status: "done"; result: CallToolResult };

/** Progress that a tool reports while it runs. */
export interface CallProgress {
  progress: number;
  total?: number | undefined;
  message?: string | undefined;
}

/** A tool of the Server, called by name. */
export type CallTool = (
  name: string,
  args?: Record<string, unknown>,
  onprogress?: (progress: CallProgress) => void,
) => Promise<CallToolResult | undefined>;

/**
 * What the user sets off, one thing at a time: `call` a tool of the View's Server, or `perform`
 * something else that ends in a result. Neither rejects: both resolve with the result, or with
 * `undefined` when it failed, which `state` then tells in words.
 */
export function useToolCall(): {
  state: CallState;
  call: CallTool;
  perform(action: () => Promise<CallToolResult>): Promise<CallToolResult | undefined>;
  reset(): void;
} {
  const { app, label } = useShell();
  const [state, setState] = useState<CallState>({ status: "idle" });
  const isBusy = useRef(false);
  const stop = useRef(new AbortController());
  useEffect(() => () => stop.current.abort(), []);
  const perform = useCallback(
    async (action: () => Promise<CallToolResult>): Promise<CallToolResult | undefined> => {
      // A second press of the button is not a second order.
      if (isBusy.current) return undefined;
      isBusy.current = true;
      setState({ status: "pending" });
      try {
        const result = await action();
        if (!result.isError) {
          setState({ status: "done", result });
          return result;
        }
        setState({ status: "failed", text: textOf(result) || label("failed") });
      } catch (error) {
        setState({ status: "failed", text: (error as Error).message || label("failed") });
      } finally {
        isBusy.current = false;
      }
      return undefined;
    },
    [label],
  );
  const call = useCallback<CallTool>(
    (name, args = {}, onprogress) => {
      const options = { signal: stop.current.signal, ...(onprogress && { onprogress }) };
      return perform(() => app.callServerTool({ name, arguments: args }, options));
    },
    [app, perform],
  );
  const reset = useCallback(() => setState({ status: "idle" }), []);
  return { state, call, perform, reset };
}
