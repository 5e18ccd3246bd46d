import type { McpUiDisplayMode } from "@vitrine/protocol/apps";

/** Moves one element between its place in the page and the top layer. */
export interface ModeSwitch {
  readonly mode: McpUiDisplayMode;
  /** Whether the mode is in force now. */
  set(mode: McpUiDisplayMode): boolean;
  close(): void;
}

/** What a switch works with. */
export interface ModeSwitchOptions {
  /** The user pressed Escape in full screen. */
  onEscape(): void;
  /** The mode has changed, and the focus has not yet. */
  onChange(): void;
  /** Gets the focus where the View has not got it. */
  exit: HTMLElement;
}

/**
 * Shows an element in the page, over all of it, or in a corner. The element stays where it is in the
 * tree, because a frame that is moved loads anew; as a popover it is drawn above everything else.
 */
export function createModeSwitch(card: HTMLElement, options: ModeSwitchOptions): ModeSwitch {
  const root = card.getRootNode() as ShadowRoot;
  let mode: McpUiDisplayMode = "inline";
  let origin: HTMLElement | null = null;

  const onKey = (event: KeyboardEvent): void => {
    if (event.key !== "Escape" || event.defaultPrevented || mode !== "fullscreen") return;
    // The key is used up: a dialog or another View under this one does not want it.
    event.preventDefault();
    options.onEscape();
  };
  document.addEventListener("keydown", onKey);
  card.dataset.mode = mode;

  const move = (next: McpUiDisplayMode): void => {
    if (mode === "inline") {
      card.popover = "manual";
      card.showPopover();
    } else if (next === "inline") {
      card.hidePopover();
      card.popover = null;
    }
    mode = next;
    card.dataset.mode = mode;
    options.onChange();
  };

  /** What gets the focus in a new mode, given what of ours had it. */
  const findFocus = (focused: HTMLElement | null): HTMLElement | null => {
    // A View that has the focus keeps it: taken from it, it could not be given back to the same place.
    if (focused?.localName === "iframe") return null;
    if (mode === "inline") return focused && origin;
    // From a corner the user may look on while they write elsewhere.
    return focused || mode === "fullscreen" ? options.exit : null;
  };

  return {
    get mode() {
      return mode;
    },
    set: (next) => {
      if (next === mode) return true;
      if (!card.isConnected || (next !== "inline" && isAsking())) return false;
      const focused = root.activeElement as HTMLElement | null;
      if (mode === "inline") origin = focused ?? activeElement();
      move(next);
      findFocus(focused)?.focus({ preventScroll: true });
      return true;
    },
    close: () => document.removeEventListener("keydown", onKey),
  };
}

/** Whether the user is asked something: what lies above lets clicks fall through to it (G137). */
function isAsking(): boolean {
  return document.querySelector("[data-vitrine-consent]") !== null;
}

/** What has the focus, inside open shadow roots as well. */
export function activeElement(): HTMLElement | null {
  let active = document.activeElement;
  while (active?.shadowRoot?.activeElement) active = active.shadowRoot.activeElement;
  return active as HTMLElement | null;
}
