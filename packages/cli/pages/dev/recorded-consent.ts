// A replay runs without an author: the host takes the answers that the author gave while it was recorded.

import type { Consent } from "@vitrine/host";
import type { Recording } from "../../src/dev/recording.ts";

/** Answers each kind of question in the recorded order; a question that is new is declined. */
export function recordedConsent({ inputs }: Recording): Consent {
  const answers = new Map<string, boolean[]>();
  for (const input of inputs) {
    if (input.kind !== "consent") continue;
    answers.set(input.about, [...(answers.get(input.about) ?? []), input.allow]);
  }
  return ({ kind }) => answers.get(kind)?.shift() ?? false;
}
