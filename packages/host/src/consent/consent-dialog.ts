// Asks the user. The dialog belongs to the host: it is in the top layer, in a closed shadow root,
// outside every frame, so no view can draw over, under or in it. One question at a time.

import type { McpUiStyles } from "@vitrine/protocol/apps";
import type { MessageOverrides } from "../messages/messages.ts";
import type { DescribeServer } from "../plain-name.ts";
import { defaultTheme } from "../theme.ts";
import type { ConsentAnswer, ConsentRequest, ConsentScope } from "./consent.ts";
import { describeRequest } from "./consent-dialog-content.ts";
import { type OpenPanel, openModal } from "./consent-dialog-modal.ts";
import { openNotice } from "./consent-dialog-notice.ts";
import { openQuestion } from "./consent-dialog-question.ts";
import { createScopeChoice, createSilenceChoice } from "./consent-dialog-scope.ts";
import { dialogStyle } from "./consent-dialog-style.ts";
import { type DialogWords, dialogWords } from "./consent-dialog-words.ts";

/** The look and texts of a question. It follows the page's `color-scheme`. */
export interface DialogLook {
  messages?: MessageOverrides | undefined;
  /** The page's look; `createTheme` makes one from a few colours. */
  variables?: McpUiStyles | undefined;
  describeServer?: DescribeServer | undefined;
  /** Where an answer can be remembered; everywhere if it isn't given. */
  scopes?: readonly ConsentScope[] | undefined;
}

/** Options of the dialog. */
export interface ConsentDialogOptions extends DialogLook {
  /** Milliseconds that the dialog must be visible and focused before "Allow" works; 500. */
  armTime?: number;
  /** Shows questions in the page instead of a modal dialog. */
  inline?: OpenPanel;
}

/** Asks the user. Several hosts can share one, each with its own look. */
export type DialogConsent = (request: ConsentRequest, look?: DialogLook) => Promise<ConsentAnswer>;

// "Allow" waits this many times longer in a question that follows a withdrawn one.
const LONGER = 3;

interface Question {
  request: ConsentRequest;
  look: DialogLook;
  answer(answer: ConsentAnswer): void;
}

/** The default consent UI: a modal dialog. */
export function createConsentDialog(options: ConsentDialogOptions = {}): DialogConsent {
  const { armTime = 500, inline, ...ownLook } = options;
  const open = inline ?? openModal;
  const questions: Question[] = [];
  // A question, or the notice that one was withdrawn.
  let shown: { close(): void; question?: Question } | undefined;
  let isAfterWithdrawal = false;

  const closeShown = (): void => {
    shown?.close();
    shown = undefined;
  };
  const settle = (question: Question, answer: ConsentAnswer): void => {
    const at = questions.indexOf(question);
    if (at < 0) return;
    questions.splice(at, 1);
    if (shown?.question === question) {
      closeShown();
      isAfterWithdrawal = false;
    }
    question.answer(answer);
    show();
  };
  // Another question in its place could get the click that was meant for this one (S36). So the user
  // is notified first, and has more time to read the next one.
  const withdraw = (question: Question): void => {
    if (shown?.question === question) {
      closeShown();
      isAfterWithdrawal = true;
      try {
        shown = openNotice({ ...partsOf(question.look), open }, () => {
          closeShown();
          show();
        });
      } catch {
        // Without a body nothing can be shown, including the next question.
      }
    }
    settle(question, { allow: false });
  };
  const show = (): void => {
    const question = questions[0];
    if (!question || shown) return;
    const { request, look } = question;
    try {
      const { words, style } = partsOf(look);
      const { nodes, cut } = describeRequest(request, words, look.describeServer);
      if (cut > 0) {
        const reason = `${cut} characters of the request don't fit into the question to the user. Send less.`;
        settle(question, { allow: false, reason });
        return;
      }
      const time = isAfterWithdrawal ? armTime * LONGER : armTime;
      const scope = inline
        ? createSilenceChoice(request, words)
        : createScopeChoice(request, words, look.scopes);
      const parts = { words, style, time, nodes, scope, open };
      const dialog = openQuestion(request, parts, (answer) => {
        settle(question, answer);
      });
      shown = { ...dialog, question };
    } catch {
      // Nothing can be shown, for example without a body. The user wasn't asked, so the answer is no.
      settle(question, { allow: false });
    }
  };

  return (request, look = ownLook) =>
    new Promise((resolve) => {
      const { signal } = request;
      if (signal.aborted) return resolve({ allow: false });
      const takeBack = (): void => withdraw(question);
      const question: Question = {
        request,
        look,
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

function partsOf({ messages, variables = defaultTheme }: DialogLook): {
  words: DialogWords;
  style: CSSStyleSheet;
} {
  return { words: dialogWords(messages), style: dialogStyle(variables) };
}
