// What a finished document reaches for, for tools that judge documents they did not build. No bundler
// comes along; whoever scans scripts brings a parser.
//
// Adding a name here makes it public.

export { collectOrigins, type ExternalOrigins, undeclared } from "./vite/external-origins.ts";
export { type ScannedTag, scanTags } from "./vite/html-scan.ts";
export { type ScannedScript, scanScript } from "./vite/script-scan.ts";
export { type Weight, weigh } from "./vite/size-budget.ts";
