// Stands before every handler. Loaded apart, while the View's document loads: a message that arrives
// earlier waits, and if this never arrives, nothing of a View is ever served.
//
// For a request: is it a method of a View, at this moment (decideMethod)? Has the handshake ended? Is
// it well formed? May this View do it (method-policy.ts)? Only then is a handler looked up, so that
// it cannot matter who was registered when.

import {
  INTERNAL_ERROR,
  INVALID_PARAMS,
  INVALID_REQUEST,
  METHOD_NOT_FOUND,
  REFUSED,
  RpcError,
} from "@vitrine/protocol";
import {
  copyJson,
  decideMethod,
  findMethod,
  INITIALIZE_METHOD,
  limitsFor,
  type McpUiInitializeRequest,
  REQUEST_DISPLAY_MODE_METHOD,
} from "@vitrine/protocol/apps";
import {
  describeMismatch,
  validateRequest,
  validateResult,
} from "@vitrine/protocol/apps/validation";
import { abortable } from "../resources/abortable.ts";
import type { Guarded, ViewRequest } from "./guarded.ts";
import { createPolicy, currentMode } from "./method-policy.ts";
import { createNews } from "./notification-gate.ts";
import { readParams } from "./older-spellings.ts";
import { isRefusal, refusal } from "./refusal.ts";

export { presentContext, presentHello, presentToolData } from "./presentation.ts";

/** The gate of one View. */
export interface RequestGate {
  serve(params: unknown, request: ViewRequest): Promise<unknown>;
  /** Takes a notification; the method under which others may hear it, or nothing. */
  hear(method: string, params: unknown): string;
  /** Counts a message that could not be read. */
  malformed(detail: string): void;
  stop(): void;
}

const PENDING = 64;
const MALFORMED = 50;
const GRACE = 5000;

/** Guards a bridge. */
export function createGate(guarded: Guarded): RequestGate {
  let pending = 0;
  let malformedCount = 0;
  const malformed = (detail: string): void => {
    guarded.report("malformed", detail);
    if (++malformedCount === MALFORMED + 1) guarded.onAbuse();
  };
  const decide = createPolicy(guarded);
  const news = createNews(guarded, malformed);

  const serve = async (given: unknown, request: ViewRequest): Promise<unknown> => {
    const { method } = request.context;
    await admit(guarded, given, request);
    const { params, older } = readParams(method, given);
    if (older) guarded.report("compatibility", `${method}: ${older}`);
    const checked = read(method, params);
    if (!checked.ok) {
      if (method === REQUEST_DISPLAY_MODE_METHOD && isUnknownMode(params)) {
        guarded.report("refused", `${method}: a mode that does not exist`);
        return { mode: currentMode(guarded) };
      }
      const reason = describeMismatch(checked);
      malformed(`${method}: ${reason}`);
      throw new RpcError(INVALID_PARAMS, reason);
    }
    if (method !== INITIALIZE_METHOD) return decide(checked.value, request);
    return guarded.initialize(checked.value as McpUiInitializeRequest["params"]);
  };

  return {
    malformed,
    hear: news.hear,
    stop: news.stop,
    serve: async (params, request) => {
      const { id, method, signal } = request.context;
      if (!isId(id)) {
        malformed("an id that is neither a short string nor a safe integer");
        throw new RpcError(INVALID_REQUEST, "The id must be a short string or a safe integer.");
      }
      try {
        if (pending >= PENDING)
          throw refusal(`${PENDING} requests are pending; await some of them.`);
        pending++;
        try {
          return await abortable(serve(params, request), signal);
        } finally {
          pending--;
        }
      } catch (error) {
        // Given up: nobody waits for an answer, and the error is whatever the View gave as a reason.
        if (signal.aborted) return undefined;
        throw report(guarded, method, error);
      }
    },
  };
}

/** A mode of tomorrow is no mistake: the answer is the mode in force (HST-60). */
function isUnknownMode(params: unknown): boolean {
  return typeof (params as { mode?: unknown } | null)?.mode === "string";
}

function isId(id: unknown): boolean {
  return typeof id === "string" ? id.length <= 128 : Number.isSafeInteger(id);
}

/** Lets a request in, at once or when the handshake has ended. */
async function admit(guarded: Guarded, params: unknown, request: ViewRequest): Promise<void> {
  const { method } = request.context;
  const decision = () =>
    decideMethod({ from: "view", method, kind: "request", params }, guarded.session);
  let decided = decision();
  if (!decided.allow && decided.code === "not-initialized") {
    const { grace = GRACE } = guarded.options;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const late = new Promise((resolve) => {
      timer = setTimeout(resolve, grace);
    });
    await Promise.race([guarded.started, late]);
    clearTimeout(timer);
    decided = decision();
  }
  if (guarded.isOver) throw refusal("The View is being removed; nothing is served any more.");
  if (decided.allow) return;
  throw refusal(decided.reason, decided.code === "not-initialized" ? REFUSED : METHOD_NOT_FOUND);
}

/** A clean copy of the params; those of an extension are the extension's to check. */
function read(method: string, params: unknown): ReturnType<typeof validateRequest> {
  const limits = limitsFor("view", method);
  if (findMethod("view", method)) return validateRequest("view", method, params, { limits });
  const copy = copyJson(params, limits);
  return copy.ok
    ? copy
    : { ok: false, path: "params", expected: copy.code, received: "something else" };
}

/** A View's answer to a request of the Host; what it is not, it is not taken for (HST-96). */
export function readAnswer(
  method: string,
  answer: unknown,
): { ok: true; value: unknown } | { ok: false; reason: string } {
  const checked = validateResult(method, answer, { limits: limitsFor("host") });
  return checked.ok ? checked : { ok: false, reason: describeMismatch(checked) };
}

/** Tells the Host why a request failed; the answer for the View. */
function report(guarded: Guarded, method: string, error: unknown): unknown {
  const isKnown = (error as Error | null)?.name === "RpcError";
  const { message } = error as Error;
  if (method === INITIALIZE_METHOD) guarded.report("initialize-refused", message, error);
  else if (!isKnown) guarded.report("listener", method, error);
  else if (isRefusal(error)) guarded.report("refused", message);
  return isKnown ? error : new RpcError(INTERNAL_ERROR, "Internal error");
}
