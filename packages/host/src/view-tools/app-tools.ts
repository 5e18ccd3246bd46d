// The tools that a View offers to the model (HST-90 to HST-101). They live and die with the View,
// are called under names of the Host's, and are never taken for its Server's.

import { LocalError, type RequestOptions } from "@vitrine/protocol";
import { type CallToolResult, copyJson, LIMITS, type Tool } from "@vitrine/protocol/apps";
import type { AppBridge } from "../bridge/bridge.ts";
import type { AskingView, Consent } from "../consent/consent.ts";
import { type ConsentVerdict, toConsent } from "../consent/consent-memory.ts";
import { plainText } from "../gate/plain-text.ts";
import { createThrottle } from "../gate/rates.ts";
import { fitsSchema } from "./output-schema.ts";

/** Why a tool of a View was not called, or its answer not taken. */
export type AppToolErrorCode =
  | "no-app-tools" // no such tool in the last list, or its View is gone (HST-100)
  | "app-tool-refused" // by the Host's rule or the user (HST-92)
  | "bad-answer"; // not what the tool promised, or too large (HST-96)

/** A tool of a View, under the name a model knows it by. */
export interface AppTool {
  /** As for the model: named by the Host, without hidden characters. */
  readonly tool: Tool;
  /** What the View calls it. */
  readonly ownName: string;
  /** Whose it is; `appInfo` is the View's own word (HST-91). */
  readonly view: AskingView;
  readonly source: "app";
}

/** One thing that happened to a tool of a View (HST-95). */
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

/** How tools of a View are treated. */
export interface AppToolsOptions {
  /** Who is asked about a tool that does not say it only reads; without it such a tool is refused. */
  consent?: Consent | undefined;
  /** Comes before consent: what a tool may do without a question, or not at all (HST-97). */
  level?: ((tool: AppTool) => ConsentVerdict | undefined) | undefined;
  /** Names that are in use, such as those of Servers' tools (HST-93). */
  isTaken?: ((name: string) => boolean) | undefined;
  onEvent?: ((event: AppToolEvent) => void) | undefined;
}

/** The tools of one View. */
export interface AppTools {
  /** Asks the View; what is found here stays as it is until the next call. Empty once it is gone. */
  list(): Promise<readonly AppTool[]>;
  /** Calls a tool of the last list by the name given there. */
  call(
    name: string,
    args?: Record<string, unknown>,
    options?: RequestOptions,
  ): Promise<CallToolResult>;
  /** Passes on what belongs to a call that became a task, such as `tasks/get` (HST-101). */
  task(method: `tasks/${string}`, params: object, options?: RequestOptions): Promise<unknown>;
  /** Calls back when the list should be asked for again, at most once a second; returns the undo. */
  onChange(listener: () => void): () => void;
  /** Forgets them all. */
  close(): void;
}

const TOOLS = 50;
const PAGES = 8;
const DESCRIPTION = 4096;
const NAME = 64;
const CHANGES = 1000;

/** Looks after the tools of one View. */
export function createAppTools(bridge: AppBridge, options: AppToolsOptions = {}): AppTools {
  const { level, isTaken = () => false, onEvent } = options;
  const consent = toConsent(options.consent);
  const listeners = new Set<() => void>();
  let known = new Map<string, AppTool>();
  let isClosed = false;

  const audit = (event: AppToolEvent["event"], tool: AppTool, cause?: unknown): void =>
    onEvent?.({ event, at: Date.now(), tool, ...(cause !== undefined && { cause }) });
  const changes = createThrottle<undefined>(CHANGES, () => {
    for (const listener of [...listeners]) listener();
  });
  const hearChange = (): void => changes.push(undefined);
  bridge.addEventListener("toollistchanged", hearChange);
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

  /** A name that says whose it is, that no other tool has, and that every model's API takes. */
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
      const listed = await bridge.listTools(cursor === undefined ? {} : { cursor });
      tools.push(...listed.tools);
      cursor = listed.nextCursor;
      if (cursor === undefined) break;
    }
    return tools.slice(0, TOOLS);
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
      return (await consent({ ...question, userActive: undefined, signal })) === true;
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
    const result = await bridge.callTool(params, requestOptions);
    const { outputSchema } = entry.tool;
    if (outputSchema && !result.isError && !fitsSchema(result.structuredContent, outputSchema)) {
      throw new LocalError<AppToolErrorCode>("bad-answer", `${entry.tool.name}: structuredContent`);
    }
    return plainText(result);
  };

  const close = (): void => {
    if (isClosed) return;
    isClosed = true;
    changes.stop();
    bridge.removeEventListener("toollistchanged", hearChange);
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
      // It may have gone while it was asked.
      const next = new Map<string, AppTool>();
      for (const tool of isThere() ? tools : []) {
        const name = nameFor(tool.name, next);
        next.set(name, describe(tool, name, bridge.view));
      }
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
      const copy = copyJson(await bridge.peer.request(method, params, limits), LIMITS.toView);
      if (copy.ok) return copy.value;
      throw new LocalError<AppToolErrorCode>("bad-answer", method);
    },
  };
}

function describe(tool: Tool, name: string, view: AskingView): AppTool {
  const { title, description, inputSchema, outputSchema, annotations } = plainText(tool);
  const { name: app, version } = plainText(view.appInfo) ?? {};
  // What the model reads says whose tool it is; a View cannot leave that out.
  const claim = JSON.stringify(`${app} ${version}`.slice(0, NAME));
  const origin = `Offered by the app ${claim} that ${view.server} shows, not by that server itself.`;
  return {
    source: "app",
    ownName: tool.name,
    view,
    tool: {
      name,
      ...(title !== undefined && { title }),
      description: `${origin} ${description ?? ""}`.trim().slice(0, DESCRIPTION),
      inputSchema,
      ...(outputSchema && { outputSchema }),
      ...(annotations && { annotations }),
      _meta: { "vitrine/app": { server: view.server, view: view.key, app, version } },
    },
  };
}

/** Short, and the same for the same View: FNV-1a. */
function hash(text: string): string {
  let value = 0x811c9dc5;
  for (const letter of text) value = Math.imul(value ^ (letter.codePointAt(0) ?? 0), 0x01000193);
  return (value >>> 0).toString(36);
}
