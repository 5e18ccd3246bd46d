import type { ConsentAnswer, ConsentRequest } from "./consent.ts";
import { armDialog } from "./consent-dialog-arming.ts";
import { make } from "./consent-dialog-content.ts";
import type { OpenPanel } from "./consent-dialog-modal.ts";
import { createReading } from "./consent-dialog-reading.ts";
import type { ScopeChoice } from "./consent-dialog-scope.ts";
import type { DialogWords } from "./consent-dialog-words.ts";

/** The parts of a question. */
export interface QuestionParts {
  words: DialogWords;
  style: CSSStyleSheet;
  /** Milliseconds that it must be visible before "Allow" works. */
  time: number;
  /** Everything between the question and the buttons. */
  nodes: readonly Node[];
  /** How long an answer holds. */
  scope: ScopeChoice;
  open: OpenPanel;
}

/** Shows one question; `answer` closes it. */
export function openQuestion(
  request: ConsentRequest,
  { words, style, time, nodes, scope, open }: QuestionParts,
  answer: (answer: ConsentAnswer) => void,
): { close(): void } {
  const button = (name: string, label: string): HTMLButtonElement =>
    make("button", { type: "button", class: name, part: `button ${name}` }, label);
  const more = button("more", words.more);
  const stop = button("stop", words.stop);
  const deny = button("deny", words.deny);
  const allow = button("allow", words.allow);
  more.id = "more";
  more.hidden = true;
  deny.autofocus = true;
  allow.ariaDisabled = "true";
  // It scrolls, so it must be reachable by keyboard.
  const content = make(
    "div",
    { class: "content", tabindex: "0", role: "group", "aria-labelledby": "question" },
    make("h2", { id: "question", part: "question" }, words.question[request.kind]),
    ...nodes,
  );
  const panel = make(
    "div",
    { class: "panel", tabindex: "-1" },
    content,
    make(
      "div",
      { class: "actions" },
      more,
      ...scope.nodes,
      ...(request.stop ? [stop] : []),
      deny,
      allow,
    ),
  );
  const refuse = (): void =>
    answer({ allow: false, ...(scope.holdsForRefusal && { remember: scope.value }) });
  const { host, dialog, close } = open(panel, {
    style,
    words,
    describedBy: "facts",
    onCancel: refuse,
  });
  const reading = createReading(content);
  const showRest = (): void => {
    more.hidden = reading.isComplete || (more.hidden && reading.fits);
    if (more.hidden) allow.removeAttribute("aria-describedby");
    else allow.setAttribute("aria-describedby", more.id);
  };
  showRest();
  const arming = armDialog({
    host,
    dialog,
    panel,
    time,
    reading,
    onChange: (armed) => {
      allow.ariaDisabled = String(!armed);
      showRest();
    },
    onGone: () => answer({ allow: false }),
  });
  more.onclick = () => reading.next();
  deny.onclick = refuse;
  stop.onclick = () => {
    answer({ allow: false });
    request.stop?.();
  };
  allow.onclick = (event) => {
    if (arming.accepts(event)) answer({ allow: true, remember: scope.value });
  };
  // An accidental choice would outlast this question.
  scope.onPick(arming.accepts);
  return {
    close: () => {
      arming.stop();
      close();
    },
  };
}
