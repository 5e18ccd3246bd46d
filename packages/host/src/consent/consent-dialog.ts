// Asks the user. The dialog is the Host's own: in its top layer, in a closed shadow root, outside of
// any frame, so that no View can draw over it, under it, or in it. One question at a time.

import type { McpUiStyles } from "@vitrine/protocol/apps";
import { defaultTheme } from "../theme.ts";
import type { Consent, ConsentAnswer, ConsentRequest } from "./consent.ts";
import { armDialog } from "./consent-dialog-arming.ts";
import { describeRequest, fill, make } from "./consent-dialog-content.ts";
import { type ConsentLabels, ENGLISH } from "./consent-dialog-labels.ts";
import { dialogStyle } from "./consent-dialog-style.ts";

export type { ConsentLabels } from "./consent-dialog-labels.ts";

/** How the dialog looks and speaks. It follows the page's `color-scheme`, `dir` and `lang`. */
export interface ConsentDialogOptions {
  labels?: Partial<ConsentLabels>;
  /** Milliseconds in sight and in focus before "Allow" answers; 500. */
  armTime?: number;
  /** The page's look; `createTheme` makes one of a few colours. */
  variables?: McpUiStyles;
}

// More than anybody would read; a View that asks on is not asking.
const WAITING = 5;

interface Question {
  request: ConsentRequest;
  answer(answer: ConsentAnswer): void;
}

/** The default way to ask: a modal dialog. */
export function createConsentDialog(options: ConsentDialogOptions = {}): Consent {
  const { armTime = 500, variables = defaultTheme } = options;
  const parts = {
    labels: { ...ENGLISH, ...options.labels },
    style: dialogStyle(variables),
    armTime,
  };
  // The first is shown, the others wait.
  const questions: Question[] = [];
  let shown: OpenDialog | undefined;

  const ofView = ({ view }: ConsentRequest): Question[] =>
    questions.filter(({ request }) => request.view.key === view.key);
  const settle = (question: Question, answer: ConsentAnswer): void => {
    const at = questions.indexOf(question);
    if (at < 0) return;
    questions.splice(at, 1);
    if (at === 0) {
      shown?.close();
      shown = undefined;
    }
    question.answer(answer);
    show();
  };
  const show = (): void => {
    const question = questions[0];
    if (!question) return;
    const { request } = question;
    try {
      shown ??= openDialog(request, parts, (answer, all) => {
        // The others first, or each would be shown for a moment.
        for (const one of all ? ofView(request).reverse() : [question]) settle(one, answer);
      });
      shown.count(ofView(request).length);
    } catch {
      // Nothing can be shown, say without a body: nobody was asked, nobody said yes.
      settle(question, { allow: false });
    }
  };

  return (request) =>
    new Promise((resolve) => {
      const { signal } = request;
      const waiting = ofView(request).filter((question) => question !== questions[0]);
      if (signal.aborted || waiting.length >= WAITING) return resolve({ allow: false });
      const takeBack = (): void => settle(question, { allow: false });
      const question: Question = {
        request,
        answer: (answer) => {
          signal.removeEventListener("abort", takeBack);
          resolve(answer);
        },
      };
      signal.addEventListener("abort", takeBack);
      questions.push(question);
      show();
    });
}

interface OpenDialog {
  /** How many questions of the same View there are, this one included. */
  count(questions: number): void;
  /** Gives the focus back. */
  close(): void;
}

interface DialogParts {
  labels: ConsentLabels;
  style: CSSStyleSheet;
  armTime: number;
}

/** Shows one question. */
function openDialog(
  request: ConsentRequest,
  { labels, style, armTime }: DialogParts,
  answer: (answer: ConsentAnswer, all?: boolean) => void,
): OpenDialog {
  const button = (name: string, label: string): HTMLButtonElement =>
    make("button", { type: "button", class: name }, label);
  const denyAll = button("all", "");
  const deny = button("deny", labels.deny);
  const allow = button("allow", labels.allow);
  const remember = make("input", { type: "checkbox" });
  deny.autofocus = true;
  allow.ariaDisabled = "true";
  const panel = make(
    "div",
    { class: "panel", tabindex: "-1" },
    make(
      "div",
      { class: "content" },
      make("h2", { id: "question" }, labels.question[request.kind]),
      ...describeRequest(request, labels),
    ),
    make(
      "div",
      { class: "actions" },
      // Tools of a Server only: what a View calls its own tools today may be another one tomorrow.
      ...(request.kind === "tool"
        ? [make("label", { class: "remember" }, remember, labels.remember)]
        : []),
      denyAll,
      deny,
      allow,
    ),
  );
  const dialog = make(
    "dialog",
    { role: "alertdialog", "aria-labelledby": "question", "aria-describedby": "facts" },
    panel,
  );
  // The attribute is for the rest of the Host: a View must not go full screen above a question.
  const host = make("div", { "data-vitrine-consent": "" });
  const root = host.attachShadow({ mode: "closed" });
  root.adoptedStyleSheets = [style];
  root.append(dialog);
  document.body.append(host);
  dialog.showModal();
  const refuse = (all?: boolean): void => answer({ allow: false }, all);
  const arming = armDialog({
    host,
    dialog,
    panel,
    time: armTime,
    onChange: (armed) => {
      allow.ariaDisabled = String(!armed);
    },
    onGone: refuse,
  });
  deny.onclick = () => refuse();
  denyAll.onclick = () => refuse(true);
  allow.onclick = (event) => {
    if (arming.accepts(event)) answer({ allow: true, remember: remember.checked });
  };
  // A tick that came by accident would outlive this question.
  remember.onclick = (event) => arming.accepts(event) || event.preventDefault();
  // Keys in here are for this dialog: Escape is not to end a View's full screen, or be used up by it.
  dialog.onkeydown = (event) => event.stopPropagation();
  dialog.oncancel = (event) => {
    event.preventDefault();
    refuse();
  };
  // Browsers close on a second Esc without asking; raising it closes it, too, but it is open again.
  dialog.onclose = () => dialog.open || refuse();
  return {
    count: (questions) => {
      denyAll.hidden = questions < 2;
      denyAll.textContent = fill(labels.denyAll, questions);
    },
    close: () => {
      arming.stop();
      dialog.close();
      host.remove();
    },
  };
}
