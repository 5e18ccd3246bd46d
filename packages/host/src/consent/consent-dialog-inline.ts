// A question in the area of the view that asks, in the place of its frame: the user can go on in the
// rest of the page. It accepts an answer under the same conditions as the modal dialog.

import { addStyle, sheetOf } from "../surface/elements.ts";
import { createConsentDialog, type DialogConsent } from "./consent-dialog.ts";
import { make } from "./consent-dialog-content.ts";
import type { OpenPanel } from "./consent-dialog-modal.ts";
import { PLACES, type QuestionPlace } from "./question-place.ts";

// Of the view's area. It keeps the height of the view, and grows if the question needs more.
const AREA_CSS = `
main[data-asking]{display:grid;block-size:auto;min-block-size:var(--h,150px)}
:popover-open>main[data-asking]{min-block-size:0;overflow:auto}
`;

// `!important`, because the dialog's style resets everything.
const CSS = `
:host { display: block !important; position: sticky !important; inset-block-start: 0 !important; grid-area: 1 / 1 !important; align-self: start !important; min-inline-size: 0 !important; }
.inline { display: flex; max-block-size: min(26rem, 80dvh); border-width: 0; border-block-end-width: 1px; border-radius: 0; }
.inline .content { padding: .875rem 1rem; }
.inline .actions { padding: .625rem 1rem; }
.inline h2 { margin-block-end: .5rem; font-size: 1rem; line-height: 1.4; }
.inline button { min-height: 2.25rem; }
label.remember { align-items: center; }
[role=status] { position: absolute; inline-size: 1px; block-size: 1px; overflow: hidden; clip-path: inset(50%); }
@media (pointer: coarse) { .inline button { min-height: 2.75rem; } }
`;

const dialogs = new WeakMap<QuestionPlace, DialogConsent>();

/** Asks in the area of a view; one question at a time. */
export function inlineDialog(place: QuestionPlace): DialogConsent {
  const dialog = dialogs.get(place) ?? createConsentDialog({ inline: panelIn(place) });
  dialogs.set(place, dialog);
  return dialog;
}

function panelIn({ frame, server, shield }: QuestionPlace): OpenPanel {
  return (panel, { style, words, describedBy, onCancel }) => {
    const area = frame.parentElement;
    const card = area?.parentElement;
    if (!area?.isConnected || !card) {
      throw new Error("The view has left the page, so there is no place to ask.");
    }
    const names = { "aria-labelledby": "question", "aria-describedby": describedBy };
    const group = make("div", { class: "inline", role: "group", part: "inline", ...names }, panel);
    group.lang = words.language ?? "";
    group.dir = words.direction ?? "";
    // It is part of the page, so it doesn't take the focus from what the user does there.
    for (const one of panel.querySelectorAll("[autofocus]")) one.removeAttribute("autofocus");
    const status = make("p", { role: "status" });
    const parts = "inline,question,button,allow,deny";
    const host = make("div", { "data-vitrine-question": "", exportparts: parts });
    const root = host.attachShadow({ mode: "closed" });
    root.adoptedStyleSheets = [style, sheetOf(CSS)];
    root.append(group, status);
    host.onkeydown = (event) => {
      // Escape answers the question; it doesn't end the view's full screen as well.
      event.stopPropagation();
      if (event.key === "Escape") onCancel();
    };
    addStyle(card, AREA_CSS);
    const focused = (): Element | null => (area.getRootNode() as ShadowRoot).activeElement;
    const hadFocus = focused() === frame;
    area.prepend(host);
    area.dataset.asking = "";
    open.set(host, server);
    hideViews();
    if (hadFocus) panel.focus({ preventScroll: true });
    // Screen readers announce a change, not text that is there from the beginning.
    const timer = setTimeout(() => {
      status.textContent = panel.querySelector("h2")?.textContent ?? "";
    }, 100);
    return {
      host,
      close: () => {
        clearTimeout(timer);
        const isFocused = focused() === host;
        // The second press of a double click was meant for the question.
        shield(() => {
          host.remove();
          open.delete(host);
          if (!area.querySelector("[data-vitrine-question]")) delete area.dataset.asking;
          hideViews();
        });
        if (hadFocus && isFocused) frame.focus({ preventScroll: true });
      },
    };
  };
}

/** The questions in the page, and the servers of the views that ask. */
const open = new Map<HTMLElement, string>();

/**
 * Hides the views of a server that asks. Pickers that a view has opened are above everything, including
 * its question, and close only when the view isn't drawn (S39).
 */
function hideViews(): void {
  // A question that left the page with its view closes a moment later.
  const asking = new Set([...open].flatMap(([host, server]) => (host.isConnected ? server : [])));
  for (const { frame, server } of PLACES) {
    const card = frame.parentElement?.parentElement;
    if (asking.has(server)) card?.style.setProperty("--vitrine-view-display", "none");
    else card?.style.removeProperty("--vitrine-view-display");
  }
}
