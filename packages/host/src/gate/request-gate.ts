// Runs before every handler. Loaded separately, while the view's document loads: a message that
// arrives earlier waits, and if this never loads, nothing of a view is ever served.
//
// The checks of a request: Is it a method of a view, at this moment (decideMethod)? Is the handshake
// complete? Is it well formed? May this view do it (method-policy.ts)? Only then is a handler looked
// up, so that the order of registration doesn't matter.

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
  type JsonLimits,
  LIMITS,
  limitsFor,
  type McpUiInitializeRequest,
  REQUEST_DISPLAY_MODE_METHOD,
} from "@vitrine/protocol/apps";
import {
  describeMismatch,
  validateRequest,
  validateResult,
} from "@vitrine/protocol/apps/validation";
import { cutText } from "../model/model-text.ts";
import { abortable } from "../resources/abortable.ts";
import type { Guarded, ViewRequest } from "./guarded.ts";
import { createPolicy, currentMode } from "./method-policy.ts";
import { createNotificationGate } from "./notification-gate.ts";
import { readParams } from "./older-spellings.ts";
import { isRefusal, refusal } from "./refusal.ts";

export { presentContext, presentHello, presentToolData } from "./presentation.ts";

/** The gate of one view. */
export interface RequestGate {
  serve(params: unknown, request: ViewRequest): Promise<unknown>;
  /** Checks a notification. Returns the method for its listeners, or nothing. */
  receive(method: string, params: unknown): string;
  /** Counts a message that could not be read. */
  malformed(detail: string): void;
  stop(): void;
}

const PENDING = 64;
const MALFORMED = 50;
const GRACE = 5000;
const REASON = 500;
// Values take more time than characters: with more of them, reading one response pauses the page.
const ANSWER: JsonLimits = { ...LIMITS.fromView, values: 20_000 };

/** Guards a bridge. */
export function createGate(guarded: Guarded): RequestGate {
  let pending = 0;
  let malformedCount = 0;
  const malformed = (detail: string): void => {
    guarded.report("malformed", detail);
    if (++malformedCount === MALFORMED + 1) guarded.onAbuse();
  };
  const decide = createPolicy(guarded);
  const notifications = createNotificationGate(guarded, malformed);

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
    receive: notifications.receive,
    stop: notifications.stop,
    serve: async (params, request) => {
      const { id, method, signal } = request.context;
      if (!isId(id)) {
        malformed("an id that is neither a short string nor a safe integer");
        throw new RpcError(INVALID_REQUEST, "The id must be a short string or a safe integer.");
      }
      try {
        if (pending >= PENDING)
          throw refusal(`${PENDING} requests are pending. Await some of them first.`);
        pending++;
        try {
          return await abortable(serve(params, request), signal);
        } finally {
          pending--;
        }
      } catch (error) {
        // Cancelled: nothing waits for a response, and the error is the view's own reason.
        if (signal.aborted) return undefined;
        throw report(guarded, method, error);
      }
    },
  };
}

/** A future mode isn't an error: the response is the mode in force (HST-60). */
function isUnknownMode(params: unknown): boolean {
  return typeof (params as { mode?: unknown } | null)?.mode === "string";
}

function isId(id: unknown): boolean {
  return typeof id === "string" ? id.length <= 128 : Number.isSafeInteger(id);
}

/** Admits a request, at once or when the handshake is complete. */
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
  if (guarded.isOver) throw refusal("The view is being removed; requests are no longer served.");
  if (decided.allow) return;
  throw refusal(decided.reason, decided.code === "not-initialized" ? REFUSED : METHOD_NOT_FOUND);
}

/** A clean copy of the params; an extension checks its own. */
function read(method: string, params: unknown): ReturnType<typeof validateRequest> {
  const limits = limitsFor("view", method);
  if (findMethod("view", method)) return validateRequest("view", method, params, { limits });
  const copy = copyJson(params, limits);
  return copy.ok
    ? copy
    : { ok: false, path: "params", expected: copy.code, received: "something else" };
}

/** A view's response to a request of the host; an invalid one is rejected (HST-96). */
export function readAnswer(
  method: string,
  answer: unknown,
): { ok: true; value: unknown } | { ok: false; reason: string } {
  const checked = validateResult(method, answer, { limits: ANSWER });
  // The path to a mismatch has the view's own keys, and products show this reason to the model.
  return checked.ok ? checked : { ok: false, reason: cutText(describeMismatch(checked), REASON) };
}

/** Reports to the host why a request failed; returns the response for the view. */
function report(guarded: Guarded, method: string, error: unknown): unknown {
  const isKnown = (error as Error | null)?.name === "RpcError";
  const { message } = error as Error;
  if (method === INITIALIZE_METHOD) guarded.report("initialize-refused", message, error);
  else if (!isKnown) guarded.report("listener", method, error);
  else if (isRefusal(error)) guarded.report("refused", message);
  return isKnown ? error : new RpcError(INTERNAL_ERROR, "Internal error");
}
