// Adding a name here makes it public.

export {
  type HostCall,
  type HostDriver,
  type HostHook,
  type OfferedTool,
  type PageDriverOptions,
  pageDriver,
} from "./host/driver.ts";
export { renderHtml } from "./report/html.ts";
export { renderJson } from "./report/json-report.ts";
export { renderJunit } from "./report/junit.ts";
export { renderMatrix } from "./report/matrix.ts";
export { holdsThroughout, renderOverview } from "./report/overview.ts";
export { summaryOf } from "./report/tally.ts";
export { type Force, type Role, RULES, type Rule, rulesOf } from "./rule.ts";
export {
  type ConformanceOptions,
  type ConformanceReport,
  conforms,
  runConformance,
} from "./run.ts";
export type { Outcome, Verdict } from "./scenario.ts";
export type { BrowserOptions } from "./targets/browser.ts";
export type { HostTargetOptions } from "./targets/host-target.ts";
export type { SandboxTargetOptions } from "./targets/sandbox-target.ts";
export type { ServerTargetOptions } from "./targets/server-target.ts";
export type { ViewTargetOptions } from "./targets/view-target.ts";
