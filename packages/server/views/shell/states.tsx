import type { ComponentChildren } from "preact";
import { ALERT, BOX, DONE, Icon, STOPPED } from "./icons.tsx";
import { useShell } from "./shell-context.ts";
import { Text } from "./text.tsx";

/** Something to read at once: a failure, a success, the end of a call. */
export function Notice({
  tone,
  title,
  text,
  details,
  children,
}: {
  tone: "danger" | "success" | "plain";
  title: string;
  text?: string | undefined;
  /** For developers, folded. */
  details?: string | undefined;
  children?: ComponentChildren;
}) {
  const { label } = useShell();
  const path = { danger: ALERT, success: DONE, plain: STOPPED }[tone];
  return (
    <div class={`notice ${tone}`} role={tone === "danger" ? "alert" : "status"}>
      <Icon path={path} />
      <div>
        <strong>{title}</strong>
        {text && (
          <p class="text">
            <Text value={text} short={1200} />
          </p>
        )}
        {children}
        {details && (
          <details class="details">
            <summary>{label("details")}</summary>
            <Text value={details} short={1200} />
          </details>
        )}
      </div>
    </div>
  );
}

/** There is a result and nothing in it. */
export function Empty({ text }: { text?: string }) {
  const { label } = useShell();
  return (
    <div class="empty">
      <Icon path={BOX} />
      <p>{text ?? label("empty")}</p>
    </div>
  );
}

/** Nothing is known yet: the outline of the coming block, which its own style draws. */
export function Loading({ shape }: { shape: string }) {
  const { label } = useShell();
  return (
    <div role="status">
      <span class="hidden">{label("loading")}</span>
      <div class={`skeleton ${shape}`} aria-hidden="true">
        {Array.from({ length: 6 }, (_, line) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: lines of nothing are all alike.
          <i key={line} />
        ))}
      </div>
    </div>
  );
}

/** Above what the model is still writing. */
export function Writing() {
  const { label } = useShell();
  return (
    <p class="streaming">
      <span class="spinner" aria-hidden="true" />
      {label("writing")}
    </p>
  );
}
