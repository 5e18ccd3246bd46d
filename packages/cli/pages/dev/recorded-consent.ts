// A replay runs without an author: the host takes the answers that the author gave while it was recorded.

import type { Consent, Host } from "@vitrine/host";
import type { RecordedInput, Recording } from "../../src/dev/recording.ts";

/** Records each answer of the author. */
export function noteConsent(host: Host, note: (input: RecordedInput) => void): void {
  host.onEvent((event) => {
    if (event.type === "consent")
      note({ at: Date.now(), kind: "consent", about: event.kind, allow: event.allow });
  });
}

/** Answers each kind of question in the recorded order; a question that is new is declined. */
export function recordedConsent({ inputs }: Recording): Consent {
  const answers = new Map<string, boolean[]>();
  for (const input of inputs) {
    if (input.kind !== "consent") continue;
    answers.set(input.about, [...(answers.get(input.about) ?? []), input.allow]);
  }
  return ({ kind }) => answers.get(kind)?.shift() ?? false;
}
