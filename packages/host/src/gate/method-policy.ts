// Decides what a view may do, method by method: rate, size, gesture, visibility, consent. It only
// sees validated copies, and each rejection names a remedy.

import { METHOD_NOT_FOUND, REFUSED, RpcError } from "@vitrine/protocol";
import {
  CALL_TOOL_METHOD,
  type CallToolRequest,
  type ContentBlock,
  CREATE_MESSAGE_METHOD,
  DOWNLOAD_FILE_METHOD,
  decideLink,
  decideSize,
  findMethod,
  LIMITS,
  LIST_TOOLS_METHOD,
  type McpUiDisplayMode,
  type McpUiDownloadFileRequest,
  type McpUiMessageRequest,
  type McpUiSupportedContentBlockModalities,
  type McpUiUpdateModelContextRequest,
  MESSAGE_METHOD,
  OPEN_LINK_METHOD,
  PING_METHOD,
  REQUEST_DISPLAY_MODE_METHOD,
  UPDATE_MODEL_CONTEXT_METHOD,
} from "@vitrine/protocol/apps";
import type { ConsentAnswer, ConsentRequest, ConsentSubject } from "../consent/consent.ts";
import { toConsent } from "../consent/consent-memory.ts";
import { describeDownload } from "../frame/page-actions.ts";
import { forModel } from "../model/model-text.ts";
import { readTools } from "./callable-tools.ts";
import { extraOf, forward } from "./forwarding.ts";
import { createGestures } from "./gestures.ts";
import type { Guarded, ViewRequest } from "./guarded.ts";
import { shownBlock } from "./message-content.ts";
import { createRate } from "./rates.ts";
import { reportAction, reportAnswer } from "./receipts.ts";
import { isRefusal, refusal } from "./refusal.ts";

/** Checks a request and, if it is allowed, executes it. */
export type Policy = (params: unknown, request: ViewRequest) => Promise<unknown>;

type MethodPolicy = (params: never, request: ViewRequest) => Promise<unknown>;

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const CALLS_AT_ONCE = 8;
const FILES = 10;
const FILES_SIZE = 25 * 2 ** 20;

/** At most this many per span of milliseconds. */
const PACES: ReadonlyMap<string, [number, number]> = new Map([
  [MESSAGE_METHOD, [6, MINUTE]],
  [UPDATE_MODEL_CONTEXT_METHOD, [2, SECOND]],
  [OPEN_LINK_METHOD, [1, SECOND]],
  [DOWNLOAD_FILE_METHOD, [1, SECOND]],
  [CREATE_MESSAGE_METHOD, [6, MINUTE]],
]);

/** Characters, where the message limit isn't tight enough. */
const SIZES: ReadonlyMap<string, number> = new Map([
  [MESSAGE_METHOD, 16 * 1024],
  [UPDATE_MODEL_CONTEXT_METHOD, 32 * 1024],
  [CREATE_MESSAGE_METHOD, 48 * 1024],
]);

/**
 * Text for the model. It is cleaned before the user is asked, so the user sees exactly what is sent.
 */
const FOR_MODEL: ReadonlySet<string> = new Set([
  MESSAGE_METHOD,
  UPDATE_MODEL_CONTEXT_METHOD,
  CREATE_MESSAGE_METHOD,
]);

/** Rejected with a result instead of an error: official views read `isError` there. */
const DECLINABLE: ReadonlySet<string> = new Set([
  OPEN_LINK_METHOD,
  MESSAGE_METHOD,
  DOWNLOAD_FILE_METHOD,
]);

/** The current display mode. */
export function currentMode(guarded: Guarded): McpUiDisplayMode {
  return guarded.context.displayMode ?? "inline";
}

/** The policy for one view. */
export function createPolicy(guarded: Guarded): Policy {
  const consent = toConsent(guarded.options.consent);
  const { callsPerMinute = 60 } = guarded.options;
  const paces = [...PACES, [CALL_TOOL_METHOD, [callsPerMinute, MINUTE]] as const];
  const rates = new Map(paces.map(([method, [count, span]]) => [method, createRate(count, span)]));
  // All of the host's own methods together.
  const extensionRate = createRate(callsPerMinute, MINUTE);
  let calls = 0;
  const gestures = createGestures(guarded.options.gestures);

  const ask = async (subject: ConsentSubject, request: ViewRequest): Promise<void> => {
    const { signal } = request.context;
    const { userActive } = request;
    signal.throwIfAborted();
    const { owner, onStop: stop } = guarded.options;
    const { view } = guarded;
    const question: ConsentRequest = { ...subject, view, owner, userActive, signal, stop };
    let answer: Awaited<ReturnType<typeof consent>> = false;
    const since = performance.now();
    try {
      answer = await consent(question);
    } catch (error) {
      guarded.report("listener", "consent", error);
    }
    const { allow, reason } = Object(answer) as Partial<ConsentAnswer>;
    const isAllowed = answer === true || allow === true;
    const duration = performance.now() - since;
    guarded.options.onConsent?.({ kind: subject.kind, allow: isAllowed, duration });
    reportAnswer(guarded.upstream, subject, { isAllowed, request: request.context });
    if (isAllowed) return;
    if (typeof reason === "string") throw refusal(reason);
    throw refusal(
      guarded.options.consent
        ? "The user, or the host on their behalf, declined."
        : "This needs consent, but the user can't be asked. The host must pass the option consent to AppBridge.",
    );
  };

  const policies: ReadonlyMap<string, MethodPolicy> = new Map<string, MethodPolicy>([
    [
      PING_METHOD,
      async (params, request) => {
        guarded.handler(PING_METHOD)?.(params, extraOf(guarded, request));
        return {};
      },
    ],
    [
      LIST_TOOLS_METHOD,
      async (_params, request) => {
        const tools = (await readTools(guarded, request)).list();
        if (!tools) throw new RpcError(METHOD_NOT_FOUND, "The host has no list of tools.");
        return { tools };
      },
    ],
    [
      CALL_TOOL_METHOD,
      async (params: CallToolRequest["params"], request) => {
        if (calls >= CALLS_AT_ONCE) {
          throw refusal(`${CALLS_AT_ONCE} tool calls are in progress. Await one of them first.`);
        }
        calls++;
        const finish = gestures.follow(request);
        try {
          const decided = (await readTools(guarded, request)).decide(params.name);
          if (!decided.allow) throw refusal(decided.reason);
          const { tool } = decided;
          await ask({ kind: "tool", tool, arguments: params.arguments ?? {} }, request);
          const result = await forward(guarded, params as never, request);
          finish();
          return result;
        } finally {
          calls--;
        }
      },
    ],
    [
      OPEN_LINK_METHOD,
      async ({ url }: { url: string }, request) => {
        gestures.need("link", request);
        const { links } = guarded.options;
        const here = globalThis.location ? [location.origin] : [];
        const ownOrigins = [...here, ...(links?.ownOrigins ?? [])];
        const link = decideLink(url, { ...links, ownOrigins });
        if (!link.allow) throw refusal(link.reason);
        await ask({ kind: "link", link: { href: link.href, host: link.host } }, request);
        return forward(guarded, { url: link.href }, request);
      },
    ],
    [
      MESSAGE_METHOD,
      async (params: McpUiMessageRequest["params"], request) => {
        const userActive = gestures.spend("message", request);
        const message = { role: params.role, content: params.content.map(shownBlock) };
        needModality(message.content, guarded.session.hostCapabilities?.message, "message");
        await ask({ kind: "message", content: message.content }, { ...request, userActive });
        const result = (await forward(guarded, message, request)) as { isError?: boolean } | null;
        // Other parts of the conversation are not the view's to use (HST-77).
        return result?.isError ? { isError: true } : {};
      },
    ],
    [
      UPDATE_MODEL_CONTEXT_METHOD,
      async (params: McpUiUpdateModelContextRequest["params"], request) => {
        const { content, structuredContent } = params;
        const update = {
          ...(content && { content }),
          ...(structuredContent && { structuredContent }),
        };
        const taken = guarded.session.hostCapabilities?.updateModelContext;
        const kinds = structuredContent ? [{ type: "structuredContent" as const }] : [];
        needModality([...(content ?? []), ...kinds], taken, "updateModelContext");
        await forward(guarded, update, request);
        return {};
      },
    ],
    [
      DOWNLOAD_FILE_METHOD,
      async ({ contents }: McpUiDownloadFileRequest["params"], request) => {
        gestures.need("download", request);
        const { names, size, sizes } = describeDownload(contents);
        if (names.length > FILES || size > FILES_SIZE) {
          throw refusal(`At most ${FILES} files and ${FILES_SIZE} bytes at once. Send less.`);
        }
        await ask({ kind: "download", names, size, sizes }, request);
        return forward(guarded, { contents }, request);
      },
    ],
    [
      REQUEST_DISPLAY_MODE_METHOD,
      async ({ mode }: { mode: McpUiDisplayMode }, request) => {
        try {
          await switchMode(mode, request);
        } catch (error) {
          // The response is always the mode in force (HST-59, HST-60).
          if (isRefusal(error)) guarded.report("refused", error.message);
          else guarded.report("listener", REQUEST_DISPLAY_MODE_METHOD, error);
        }
        return { mode: currentMode(guarded) };
      },
    ],
    [
      CREATE_MESSAGE_METHOD,
      async ({ includeContext, ...rest }: Record<string, unknown>, request) => {
        // A view acts for one server: it may not use the model's context of others.
        const context = includeContext === "allServers" ? "thisServer" : includeContext;
        const params = { ...rest, ...(context !== undefined && { includeContext: context }) };
        await ask({ kind: "sampling", params }, request);
        return forward(guarded, params, request);
      },
    ],
  ]);

  const switchMode = async (mode: McpUiDisplayMode, request: ViewRequest): Promise<void> => {
    const { availableDisplayModes: offered } = guarded.context;
    if (mode === currentMode(guarded)) return;
    const declared = guarded.session.appCapabilities?.availableDisplayModes;
    if (offered && !offered.includes(mode)) throw refusal(`The host does not offer "${mode}".`);
    if (declared && !declared.includes(mode)) {
      throw refusal(`The view did not declare "${mode}" in its availableDisplayModes.`);
    }
    // Making a view smaller needs no permission.
    if (mode !== "inline") gestures.spend("display-mode", request);
    await ask({ kind: "display-mode", mode }, request);
    const result = await forward(guarded, { mode }, request);
    const now = (result as { mode?: McpUiDisplayMode } | null)?.mode;
    if (now) guarded.changeContext({ displayMode: now });
  };

  return async (given, request) => {
    const { method } = request.context;
    try {
      const rate = findMethod("view", method) ? rates.get(method) : extensionRate;
      if (rate?.() === false) throw refusal("Too many at once. Wait a moment.");
      const params = boundedParams(method, given);
      const policy = policies.get(method);
      const result = await (policy
        ? policy(params as never, request)
        : forward(guarded, params as never, request));
      reportAction(guarded.upstream, { params, result, request: request.context });
      return result;
    } catch (error) {
      const { code, message } = (error ?? {}) as RpcError;
      if (code !== REFUSED || !DECLINABLE.has(method)) throw error;
      guarded.report("refused", message);
      return { isError: true, message };
    }
  };
}

/** Params that are small enough and, for the model, clean. */
function boundedParams(method: string, given: unknown): unknown {
  const size = SIZES.get(method);
  const sized = size ? decideSize(given, { ...LIMITS.fromView, size }) : undefined;
  if (sized?.allow === false) throw refusal(sized.reason);
  return FOR_MODEL.has(method) ? forModel(given) : given;
}

type Modalities = McpUiSupportedContentBlockModalities;

function needModality(
  content: readonly { type: ContentBlock["type"] | "structuredContent" }[],
  taken: Modalities = {},
  capability: string,
): void {
  const names = Object.keys(taken);
  const odd = content
    .map(({ type }) => (type === "resource_link" ? "resourceLink" : type))
    .find((name) => names.length > 0 && !names.includes(name));
  if (odd)
    throw refusal(
      `${odd} is not accepted. The host must list it in hostCapabilities.${capability}.`,
    );
}
