import { make } from "./consent-dialog-content.ts";
import type { OpenPanel } from "./consent-dialog-modal.ts";
import type { DialogWords } from "./consent-dialog-words.ts";

// Milliseconds; long enough to notice that the question is gone.
const SHOWN = 3000;

/** Shows that a question was withdrawn, until the user dismisses it or the time is over. */
export function openNotice(
  { words, style, open }: { words: DialogWords; style: CSSStyleSheet; open: OpenPanel },
  onDismiss: () => void,
): { close(): void } {
  const dismiss = make(
    "button",
    { type: "button", class: "dismiss", part: "button" },
    words.dismiss,
  );
  dismiss.autofocus = true;
  const panel = make(
    "div",
    { class: "panel", tabindex: "-1" },
    make(
      "div",
      { class: "content withdrawn" },
      make("h2", { id: "question", part: "question" }, words.withdrawn),
      make("p", { id: "facts" }, words.withdrawnHint),
    ),
    make("div", { class: "actions" }, dismiss),
  );
  const shown = open(panel, { style, words, describedBy: "facts", onCancel: onDismiss });
  dismiss.onclick = onDismiss;
  const timer = setTimeout(onDismiss, SHOWN);
  return {
    close: () => {
      clearTimeout(timer);
      shown.close();
    },
  };
}
