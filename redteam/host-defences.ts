import { defence, edit } from "./host-defence.ts";
import { QUESTION_DEFENCES } from "./question-defences.ts";
import { VIEW_DEFENCES } from "./view-defences.ts";

const POLICY = "host/src/gate/method-policy.ts";
const GESTURES = "host/src/gate/gestures.ts";

export const HOST_DEFENCES = [
  defence(
    "policy-gate",
    [
      edit(
        "host/src/gate/request-gate.ts",
        "return decide(checked.value, request);",
        'return (await import("./forwarding.ts")).forward(guarded, checked.value as never, request);',
      ),
    ],
    ["host-tools", "host-tool-consent", "host-messages"],
  ),
  defence(
    "tool-visibility",
    [
      edit(
        "host/src/gate/callable-tools.ts",
        "decideToolCall({ name, tool, server, viewServer: view.server });",
        "{ allow: true } as ReturnType<typeof decideToolCall>;",
      ),
    ],
    ["host-tools"],
  ),
  defence(
    "gesture",
    [edit(GESTURES, "if (!needing.includes(what) || userActive || isUnknown) return;", "return;")],
    ["host-link-gesture", "host-messages", "host-download-limits", "host-fullscreen"],
  ),
  defence(
    "spent-gesture",
    [edit(GESTURES, "if (userActive && isNeeded && isRecent(spent.get(what)))", "if (!what)")],
    ["host-fullscreen-return"],
  ),
  defence(
    "extended-gesture",
    [edit(GESTURES, "if (found) found.isSpent = true;", "")],
    ["host-message-after-call"],
  ),
  defence(
    "flood-guard",
    [edit("host/src/frame/flood-guard.ts", "if (frame && sent === FLOOD)", "if (!total)")],
    ["host-direct-flood"],
  ),
  defence(
    "consent",
    [edit(POLICY, "if (isAllowed) return;", "return;")],
    ["host-tool-consent", "host-sampling", "host-download-limits"],
  ),
  defence(
    "pace",
    [edit(POLICY, "if (rate?.() === false)", "if (rate === null)")],
    // Links are also bounded by the limit on questions, so that check doesn't notice.
    ["host-sampling", "host-model-context"],
  ),
  defence(
    "link-policy",
    // The opener decides once more by the same function, so that is where it has to go.
    [
      edit("protocol/src/apps/links.ts", "if (unreadable) return unreadable;"),
      edit("protocol/src/apps/links.ts", "return refusal ?? {", "return {"),
    ],
    ["host-link-schemes", "host-link-hosts"],
  ),
  {
    ...defence(
      "link-own-names",
      [edit("protocol/src/apps/links.ts", "parse(own)?.host === name", "own === url.origin")],
      ["host-link-hosts"],
    ),
    // Where the host's own name is not private anyway.
    stage: "tier-1" as const,
  },
  defence(
    "download-names",
    [
      edit(
        "protocol/src/apps/download-name.ts",
        'if (clean === "") return "download";',
        "return name;",
      ),
    ],
    ["host-download-names"],
  ),
  defence(
    "download-source",
    [
      edit(
        "host/src/frame/page-actions.ts",
        "(await readResource(uri))?.contents",
        "[{ uri, text: await (await fetch(uri)).text() }]",
      ),
    ],
    ["host-download-source"],
  ),
  defence(
    "size-clamp",
    [
      edit(
        "host/src/frame/frame-size.ts",
        "Object.assign(newest, clampSize(Object(size), box));",
        "Object.assign(newest, size, box && {});",
      ),
      edit(
        "host/src/frame/frame-size.ts",
        "size = Math.min(asked + extra, max);",
        "size = asked + extra;",
      ),
    ],
    ["host-size-bombs"],
  ),
  defence(
    "arming",
    [
      edit(
        "host/src/consent/consent-dialog-question.ts",
        "    time,\n    reading",
        "    time: time * 0,\n    reading",
      ),
    ],
    ["host-consent-arming", "host-question-interleavings", "host-question-inline"],
  ),
  defence(
    "question-on-top",
    [
      edit("host/src/surface/display-mode.ts", ' || (next !== "inline" && isAsking())'),
      edit(
        "host/src/consent/consent-dialog-arming.ts",
        'event.newState === "open" && raise()',
        "event",
      ),
      edit(
        "host/src/consent/consent-dialog-arming.ts",
        "if (before && !inSight) raise();",
        "if (!before) raise;",
      ),
    ],
    ["host-consent-on-top"],
  ),
  defence(
    "question-focus",
    [
      edit(
        "host/src/consent/consent-dialog-arming.ts",
        "document.activeElement === host || panel.focus()",
        "0",
      ),
    ],
    ["host-consent-keys"],
  ),
  defence(
    "focus-guard",
    [edit("host/src/frame/focus-guard.ts", "if (seat) void judge(seat);")],
    ["host-keystrokes", "host-keystrokes-loop"],
  ),
  defence(
    "focus-thief-stop",
    [
      edit(
        "host/src/frame/focus-guard.ts",
        "if (before < MOST_WEIGHT && seat.weight >= MOST_WEIGHT) seat.onThefts();",
        "if (before < 0) seat.onThefts();",
      ),
    ],
    ["host-keystrokes-loop"],
  ),
  defence(
    "text-nodes",
    [
      edit(
        "host/src/surface/bar.ts",
        'const claim = makeElement("i", { textContent: title,',
        'const claim = makeElement("i", { innerHTML: title,',
      ),
    ],
    ["host-names"],
  ),
  defence(
    "plain-text",
    [
      edit(
        "host/src/model/model-text.ts",
        'return plain.test(value) ? value : value.replace(hidden, "");',
        "return plain && hidden && value;",
      ),
    ],
    ["host-message-disguise", "host-session", "host-model-hidden"],
  ),
  defence(
    "model-text",
    [edit(POLICY, "return FOR_MODEL.has(method) ? forModel(given) : given;", "return given;")],
    ["host-message-disguise", "host-model-hidden"],
  ),
  defence(
    "context-names",
    [
      edit(
        "host/src/model/model-context.ts",
        "...(appInfo && { appInfo: appInfoForModel(appInfo) }),",
        "...(appInfo && { appInfo }),",
      ),
    ],
    ["host-model-hidden"],
  ),
  defence(
    "sampling-context",
    [
      edit(
        POLICY,
        'includeContext === "allServers" ? "thisServer" : includeContext',
        "includeContext",
      ),
    ],
    ["host-model-hidden"],
  ),
  defence(
    "app-tool-text",
    [
      edit(
        "host/src/view-tools/app-tool.ts",
        "annotations } = forModel(tool);",
        "annotations } = tool;",
      ),
    ],
    ["host-model-hidden"],
  ),
  defence(
    "app-tool-size",
    [
      edit("host/src/view-tools/app-tools.ts", "if (size > TOTAL) break;", ""),
      edit(
        "host/src/view-tools/app-tool.ts",
        "JSON.stringify(schema).length > SCHEMA)",
        "schema === undefined)",
      ),
    ],
    ["host-app-tool-size"],
  ),
  defence(
    "context-cap",
    [
      edit("host/src/model/model-context.ts", "if (!dropped) {", "if (size > 1e9) {"),
      edit(
        "host/src/model/model-context.ts",
        "for (const other of dropped) places",
        "for (const other of dropped ?? []) places",
      ),
    ],
    ["host-model-context"],
  ),
  defence(
    "declared-modes",
    [
      edit(POLICY, "if (declared && !declared.includes(mode)) {", "if (declared && !mode) {"),
      edit(
        "host/src/bridge/bridge.ts",
        "return declared?.includes(mode) ?? true;",
        "return !declared || !!mode;",
      ),
    ],
    ["host-fullscreen"],
  ),
  defence(
    "own-box",
    [
      edit(
        "host/src/surface/surface-style.ts",
        "main{flex:none;",
        "main{position:fixed;inset:0;z-index:9;",
      ),
    ],
    ["host-imitation", "host-overlay"],
  ),
  defence(
    "live-cap",
    [
      edit(
        "host/src/live-views.ts",
        "order.slice(0, Math.max(live.length - limit, 0))",
        "order.slice(0, limit && 0)",
      ),
    ],
    ["host-mount-storm"],
  ),
  defence(
    "teardown-pace",
    [
      edit(
        "host/src/gate/notification-gate.ts",
        "if (mayAskToLeave()) guarded",
        "if (mayAskToLeave) guarded",
      ),
    ],
    ["host-teardown-requests"],
  ),
  defence(
    "one-introduction",
    [
      edit(
        "host/src/bridge/bridge-session.ts",
        "if (this.app && JSON.stringify(this.app) !== JSON.stringify(params)) {",
        "if (!params) {",
      ),
    ],
    ["host-session"],
  ),
  defence(
    "schema-budget",
    [
      edit(
        "host/src/view-tools/output-schema.ts",
        "if (spent > BUDGET) throw",
        "if (spent < 0) throw",
      ),
    ],
    ["host-tool-pauses"],
  ),
  defence(
    "app-tool-cap",
    [edit("host/src/view-tools/app-tools.ts", "return tools.slice(0, TOOLS);", "return tools;")],
    ["host-app-tools"],
  ),
  ...QUESTION_DEFENCES,
  ...VIEW_DEFENCES,
];
