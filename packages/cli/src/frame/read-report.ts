// Reports come from the view's window, where the view itself can send anything. They are text of a
// limited length, and nothing else.

import { AGENT_MARK, type AgentReport } from "./frame-agent.ts";

/** A report, and the page that it is about. */
export interface SentReport {
  page: string;
  report: AgentReport;
}

const LONGEST = 32_000;
const KINDS: Record<AgentReport["kind"], readonly string[]> = {
  error: ["message", "stack", "source"],
  rejection: ["message", "stack"],
  logged: ["message", "stack", "caller"],
  console: ["level", "text", "stack"],
  violation: ["directive", "blocked", "sample"],
  unloaded: ["tag", "url"],
  silent: [],
  blank: [],
  visible: [],
  action: ["action", "value", "role", "name", "testId", "css"],
  outline: ["text"],
};
const ACTIONS = ["click", "fill", "press", "select"];
const LONGEST_TEXT = 4_000;
const LONGEST_OUTLINE = 12_000;
const LEVELS = ["debug", "log", "info", "warn", "error"];

/** Reads a message of the agent; `undefined` for everything else. */
export function readReport(message: unknown): SentReport | undefined {
  if (typeof message !== "string" || message.length > LONGEST) return undefined;
  if (!message.startsWith(AGENT_MARK)) return undefined;
  try {
    const sent = JSON.parse(message.slice(AGENT_MARK.length)) as Record<string, unknown>;
    const kind = sent.kind as AgentReport["kind"];
    if (!Object.hasOwn(KINDS, kind)) return undefined;
    const texts = KINDS[kind].map((name) => [
      name,
      textOf(sent[name], kind === "outline" ? LONGEST_OUTLINE : LONGEST_TEXT),
    ]);
    const numbers = ["line", "column"].map((name) => [name, numberOf(sent[name])]);
    const report = { kind, ...Object.fromEntries([...texts, ...numbers]) } as AgentReport;
    if (report.kind === "console" && !LEVELS.includes(report.level)) return undefined;
    if (report.kind === "action" && !ACTIONS.includes(report.action)) return undefined;
    return { page: textOf(sent.page, 40), report };
  } catch {
    return undefined;
  }
}

function textOf(value: unknown, longest: number): string {
  return typeof value === "string" ? value.slice(0, longest) : "";
}

function numberOf(value: unknown): number {
  return Number.isSafeInteger(value) && (value as number) > 0 ? (value as number) : 0;
}
