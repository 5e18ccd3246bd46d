/** Why a scenario can't be used. */
export type ScenarioErrorCode = "not-json" | "too-large" | "wrong-kind" | "invalid-value";

/** A scenario, a story or a file of them that is invalid; switch on `code`. */
export class ScenarioError extends Error {
  readonly code: ScenarioErrorCode;

  constructor(code: ScenarioErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "ScenarioError";
    this.code = code;
  }
}
