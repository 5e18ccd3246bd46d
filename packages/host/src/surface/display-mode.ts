import type { McpUiDisplayMode } from "@vitrine/protocol/apps";
import { activeElement } from "./elements.ts";

/** Switches one element between the page and the top layer. */
export interface ModeSwitch {
  readonly mode: McpUiDisplayMode;
  /** Whether the mode is in force now. */
  set(mode: McpUiDisplayMode): boolean;
  close(): void;
}

/** The parts of a switch. */
export interface ModeSwitchOptions {
  /** The user pressed Escape in full screen. */
  onEscape(): void;
  /** The mode has changed, and the focus has not yet. */
  onChange(): void;
  /** Gets the focus if the view doesn't have it. */
  exit: HTMLElement;
}

/**
 * Shows an element in the page, over all of it, or in a corner. The element stays at its position in
 * the tree, because a frame that is moved loads again; as a popover it is drawn above everything
 * else.
 */
export function createModeSwitch(card: HTMLElement, options: ModeSwitchOptions): ModeSwitch {
  const root = card.getRootNode() as ShadowRoot;
  let mode: McpUiDisplayMode = "inline";
  let origin: HTMLElement | null = null;

  const onKey = (event: KeyboardEvent): void => {
    if (event.key !== "Escape" || event.defaultPrevented || mode !== "fullscreen") return;
    // The key is consumed: a dialog or another view below must not react to it.
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

  /** The element to focus in a new mode, given the one that had the focus. */
  const findFocus = (focused: HTMLElement | null): HTMLElement | null => {
    // A view that has the focus keeps it: once taken away, its position inside is lost.
    if (focused?.localName === "iframe") return null;
    if (mode === "inline") return focused && origin;
    // The user may watch a view in the corner while typing elsewhere.
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

/** Whether a question is open: elements above it would let clicks pass through to it (G137). */
function isAsking(): boolean {
  return document.querySelector("[data-vitrine-consent]") !== null;
}
