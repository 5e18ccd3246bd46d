import type { Defence } from "./defences.ts";
import type { SourceEdit } from "./stage/source-edits.ts";

const CONSENT = "host/src/consent";
const POLICY = "host/src/gate/method-policy.ts";

function defence(
  name: string,
  edits: readonly SourceEdit[],
  noticedBy: readonly string[],
): Defence & { weakening: { host: readonly SourceEdit[] } } {
  return { name: `host-question-${name}`, weakening: { host: edits }, stage: "tier-2", noticedBy };
}

/** Defences of the host's question: what it shows, when it takes an answer, how often it comes. */
export const QUESTION_DEFENCES = [
  defence(
    "withdrawal",
    [
      {
        file: `${CONSENT}/consent-dialog.ts`,
        from: "=> withdraw(question);",
        to: "=> (withdraw, settle(question, { allow: false }));",
      },
    ],
    ["host-question-swap"],
  ),
  defence(
    "limit",
    [
      {
        file: `${CONSENT}/consent-memory.ts`,
        from: "if (reason !== undefined) return { allow: false, reason };",
        to: "void reason;",
      },
    ],
    ["host-question-nagging"],
  ),
  defence(
    "stop",
    [
      {
        file: "host/src/view-session.ts",
        from: 'onStop: () => events.stopped("stopped"),',
        to: "onStop: () => {},",
      },
    ],
    ["host-question-nagging"],
  ),
  defence(
    "fields",
    [
      { file: POLICY, from: "params.content.map(shownBlock)", to: "params.content" },
      {
        file: "host/src/gate/server-params.ts",
        from: '["name", "arguments"]',
        to: '["name", "arguments", "task"]',
      },
    ],
    ["host-question-omits"],
  ),
  defence(
    "bound",
    [{ file: `${CONSENT}/consent-dialog.ts`, from: "if (cut > 0) {", to: "if (cut < 0) {" }],
    ["host-question-omits"],
  ),
  defence(
    "reading",
    [
      {
        file: `${CONSENT}/consent-dialog-arming.ts`,
        from: "isInSight() && reading.isComplete;",
        to: "isInSight();",
      },
    ],
    ["host-question-fold"],
  ),
  defence(
    "definition",
    [
      {
        file: `${CONSENT}/subject-key.ts`,
        from: '"tool" in request ? canonicalJson(request.tool) : undefined',
        to: '"tool" in request ? canonicalJson(request.tool.name) : undefined',
      },
    ],
    ["host-remembered-answers"],
  ),
  defence(
    "owner",
    [
      {
        file: `${CONSENT}/subject-key.ts`,
        from: "[conversation, owner?.tenant ?? null, owner?.user ?? null]",
        to: "[conversation, owner && null]",
      },
    ],
    ["host-remembered-answers"],
  ),
  defence(
    "trusted-scheme",
    [{ file: `${CONSENT}/trusted-hosts.ts`, from: "entry.protocol === protocol &&", to: "" }],
    ["host-trusted-hosts"],
  ),
  defence(
    "hidden-views",
    [
      {
        file: "host/src/surface/surface-style.ts",
        from: "display:var(--vitrine-view-display,block)",
        to: "display:block",
      },
    ],
    ["host-pickers", "host-question-inline"],
  ),
  defence(
    "inline-views",
    [
      {
        file: `${CONSENT}/consent-dialog-inline.ts`,
        from: '"--vitrine-view-display", "none"',
        to: '"--vitrine-view-display", "block"',
      },
    ],
    ["host-question-inline"],
  ),
];
