import { useId, useLayoutEffect, useRef } from "preact/hooks";
import type { Shell } from "./shell-context.ts";
import { useShell } from "./shell-context.ts";
import { Name } from "./text.tsx";

/** The question to ask before an action; `undefined` if it starts at once. */
export function questionOf(
  action: { label: string; confirm?: string | boolean; destructive?: boolean },
  label: Shell["label"],
  row = "",
): string | undefined {
  const { confirm = action.destructive === true } = action;
  if (typeof confirm === "string") return confirm;
  return confirm ? label("sure", { action: action.label, row }) : undefined;
}

/** Asks in the page, not in a dialog: a view's frame is often no larger than its content. */
export function Question({
  text,
  yes,
  isDanger,
  onYes,
  onNo,
}: {
  text: string;
  yes: string;
  isDanger: boolean;
  onYes(): void;
  onNo(): void;
}) {
  const { label } = useShell();
  const safe = useRef<HTMLButtonElement>(null);
  const id = useId();
  useLayoutEffect(() => safe.current?.focus(), []);
  const leave = ({ key }: { key: string }): void => {
    if (key === "Escape") onNo();
  };
  return (
    <div class="notice" role="alertdialog" aria-labelledby={id} onKeyDown={leave}>
      <div class="question">
        <p id={id}>
          <Name value={text} length={400} />
        </p>
        <button type="button" class={isDanger ? "button danger" : "button"} onClick={onYes}>
          <Name value={yes} length={60} />
        </button>
        <button type="button" class="button" ref={safe} onClick={onNo}>
          {label("keep")}
        </button>
      </div>
    </div>
  );
}
