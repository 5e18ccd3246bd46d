// What a Server may declare and what becomes of it, without the rest of the Sandbox: for those who
// write the declaration and want to hear at once what would be refused.

export { buildPolicy, type ViewPolicy } from "./csp.ts";
export type { OperatorPolicy } from "./operator-policy.ts";
export type { Rejected, RejectionCode } from "./rejection.ts";
export { type ParsedSource, parseSource, type Source, type SourceOptions } from "./source.ts";
