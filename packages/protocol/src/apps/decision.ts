/** A policy decision: allowed, or a code from a closed set and a message with the value and the remedy. */
export type Decision<Code extends string, Allowed = {}> =
  | ({ allow: true } & Allowed)
  | Refusal<Code>;

/** A refusal. */
export interface Refusal<Code extends string> {
  allow: false;
  code: Code;
  reason: string;
}

/** Builds a refusal. */
export function refuse<Code extends string>(code: Code, reason: string): Refusal<Code> {
  return { allow: false, code, reason };
}
