import { useState } from "preact/hooks";
import type { RowAction } from "../../src/templates/tool-action.ts";
import { type Fields, Notice, own, textOf, useShell, useToolCall } from "../shell/shell.tsx";

/** The actions of a table's rows, of which one runs at a time. */
export interface RowCalls {
  actions: readonly RowAction[];
  state: ReturnType<typeof useToolCall>["state"];
  /** The action that was started last, and its row. */
  last: { action: RowAction; row: Fields } | undefined;
  start(action: RowAction, row: Fields, name: string): void;
}

export function useRowCalls(actions: readonly RowAction[] = []): RowCalls {
  const { tellModel, announce, label, showResult } = useShell();
  const { state, call } = useToolCall();
  const [last, setLast] = useState<RowCalls["last"]>();
  const start: RowCalls["start"] = async (action, row, name) => {
    if (state.status === "pending") return;
    setLast({ action, row });
    const ofRow = Object.entries(action.rowArgs ?? {}).map(([arg, key]) => [arg, own(row, key)]);
    const result = await call(action.tool, { ...action.args, ...Object.fromEntries(ofRow) });
    if (!result) return;
    announce(label("done", { action: action.label }));
    tellModel(`The user chose "${action.label}" for "${name}". ${textOf(result)}`.trim());
    if (action.refresh) showResult(result);
  };
  return { actions, state, last, start };
}

/** The outcome of the last action. */
export function CallOutcome({ calls: { state, last } }: { calls: RowCalls }) {
  const { label } = useShell();
  if (!last) return null;
  const action = last.action.label;
  if (state.status === "failed") {
    return <Notice tone="danger" title={label("notDone", { action })} text={state.text} />;
  }
  if (state.status !== "done" || last.action.refresh) return null;
  const text = textOf(state.result);
  return <Notice tone="success" title={label("done", { action })} text={text} />;
}
