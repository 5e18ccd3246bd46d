// The tools that a view offers to the model (HST-90 to HST-101). They exist as long as the view, have
// names given by the host, and are never mistaken for its server's tools.

import { LocalError, type RequestOptions, RpcError } from "@vitrine/protocol";
import { type CallToolResult, copyJson, LIMITS, type Tool } from "@vitrine/protocol/apps";
import type { AppBridge } from "../bridge/bridge.ts";
import type { Consent } from "../consent/consent.ts";
import { type ConsentVerdict, toConsent } from "../consent/consent-memory.ts";
import { createThrottle } from "../gate/rates.ts";
import { cutText, forModel } from "../model/model-text.ts";
import { type AppTool, describeAppTool } from "./app-tool.ts";
import { fitsSchema } from "./output-schema.ts";

/** Why a view's tool was not called, or its result not accepted. */
export type AppToolErrorCode =
  | "no-app-tools" // not in the last list, or its view is gone (HST-100)
  | "app-tool-refused" // by the host's rule or the user (HST-92)
  | "bad-answer"; // not what the tool declared, or too large (HST-96)

/** One event of a view's tool (HST-95). */
export interface AppToolEvent {
  readonly event:
    | "registered"
    | "changed"
    | "removed"
    | "called"
    | "answered"
    | "refused"
    | "failed";
  readonly at: number;
  readonly tool: AppTool;
  readonly cause?: unknown;
}

/** How a view's tools are treated. */
export interface AppToolsOptions {
  /**
   * Asked about a tool that doesn't declare that it only reads; by default the consent of the view's
   * host. Without either such a tool is rejected.
   */
  consent?: Consent | undefined;
  /** Runs before consent: what a tool may do without a question, or not at all (HST-97). */
  level?: ((tool: AppTool) => ConsentVerdict | undefined) | undefined;
  /** Names that are in use, such as those of servers' tools (HST-93). */
  isTaken?: ((name: string) => boolean) | undefined;
  onEvent?: ((event: AppToolEvent) => void) | undefined;
}

/** The tools of one view. */
export interface AppTools {
  /**
   * Lists the view's tools; the list stays the same until the next call. Empty once the view is gone.
   */
  list(): Promise<readonly AppTool[]>;
  /** Calls a tool of the last list by its name there. */
  call(
    name: string,
    args?: Record<string, unknown>,
    options?: RequestOptions,
  ): Promise<CallToolResult>;
  /** Forwards requests about a call that became a task, such as `tasks/get` (HST-101). */
  task(method: `tasks/${string}`, params: object, options?: RequestOptions): Promise<unknown>;
  /**
   * Calls `listener` when the list should be read again, at most once a second. Returns an
   * unsubscribe function.
   */
  onChange(listener: () => void): () => void;
  /** Forgets all tools. */
  close(): void;
}

const TOOLS = 50;
const PAGES = 8;
const NAME = 64;
// Characters of JSON for all tools of a view; the same limit as for the context of all views.
const TOTAL = 128 * 1024;
const ERROR = 500;
const CHANGES = 1000;

/** Manages the tools of one view. */
export function createAppTools(bridge: AppBridge, options: AppToolsOptions = {}): AppTools {
  const { level, isTaken = () => false, onEvent } = options;
  const consent = toConsent(options.consent ?? bridge.consent);
  const listeners = new Set<() => void>();
  let known = new Map<string, AppTool>();
  let isClosed = false;

  const audit = (event: AppToolEvent["event"], tool: AppTool, cause?: unknown): void =>
    onEvent?.({ event, at: Date.now(), tool, ...(cause !== undefined && { cause }) });
  const changes = createThrottle<undefined>(CHANGES, () => {
    for (const listener of [...listeners]) listener();
  });
  const reportChange = (): void => changes.push(undefined);
  bridge.addEventListener("toollistchanged", reportChange);
  const isThere = (): boolean =>
    !isClosed && bridge.initialized && !!bridge.getAppCapabilities()?.tools;

  const replace = (next: Map<string, AppTool>): void => {
    for (const [name, tool] of next) {
      const before = known.get(name);
      if (!before) audit("registered", tool);
      else if (JSON.stringify(before.tool) !== JSON.stringify(tool.tool)) audit("changed", tool);
    }
    for (const [name, tool] of known) if (!next.has(name)) audit("removed", tool);
    known = next;
  };

  /** A name that identifies the view, that no other tool has, and that every model's API accepts. */
  const nameFor = (ownName: string, used: ReadonlyMap<string, AppTool>): string => {
    for (const [name, tool] of known) if (tool.ownName === ownName && !used.has(name)) return name;
    const { server, key } = bridge.view;
    const stem = `app_${hash(JSON.stringify([server, key]))}_${ownName.replace(/[^\w-]/g, "_")}`;
    for (let number = 1; ; number++) {
      const end = number > 1 ? `_${number}` : "";
      const name = stem.slice(0, NAME - end.length) + end;
      if (!used.has(name) && !isTaken(name)) return name;
    }
  };

  const read = async (): Promise<Tool[]> => {
    const tools: Tool[] = [];
    let cursor: string | undefined;
    for (let page = 0; page < PAGES && tools.length < TOOLS; page++) {
      const listed = await fromView(bridge.listTools(cursor === undefined ? {} : { cursor }));
      tools.push(...listed.tools);
      cursor = listed.nextCursor;
      if (cursor === undefined) break;
    }
    return tools.slice(0, TOOLS);
  };

  const describeAll = (tools: readonly Tool[]): Map<string, AppTool> => {
    const described = new Map<string, AppTool>();
    let size = 0;
    for (const tool of tools) {
      const name = nameFor(tool.name, described);
      const found = describeAppTool(tool, name, bridge.view);
      if (!found) continue;
      size += JSON.stringify(found.tool).length;
      if (size > TOTAL) break;
      described.set(name, found);
    }
    return described;
  };

  const allow = async (
    tool: AppTool,
    args: Record<string, unknown>,
    signal: AbortSignal,
  ): Promise<boolean> => {
    const verdict = level?.(tool) ?? "ask";
    if (verdict !== "ask") return verdict === "allow";
    try {
      const { view } = tool;
      const question = { kind: "app-tool", tool: tool.tool, arguments: args, view } as const;
      const { owner } = bridge;
      return (await consent({ ...question, owner, userActive: undefined, signal })) === true;
    } catch {
      return false;
    }
  };

  const run = async (
    entry: AppTool,
    args: Record<string, unknown>,
    requestOptions: RequestOptions,
  ): Promise<CallToolResult> => {
    const params = { name: entry.ownName, arguments: args };
    const result = await fromView(bridge.callTool(params, requestOptions));
    const { outputSchema } = entry.tool;
    if (outputSchema && !result.isError && !fitsSchema(result.structuredContent, outputSchema)) {
      throw new LocalError<AppToolErrorCode>("bad-answer", `${entry.tool.name}: structuredContent`);
    }
    return forModel(result);
  };

  const close = (): void => {
    if (isClosed) return;
    isClosed = true;
    changes.stop();
    bridge.removeEventListener("toollistchanged", reportChange);
    replace(new Map());
  };

  return {
    close,
    onChange: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    list: async () => {
      const tools = isThere() ? await read() : [];
      // The view may have gone while it was queried.
      const next = describeAll(isThere() ? tools : []);
      if (!isClosed) replace(next);
      return [...next.values()];
    },
    call: async (name, args = {}, requestOptions = {}) => {
      const entry = known.get(name);
      if (!entry || !isThere()) throw new LocalError<AppToolErrorCode>("no-app-tools", name);
      const signal = requestOptions.signal ?? new AbortController().signal;
      if (!(await allow(entry, args, signal))) {
        audit("refused", entry);
        throw new LocalError<AppToolErrorCode>("app-tool-refused", name);
      }
      audit("called", entry);
      try {
        const result = await run(entry, args, requestOptions);
        audit("answered", entry);
        return result;
      } catch (error) {
        audit("failed", entry, error);
        throw error;
      }
    },
    task: async (method, params, requestOptions) => {
      if (!isThere()) throw new LocalError<AppToolErrorCode>("no-app-tools", method);
      const limits = { timeout: 30_000, ...requestOptions };
      const answer = await fromView(bridge.peer.request(method, params, limits));
      const copy = copyJson(answer, LIMITS.fromView);
      if (copy.ok) return forModel(copy.value);
      throw new LocalError<AppToolErrorCode>("bad-answer", method);
    },
  };
}

/**
 * A view's response. Its errors are shortened and cleaned, because products show them to the model.
 */
async function fromView<T>(answer: Promise<T>): Promise<T> {
  try {
    return await answer;
  } catch (error) {
    if ((error as Error | null)?.name !== "RpcError") throw error;
    const { code, message } = error as RpcError;
    throw new RpcError(code, cutText(message, ERROR));
  }
}

/** Short, and the same for the same view: FNV-1a. */
function hash(text: string): string {
  let value = 0x811c9dc5;
  for (const character of text)
    value = Math.imul(value ^ (character.codePointAt(0) ?? 0), 0x01000193);
  return (value >>> 0).toString(36);
}
