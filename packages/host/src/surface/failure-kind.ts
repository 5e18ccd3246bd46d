import type { DiagnosticCode } from "../diagnostic.ts";
import type { FailureKind } from "../messages/messages.ts";

const KINDS: Partial<Record<DiagnosticCode, FailureKind>> = {
  "no-resource": "noApp",
  "bad-resource-uri": "broken",
  "resource-empty": "broken",
  "resource-type": "broken",
  "resource-large": "broken",
  "initialize-refused": "broken",
  "frame-blocked": "pageBlocks",
  "frame-isolated": "pageIsolated",
  "host-refused": "siteUnknown",
  "view-error": "startError",
  blocked: "incomplete",
  "resource-failed": "noAnswer",
  "server-lost": "noAnswer",
  "document-timeout": "notStarted",
  "initialized-timeout": "notStarted",
  "resource-refused": "notAllowed",
  "egress-partial": "browser",
  killed: "misbehaved",
  malformed: "misbehaved",
  "focus-theft": "focus",
  stopped: "stopped",
  gone: "closed",
};

/** What a failure means to a user. */
export function failureKindOf(code: DiagnosticCode | undefined): FailureKind {
  return (code && KINDS[code]) ?? "notLoaded";
}

/** The button that helps; none where trying again changes nothing. */
export const ACTIONS: Record<FailureKind, "retry" | "restart" | undefined> = {
  noApp: undefined,
  notLoaded: "retry",
  noAnswer: "retry",
  notStarted: "retry",
  startError: "retry",
  // Whatever the user does, until somebody changes the set-up.
  incomplete: undefined,
  pageBlocks: undefined,
  pageIsolated: undefined,
  siteUnknown: undefined,
  broken: undefined,
  notAllowed: undefined,
  browser: undefined,
  misbehaved: "restart",
  focus: "restart",
  stopped: "restart",
  closed: "restart",
};
