// What a product needs to draw a view's bar, card and skeleton itself, with `decorations: false`.

import type { McpUiDisplayMode } from "@vitrine/protocol/apps";
import type { Conversation } from "./conversation/conversation.ts";
import type { Diagnostic, Stage } from "./diagnostic.ts";
import type { Host } from "./host.ts";
import type { HostedView } from "./hosted-view.ts";

/** The state of a view. */
export interface ViewState {
  /** The view, to change its display mode or to reload it; none if the page doesn't show it. */
  readonly view: HostedView | undefined;
  /** How far it has come; it is visible at `"initialized"` and `"shown"`. */
  readonly stage: Stage | undefined;
  readonly displayMode: McpUiDisplayMode;
  /** Why the view can't be shown, or was stopped. */
  readonly failure: Diagnostic | undefined;
}

/** The state before a view is shown. */
export const NO_VIEW: ViewState = {
  view: undefined,
  stage: undefined,
  displayMode: "inline",
  failure: undefined,
};

/** Calls `update` with a view's state, now and after each change. Returns a function that stops it. */
export function followView(
  { host, conversation, key }: { host: Host; conversation?: Conversation | undefined; key: string },
  update: (state: ViewState) => void,
): () => void {
  let failure: Diagnostic | undefined;
  const read = (): void => {
    const view = (conversation ?? host).views.get(key);
    const { stage, displayMode = "inline" } = view ?? {};
    update({ view, stage, displayMode, failure });
  };
  const isOurs = (source: { view?: string | undefined; conversation?: string | undefined }) =>
    source.view === key && source.conversation === conversation?.id;
  const stops = [
    host.onDiagnostic((diagnostic) => {
      if (!isOurs(diagnostic) || diagnostic.level !== "error") return;
      failure = diagnostic;
      read();
    }),
    host.onEvent((event) => {
      if (!isOurs(event) || (event.type !== "stage" && event.type !== "display-mode")) return;
      // The view is being loaded again.
      if (event.type === "stage") failure = undefined;
      read();
    }),
  ];
  read();
  return () => {
    for (const stop of stops) stop();
  };
}
