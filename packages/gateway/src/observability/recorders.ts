import type { Refusal } from "../errors/refusal.ts";
import type { Recorder } from "../policy/pipeline.ts";

/**
 * Combines several recorders into one. The first one keeps the record and may fail a call; the others only
 * observe, and their failures are ignored.
 */
export function joinRecorders(
  first: Recorder,
  others: readonly Recorder[],
  onError: (error: unknown) => void,
): Recorder {
  const each = (look: (recorder: Recorder) => unknown): void => {
    for (const recorder of others) {
      try {
        look(recorder);
      } catch (error) {
        onError(error);
      }
    }
  };
  return {
    admit: (exchange): ReturnType<Recorder["admit"]> => {
      each((recorder) => recorder.admit(exchange));
      return first.admit(exchange);
    },
    refused: (exchange, link, refusal: Refusal) => {
      each((recorder) => recorder.refused(exchange, link, refusal));
      return first.refused(exchange, link, refusal);
    },
    answered: (exchange, outcome) => {
      each((recorder) => recorder.answered(exchange, outcome));
      return first.answered(exchange, outcome);
    },
  };
}
