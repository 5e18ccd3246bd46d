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
import { cleanText } from "../model/model-text.ts";
import type { Guarded } from "./guarded.ts";
import { readMethod } from "./older-spellings.ts";
import { createRate, createThrottle } from "./rates.ts";

/** A view's notifications on their way to the host. */
export interface NotificationGate {
  receive(method: string, params: unknown): string;
  stop(): void;
}

type Size = { width?: number; height?: number };

const STATE_SIZE = 64 * 1024;
const PER_SECOND = 10;
const LOGS = 20;
const REPORTS = 32;

/** Checks each notification, then calls the listeners. */
export function createNotificationGate(
  guarded: Guarded,
  malformed: (detail: string) => void,
): NotificationGate {
  const span = 1000 / PER_SECOND;
  const sizes = createThrottle<Size>(span, (size) => guarded.emit("sizechange", size));
  // The newest state must arrive, whatever the rate.
  const states = createThrottle<unknown>(span, (value) => guarded.emit("state", value));
  const mayLog = createRate(LOGS, 1000);
  const mayAskToLeave = createRate(1, 1000);
  let isSandboxReady = false;

  // Repeated reports of one view are merged into one.
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
    else
      refuse(
        `${STATE_EXTENSION}: ${copy.code}; at most ${STATE_SIZE} characters of JSON are kept.`,
      );
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
        if (mayLog()) guarded.emit("loggingmessage", cleanText(params));
        else refuse(`${LOGGING_MESSAGE_METHOD}: more than ${LOGS} in a second. Log less.`);
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

  const receive = (spelt: string, params: unknown): string => {
    const method = readMethod(spelt);
    if (method !== spelt) guarded.report("compatibility", `${spelt} is ${method}`);
    // The sandbox sends it once, before the view loads; a later one comes from the view.
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
    receive,
    stop: () => {
      sizes.stop();
      // The state that a view saves in its last moments is the one it wants to restore.
      states.flush();
    },
  };
}
