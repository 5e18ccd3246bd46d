import { make } from "./consent-dialog-content.ts";
import type { DialogWords } from "./consent-dialog-words.ts";

/** A panel of the host that is shown. */
export interface ShownPanel {
  /** The element whose closed shadow root contains the panel. */
  host: HTMLElement;
  /** Absent if the panel is part of the page. */
  dialog?: HTMLDialogElement | undefined;
  /** Restores the focus. */
  close(): void;
}

/** How a panel is shown. */
export interface PanelOptions {
  describedBy: string;
  words: Pick<DialogWords, "language" | "direction">;
  style: CSSStyleSheet;
  /** The user closed it by Escape or otherwise. */
  onCancel(): void;
}

/** Shows a panel: as a modal dialog, or in the page. */
export type OpenPanel = (panel: HTMLElement, options: PanelOptions) => ShownPanel;

/**
 * Opens a modal dialog in a closed shadow root. Closing it by Escape or otherwise calls `onCancel`.
 */
export function openModal(
  panel: HTMLElement,
  { style, words, describedBy, onCancel }: PanelOptions,
): ShownPanel {
  const names = { "aria-labelledby": "question", "aria-describedby": describedBy };
  const dialog = make("dialog", { role: "alertdialog", part: "dialog", ...names }, panel);
  dialog.lang = words.language ?? "";
  dialog.dir = words.direction ?? "";
  // The attribute tells the rest of the host not to let a view go full screen above a question.
  const host = make("div", { "data-vitrine-consent": "" });
  const root = host.attachShadow({ mode: "closed" });
  root.adoptedStyleSheets = [style];
  root.append(dialog);
  document.body.append(host);
  dialog.showModal();
  hideViews();
  // Keys are handled in this dialog only: Escape must not end a view's full screen, or be consumed by
  // it.
  dialog.onkeydown = (event) => event.stopPropagation();
  dialog.oncancel = (event) => {
    event.preventDefault();
    onCancel();
  };
  // Browsers close on a second Escape without asking. Raising the dialog closes it too, but reopens
  // it.
  dialog.onclose = () => dialog.open || onCancel();
  return {
    host,
    dialog,
    close: () => {
      dialog.onclose = null;
      // Before the dialog restores the focus, perhaps to one of them.
      showViews(host);
      dialog.close();
      host.remove();
    },
  };
}

const VIEW_DISPLAY = "--vitrine-view-display";

/**
 * Colour and date pickers that a view has opened are above everything, including questions (S39), and
 * only close when the view isn't drawn. A custom property reaches views in any shadow root.
 */
function hideViews(): void {
  document.documentElement.style.setProperty(VIEW_DISPLAY, "none");
}

/** Shows them again, unless another question is open. */
function showViews(closing: HTMLElement): void {
  const open = [...document.querySelectorAll("[data-vitrine-consent]")];
  if (open.some((one) => one !== closing)) return;
  document.documentElement.style.removeProperty(VIEW_DISPLAY);
}
