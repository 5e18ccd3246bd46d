import type { Witness } from "../pipeline/pipeline.ts";
import type { Refusal } from "../pipeline/refusal.ts";

/**
 * Several witnesses as one, in their order. The first decides, since it is the one that keeps the record;
 * the others only look, and one that fails is nobody's reason to fail a call.
 */
export function joinWitnesses(
  first: Witness,
  others: readonly Witness[],
  onError: (error: unknown) => void,
): Witness {
  const each = (look: (witness: Witness) => unknown): void => {
    for (const witness of others) {
      try {
        look(witness);
      } catch (error) {
        onError(error);
      }
    }
  };
  return {
    admit: (exchange): ReturnType<Witness["admit"]> => {
      each((witness) => witness.admit(exchange));
      return first.admit(exchange);
    },
    refused: (exchange, link, refusal: Refusal) => {
      each((witness) => witness.refused(exchange, link, refusal));
      return first.refused(exchange, link, refusal);
    },
    answered: (exchange, outcome) => {
      each((witness) => witness.answered(exchange, outcome));
      return first.answered(exchange, outcome);
    },
  };
}
