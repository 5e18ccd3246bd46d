import type { Defence } from "./defences.ts";
import type { SourceEdit } from "./stage/weakening.ts";

const edit = (file: string, from: string, to = ""): SourceEdit => ({ file, from, to });

/** A defence of the host, taken away by changing its sources on their way into the page. */
function defence(
  name: string,
  host: readonly SourceEdit[],
  noticedBy: readonly string[],
): Defence & { weakening: { host: readonly SourceEdit[] } } {
  return { name: `host-${name}`, weakening: { host }, stage: "tier-2", noticedBy };
}

const POLICY = "host/src/gate/method-policy.ts";

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
    [edit(POLICY, "if (gestures === false || userActive || !isKnown) return;", "return;")],
    ["host-link-gesture", "host-messages", "host-download-limits", "host-fullscreen"],
  ),
  defence(
    "spent-gesture",
    [
      edit(
        POLICY,
        "if (request.userActive && guarded.options.gestures !== false && isRecent)",
        "if (!what)",
      ),
    ],
    ["host-fullscreen-return"],
  ),
  defence(
    "flood-guard",
    [edit("host/src/frame/flood-guard.ts", "if (frame && sent === FLOOD)", "if (!total)")],
    ["host-direct-flood"],
  ),
  defence(
    "consent",
    [
      edit(
        POLICY,
        "if (answer === true || (answer as { allow?: unknown } | null)?.allow === true) return;",
        "return;",
      ),
    ],
    ["host-tool-consent", "host-sampling", "host-download-limits"],
  ),
  defence(
    "pace",
    [edit(POLICY, "if (rates.get(method)?.() === false)", "if (rates.get(method) === null)")],
    ["host-link-gesture", "host-sampling", "host-model-context"],
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
    [edit("host/src/consent/consent-dialog.ts", "time: armTime,", "time: 0,")],
    ["host-consent-arming"],
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
        "host/src/surface/surface.ts",
        'make("i", { textContent: title,',
        'make("i", { innerHTML: title,',
      ),
    ],
    ["host-names"],
  ),
  defence(
    "plain-text",
    [
      edit(
        "host/src/gate/plain-text.ts",
        'return value.replace(hidden, "");',
        "return hidden && value;",
      ),
    ],
    ["host-message-disguise", "host-session"],
  ),
  defence(
    "context-end",
    [edit("host/src/hosted-view.ts", "this.#shared.host.modelContext.delete(this.key);")],
    ["host-model-context"],
  ),
  defence(
    "context-last-words",
    [edit("host/src/hosted-view.ts", "if (!this.isClosed) host.modelContext", "host.modelContext")],
    ["host-model-context"],
  ),
  defence(
    "context-cap",
    [
      edit(
        "host/src/model/model-context.ts",
        "if (size > perView || others + size > total) {",
        "if (others > 1e9) {",
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
    "farewell-pace",
    [
      edit(
        "host/src/gate/notification-gate.ts",
        "if (mayAskToLeave()) guarded",
        "if (mayAskToLeave) guarded",
      ),
    ],
    ["host-farewells"],
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
    "app-tool-cap",
    [edit("host/src/view-tools/app-tools.ts", "return tools.slice(0, TOOLS);", "return tools;")],
    ["host-app-tools"],
  ),
];
