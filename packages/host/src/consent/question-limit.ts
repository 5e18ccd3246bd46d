// A view that asks repeatedly hopes for a "yes" by mistake or exhaustion. This limits how often a
// view can ask its user; requests over the limit are rejected without a question.

import type { ConsentRequest } from "./consent.ts";

/** How a question ended. */
export type QuestionOutcome = "allowed" | "refused" | "withdrawn";

/** Decides whether a view may ask its user. */
export interface QuestionLimit {
  /** Records that a request arrived, and whether a gesture came with it. */
  arrive(request: ConsentRequest): void;
  /** The reason why the user isn't asked, or `undefined` if they are. */
  refuse(request: ConsentRequest): string | undefined;
  record(request: ConsentRequest, outcome: QuestionOutcome): void;
}

interface History {
  /** Refusals since the last gesture. */
  refusalsInRow: number;
  /** Times of refusals and withdrawals in the last `SPAN`. */
  refusals: number[];
  withdrawals: number[];
  gestureAt: number;
}

const REFUSALS_IN_ROW = 2;
const REFUSALS = 6;
const WITHDRAWALS = 2;
const SPAN = 10 * 60_000;
// A browser reports one click as a gesture for 5 s, and messages take time: it counts once.
const GESTURE = 6000;
// A page can show new views for days.
const VIEWS = 500;

/** Creates a limit for all views of a page. */
export function createQuestionLimit(): QuestionLimit {
  const histories = new Map<string, History>();

  const historyOf = ({ view }: ConsentRequest): History => {
    const key = JSON.stringify([view.server, view.key]);
    const found = histories.get(key);
    const history = found ?? {
      refusalsInRow: 0,
      refusals: [],
      withdrawals: [],
      gestureAt: -Infinity,
    };
    if (!found) histories.set(key, history);
    for (const oldest of histories.keys()) {
      if (histories.size <= VIEWS) break;
      histories.delete(oldest);
    }
    const now = performance.now();
    const isRecent = (at: number): boolean => now - at < SPAN;
    history.refusals = history.refusals.filter(isRecent);
    history.withdrawals = history.withdrawals.filter(isRecent);
    if (history.refusals.length === 0) history.refusalsInRow = 0;
    return history;
  };

  return {
    arrive: (request) => {
      const history = historyOf(request);
      const now = performance.now();
      if (request.userActive !== true || now - history.gestureAt < GESTURE) return;
      history.gestureAt = now;
      history.refusalsInRow = 0;
    },
    refuse: (request) => {
      // The model calls these, not the view.
      if (request.kind === "app-tool") return undefined;
      const { refusalsInRow, refusals, withdrawals } = historyOf(request);
      if (withdrawals.length >= WITHDRAWALS) {
        return "The view withdrew several questions, so the user isn't asked again for 10 minutes.";
      }
      if (refusals.length >= REFUSALS) {
        return "The user refused many times, so they aren't asked again for 10 minutes.";
      }
      return refusalsInRow >= REFUSALS_IN_ROW
        ? "The user refused twice. Ask again in the handler of a click in the view."
        : undefined;
    },
    record: (request, outcome) => {
      if (request.kind === "app-tool") return;
      const history = historyOf(request);
      if (outcome === "allowed") {
        history.refusalsInRow = 0;
        history.refusals = [];
      } else if (outcome === "withdrawn") history.withdrawals.push(performance.now());
      else {
        history.refusalsInRow += 1;
        history.refusals.push(performance.now());
      }
    },
  };
}
