import {
  clampSize,
  copyJson,
  decideMethod,
  findMethod,
  INITIALIZED_METHOD,
  LIMITS,
  LOGGING_MESSAGE_METHOD,
  limitsFor,
  REQUEST_TEARDOWN_METHOD,
  SANDBOX_PROXY_READY_METHOD,
  SIZE_CHANGED_METHOD,
  STATE_EXTENSION,
  TOOL_LIST_CHANGED_METHOD,
} from "@vitrine/protocol/apps";
import { describeMismatch, validateNotification } from "@vitrine/protocol/apps/validation";
import type { Guarded } from "./guarded.ts";
import { readMethod } from "./older-spellings.ts";
import { plainText } from "./plain-text.ts";
import { createRate, createThrottle } from "./rates.ts";

/** A View's notifications on their way to the Host. */
export interface News {
  hear(method: string, params: unknown): string;
  stop(): void;
}

type Size = { width?: number; height?: number };

const STATE_SIZE = 64 * 1024;
const PER_SECOND = 10;
const LOGS = 20;
const REPORTS = 32;

/** Judges each notification, then tells those who listen. */
export function createNews(guarded: Guarded, malformed: (detail: string) => void): News {
  const span = 1000 / PER_SECOND;
  const sizes = createThrottle<Size>(span, (size) => guarded.emit("sizechange", size));
  // The newest state must arrive, whatever the pace.
  const states = createThrottle<unknown>(span, (value) => guarded.emit("state", value));
  const mayLog = createRate(LOGS, 1000);
  const mayAskToLeave = createRate(1, 1000);
  let isSandboxReady = false;

  // A View that says it a thousand times is told of once.
  const told = new Set<string>();
  const refuse = (reason: string): string => {
    if (!told.has(reason) && told.size < REPORTS) {
      told.add(reason);
      guarded.report("refused", reason);
    }
    return "";
  };

  const keepState = (params: unknown): void => {
    const { value } = (params ?? {}) as { value?: unknown };
    const copy = copyJson(value, { ...LIMITS.fromView, size: STATE_SIZE });
    if (copy.ok) states.push(copy.value);
    else refuse(`${STATE_EXTENSION}: ${copy.code}; ${STATE_SIZE} characters of JSON are kept.`);
  };

  const deliver: ReadonlyMap<string, (params: never) => void> = new Map([
    [INITIALIZED_METHOD, () => guarded.begin()],
    [
      SIZE_CHANGED_METHOD,
      (params: Size) => {
        const size = clampSize(params);
        if (Object.keys(size).length > 0) sizes.push(size);
      },
    ],
    [
      LOGGING_MESSAGE_METHOD,
      (params: object) => {
        if (mayLog()) guarded.emit("loggingmessage", plainText(params));
        else refuse(`${LOGGING_MESSAGE_METHOD}: more than ${LOGS} in a second; log less.`);
      },
    ],
    [
      REQUEST_TEARDOWN_METHOD,
      () => {
        if (mayAskToLeave()) guarded.emit("requestteardown", {});
      },
    ],
    [TOOL_LIST_CHANGED_METHOD, () => guarded.emit("toollistchanged", {})],
  ]);

  const take = (method: string, params: unknown): void => {
    const limits = limitsFor("view", method);
    const checked = validateNotification("view", method, params, { limits });
    if (checked.ok) deliver.get(method)?.(checked.value as never);
    else malformed(`${method}: ${describeMismatch(checked)}`);
  };

  const hear = (spelt: string, params: unknown): string => {
    const method = readMethod(spelt);
    if (method !== spelt) guarded.report("compatibility", `${spelt} is ${method}`);
    // A Sandbox speaks once, before the View that it loads can; a later one is the View's.
    if (method === SANDBOX_PROXY_READY_METHOD && !isSandboxReady && !guarded.app) {
      isSandboxReady = true;
      guarded.emit("sandboxready", {});
      return "";
    }
    const use = { from: "view", method, kind: "notification", params } as const;
    const decided = decideMethod(use, guarded.session);
    if (!decided.allow) return refuse(decided.reason);
    if (guarded.isOver) return "";
    if (method === STATE_EXTENSION) keepState(params);
    else if (findMethod("view", method)) take(method, params);
    else return method;
    return "";
  };

  return {
    hear,
    stop: () => {
      sizes.stop();
      // What a View leaves in its last moments is what it wants back.
      states.flush();
    },
  };
}
