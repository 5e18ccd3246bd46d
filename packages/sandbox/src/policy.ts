// Parses a Server's declarations without the rest of the Sandbox, so that authors of declarations
// see errors at once.

export { buildPolicy, type ViewPolicy } from "./csp.ts";
export type { OperatorPolicy } from "./operator-policy.ts";
export type { Rejected, RejectionCode } from "./rejection.ts";
export { type ParsedSource, parseSource, type Source, type SourceOptions } from "./source.ts";
