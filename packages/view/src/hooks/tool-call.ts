import { LocalError } from "@vitrine/protocol";
import type { AppTypes, CallToolResult } from "@vitrine/protocol/apps";
import type { App } from "../app.ts";
import type { ToolAnswer, ToolArguments, ToolName } from "../typed-app.ts";
import { type Cell, createStore } from "./cell.ts";

/** The value of `useToolCall`: of the latest call, whatever the order of the answers. */
export interface ToolCallState<Result extends CallToolResult = CallToolResult> {
  isPending: boolean;
  /** Why the latest call failed: the Host's error, or the text of a result with `isError`. */
  error: Error | undefined;
  /** The newest successful result; it stays while another call is pending. */
  result: Result | undefined;
  /** Its `structuredContent`. */
  data: Result["structuredContent"] | undefined;
}

/** How to call the tool. */
export interface ToolCallActions<T extends AppTypes, N extends ToolName<T>> {
  /**
   * Calls the tool. Resolves with the result, or with undefined if the call failed or was cancelled;
   * never rejects. A later call doesn't stop it, because it may have saved something.
   */
  run(...args: ToolArguments<T, N>): Promise<ToolAnswer<T, N> | undefined>;
  /** Cancels all pending calls; the newest result stays. */
  cancel(): void;
  /** Cancels all pending calls, and forgets result and error. */
  reset(): void;
}

/** The calls of one tool by one component. */
export interface ToolCallCell<T extends AppTypes, N extends ToolName<T>>
  extends Cell<ToolCallState<ToolAnswer<T, N>>, App<T>>,
    ToolCallActions<T, N> {}

/** Creates the calls of a tool. */
export function createToolCall<T extends AppTypes, N extends ToolName<T>>(
  name: N,
): ToolCallCell<T, N> {
  type State = ToolCallState<ToolAnswer<T, N>>;
  const idle = { isPending: false, error: undefined };
  const store = createStore<State>({ ...idle, result: undefined, data: undefined });
  let app: App | null | undefined;
  let controller = new AbortController();
  let latest = 0;
  const cancel = (): void => {
    controller.abort();
    controller = new AbortController();
    latest++;
    store.change({ isPending: false } as Partial<State>);
  };
  return {
    get: store.get,
    subscribe: store.subscribe,
    connect: (next) => {
      app = next as unknown as App | null | undefined;
      return () => {
        app = undefined;
      };
    },
    run: async (...[args]) => {
      const call = ++latest;
      const { signal } = controller;
      store.change({ isPending: true, error: undefined } as Partial<State>);
      const settle = (change: Partial<State>): void => {
        if (call === latest) store.change({ ...idle, ...change } as Partial<State>);
      };
      try {
        if (!app) throw new LocalError("not-connected", name);
        const params = { name, ...(args !== undefined && { arguments: args as object }) };
        const result = (await app.callServerTool(params as never, { signal })) as ToolAnswer<T, N>;
        if (result.isError) throw new Error(textOf(result) || `The tool "${name}" failed.`);
        settle({ result, data: result.structuredContent } as Partial<State>);
        return result;
      } catch (error) {
        if (!signal.aborted) settle({ error: error as Error } as Partial<State>);
        return undefined;
      }
    },
    cancel,
    reset: () => {
      cancel();
      store.change({ ...idle, result: undefined, data: undefined } as Partial<State>);
    },
  };
}

/** The text of a result. */
export function textOf({ content }: CallToolResult): string {
  // Some hosts leave it out.
  return (content ?? []).map((block) => (block.type === "text" ? block.text : "")).join("\n");
}
