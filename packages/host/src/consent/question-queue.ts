import type { ConsentRequest } from "./consent.ts";
import { subjectKeyOf, viewKeyOf } from "./subject-key.ts";

// Waiting questions per view; users don't read more.
const WAITING = 5;

/** Puts questions in order. */
export interface QuestionQueue {
  /** Asks when it is the question's turn; `undefined` if too many of the same view are waiting. */
  enter<T>(request: ConsentRequest, ask: () => Promise<T>): Promise<T> | undefined;
}

/**
 * One question per view at a time, so that a refusal counts before the next one is asked. The second
 * of two questions about the same subject waits too: the answer to the first may be remembered.
 */
export function createQuestionQueue(): QuestionQueue {
  const last = new Map<string, Promise<unknown>>();
  const waiting = new Map<string, number>();
  return {
    enter: (request, ask) => {
      const view = viewKeyOf(request);
      const before = waiting.get(view) ?? 0;
      if (before > WAITING) return undefined;
      waiting.set(view, before + 1);
      const names = [view, subjectKeyOf(request)];
      const earlier = names.map((name) => last.get(name));
      const answer = Promise.allSettled(earlier).then(ask);
      for (const name of names) last.set(name, answer);
      return answer.finally(() => {
        waiting.set(view, (waiting.get(view) ?? 1) - 1);
        if (waiting.get(view) === 0) waiting.delete(view);
        for (const name of names) if (last.get(name) === answer) last.delete(name);
      });
    },
  };
}
