// The actions of a user in a recording: from the agent's reports, and without keystrokes that had no effect.

import type { ActionReport } from "../frame/action-agent.ts";
import type { RecordedAction, RecordedFrame, RecordedInput } from "./recording.ts";

/** The action that a report of the agent describes; nothing if its value is invalid. */
export function actionOf(
  { action, value, role, name, testId, css }: ActionReport,
  at: number,
): RecordedAction | undefined {
  const selector = {
    ...(role && { role: role.slice(0, 60) }),
    ...(name && { name: name.slice(0, 200) }),
    ...(testId && { testId: testId.slice(0, 200) }),
    css: css.slice(0, 1_000),
  };
  if (action === "click") return { at, kind: action, selector };
  if (action === "select") {
    const values = readOptions(value);
    return values && { at, kind: action, selector, value: values };
  }
  return { at, kind: action, selector, value: value.slice(0, 2_000) };
}

function readOptions(text: string): string[] | undefined {
  try {
    const values: unknown = JSON.parse(text);
    const isList = Array.isArray(values) && values.every((value) => typeof value === "string");
    return isList ? values.slice(0, 100) : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Leaves out texts that were replaced by the next keystroke before the view had sent anything: typing a
 * word is then one action.
 */
export function mergeFills(
  inputs: readonly RecordedInput[],
  frames: readonly RecordedFrame[],
): RecordedInput[] {
  const sent = frames.filter(({ from }) => from === "view").map(({ at }) => at);
  return inputs.filter((input, index) => {
    const next = inputs[index + 1];
    if (input.kind !== "fill" || next?.kind !== "fill") return true;
    if (JSON.stringify(input.selector) !== JSON.stringify(next.selector)) return true;
    return sent.some((at) => at >= input.at && at <= next.at);
  });
}
