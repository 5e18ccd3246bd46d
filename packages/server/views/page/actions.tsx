import { useState } from "preact/hooks";
import type { ActionsBlock, BlockAction } from "../../src/templates/page-blocks.ts";
import { Question, questionOf } from "../shell/question.tsx";
import { textOf } from "../shell/records.ts";
import { useShell } from "../shell/shell-context.ts";
import { Notice } from "../shell/states.tsx";
import { cut, Name } from "../shell/text.tsx";
import { useToolCall } from "../shell/tool-call.ts";

/** Buttons, of which one works at a time. */
export function Actions({ block, isWriting }: { block: ActionsBlock; isWriting: boolean }) {
  const { app, label, tellModel, showResult } = useShell();
  const { state, call, perform } = useToolCall();
  const [running, setRunning] = useState<BlockAction>();
  const [asking, setAsking] = useState<BlockAction>();
  const isBusy = state.status === "pending";
  const start = async (action: BlockAction): Promise<void> => {
    setAsking(undefined);
    setRunning(action);
    const { tool, args, url, message, refresh } = action;
    if (url !== undefined) {
      app.openLink({ url }).catch(() => {});
    } else if (message !== undefined) {
      const content = [{ type: "text" as const, text: message }];
      await perform(async () => {
        const { isError } = await app.sendMessage({ role: "user", content });
        return { content: [], isError: isError === true };
      });
    } else if (tool !== undefined) {
      const result = await call(tool, { ...args });
      if (!result) return;
      tellModel(`The user pressed "${cut(action.label, 80)}". ${textOf(result)}`.trim());
      if (refresh) showResult(result);
    }
  };
  const press = (action: BlockAction): void => {
    if (isBusy || isWriting) return;
    if (questionOf(action, label) === undefined) start(action);
    else setAsking(action);
  };
  const text = state.status === "done" ? textOf(state.result) : "";
  return (
    <div class="stack">
      {asking ? (
        <Question
          text={questionOf(asking, label) ?? ""}
          yes={asking.label}
          isDanger={asking.destructive === true}
          onYes={() => start(asking)}
          onNo={() => setAsking(undefined)}
        />
      ) : (
        <div class="buttons">
          {block.actions.map((action, at) => (
            <button
              // biome-ignore lint/suspicious/noArrayIndexKey: a button is its place.
              key={at}
              type="button"
              class={action.primary ? "button primary" : "button"}
              aria-disabled={isBusy || isWriting}
              onClick={() => press(action)}
            >
              {isBusy && action === running && <span class="spinner" aria-hidden="true" />}
              <Name value={action.label} length={60} />
            </button>
          ))}
        </div>
      )}
      {state.status === "failed" && (
        <Notice tone="danger" title={label("failed")} text={state.text} />
      )}
      {text && !running?.refresh && <Notice tone="success" title={label("done")} text={text} />}
    </div>
  );
}
