// Finds the origins that a finished document uses, for tools that check documents they didn't build.
// It contains no bundler; callers that scan scripts pass a parser.
//
// Adding a name here makes it public.

export { collectOrigins, type ExternalOrigins, undeclared } from "./vite/external-origins.ts";
export { type ScannedTag, scanTags } from "./vite/html-scan.ts";
export { type ScannedScript, scanScript } from "./vite/script-scan.ts";
export { type Weight, weigh } from "./vite/size-budget.ts";
