// A view's area in the page, with the parts that the host draws around it and that no view can cover:
// its name, its border, the button to leave. It is one element for the view's whole life, outside the
// framework's tree, because a frame that is removed from the page loads again.

import type { McpUiDisplayMode, McpUiStyles } from "@vitrine/protocol/apps";
import type { Diagnostic } from "../diagnostic.ts";
import { ENGLISH_BAR } from "../messages/english-bar.ts";
import type { MessageOverrides } from "../messages/messages.ts";
import type { DescribeServer } from "../plain-name.ts";
import { createBar, loadDecoration } from "./bar.ts";
import { createModeSwitch } from "./display-mode.ts";
import { makeElement, sheetOf } from "./elements.ts";
import { createFloatingPlace, type FloatingPlace } from "./floating-place.ts";
import { canMove, holdingArea, move } from "./frame-moves.ts";
import { forgetPositions, measureCards, shiftLayout, trackCard } from "./layout-shield.ts";
import type { Placement } from "./placement.ts";
import type { SurfaceRegions } from "./regions.ts";
import { SURFACE_CSS } from "./surface-style.ts";

/** How a surface is created. */
export interface SurfaceOptions {
  /** The tool's own name. */
  title: string;
  /** The host's name for the server. */
  server: string;
  /** The display modes that are offered. */
  modes: readonly McpUiDisplayMode[];
  /** The resource's preference (HST-37); bordered by default. */
  border?: boolean | undefined;
  messages?: MessageOverrides | undefined;
  describeServer?: DescribeServer | undefined;
  regions?: SurfaceRegions | undefined;
  /** Explains failures to developers. */
  developer?: boolean | undefined;
  /** `false` draws only the view. */
  decorations?: boolean | undefined;
}

/** Why text is shown instead of the view, as far as it is known. */
export interface Failure {
  diagnostic?: Diagnostic | undefined;
  /** The view's model context has been removed. */
  isContextRemoved?: boolean | undefined;
}

/** A view's area in the page. */
export interface Surface {
  readonly element: HTMLElement;
  /** The frame's parent. */
  readonly body: HTMLElement;
  readonly mode: McpUiDisplayMode;
  /**
   * Changes the display mode without reloading the document. Returns whether the mode is in force
   * now.
   */
  setMode(mode: McpUiDisplayMode): boolean;
  /** Shares the place of floating views with the other surfaces of a conversation. */
  setFloatingPlace(place: FloatingPlace): void;
  /** Changes the modes that have buttons and that `setMode` accepts. */
  setModes(modes: readonly McpUiDisplayMode[]): void;
  /** The user chose another mode, with a button or Escape. */
  onModeRequest(listener: (mode: McpUiDisplayMode) => void): () => void;
  /** Size in pixels while the view is inline. */
  setSize(size: { width?: number; height?: number }): void;
  /** The height that the view had before the page was loaded, as a part of mounting it. */
  restoreHeight(height: number): void;
  setBorder(border: boolean | undefined): void;
  /** Shows the view, which is hidden until then. */
  reveal(): void;
  /** Hides the view again. */
  conceal(): void;
  /** Uses the colours that views get, unless the page sets others. */
  setPalette(variables: McpUiStyles | undefined): void;
  /** The page shows something of its own in the place of a view that isn't shown. */
  setReplaced(isReplaced: boolean): void;
  /** Shown next to the name, and announced to screen readers. */
  setStatus(text: string): void;
  /** Shows whether the view responds. */
  setResponding(isResponding: boolean): void;
  /** Shows text instead of the view; `reveal` shows the view again. */
  showFallback(text: string, failure?: Failure, onRetry?: () => void): void;
  /** Moves the surface into an element. Returns whether the document survives or will load again. */
  attach(container: HTMLElement): "moved" | "new";
  /** Keeps the surface out of sight. Returns whether the document survives. */
  detach(): boolean;
  /** Swallows presses on its area for a moment, because the page is about to remove it. */
  shield(change?: () => void): void;
  /** Idempotent. */
  close(): void;
}

/** What takes less time needs no sign that it is under way. */
const SHORT = 400;
const PARTS =
  "bar,icon,name,title,status,button,placeholder,view,card,details,skeleton,inline,question,allow,deny";

/** The surface that is shown in each mode; another one sends it back to its place in the page. */
const shownIn = new Map<McpUiDisplayMode, () => void>();

/** Creates a view's area. It isn't in the page yet. */
export function createSurface(options: SurfaceOptions): Surface {
  const { border, messages = {}, developer, decorations = true } = options;
  const labels = { ...ENGLISH_BAR, ...messages.bar };
  const listeners = new Set<(mode: McpUiDisplayMode) => void>();
  let modes = options.modes;

  const request = (mode: McpUiDisplayMode): void => {
    for (const listener of listeners) listener(mode);
  };
  const bar = createBar({ ...options, labels, onModeRequest: request });
  const { header } = bar;
  header.hidden = !decorations;
  const body = makeElement("main", { role: "presentation" }, [], "view");
  const words = makeElement("article", { ariaLive: "polite" }, [], "card");
  const { language: lang = "", direction: dir = "" } = messages;
  const about = { ariaLabel: bar.name, lang, dir };
  const card = makeElement("section", about, [header, body, words]);
  const element = makeElement("div", { className: "vitrine-surface" }, []);
  // A page can style them through the element that shows the view, too.
  element.setAttribute("exportparts", PARTS);
  const root = element.attachShadow({ mode: "closed" });
  root.adoptedStyleSheets = [sheetOf(SURFACE_CSS)];
  root.append(card);
  const untrack = trackCard(card);
  const modeSwitch = createModeSwitch(card, {
    exit: bar.exit,
    onEscape: () => request("inline"),
    onChange: () => draw(),
  });

  const comeBack = (): void => request("inline");
  let floating = createFloatingPlace();
  let placement: Placement | undefined;
  /** Loads the code that places a view, so that it is there when the mode changes. */
  const load = async (): Promise<void> => {
    const { createPlacement } = await import("./placement.ts");
    const { regions = {} } = options;
    const parts = {
      regions,
      floating,
      header,
      messages: messages.bar,
      onDismiss: comeBack,
      onMove: measureCards,
    };
    placement ??= createPlacement(card, parts);
    placement.follow(modeSwitch.mode);
  };
  const takeMode = (mode: McpUiDisplayMode): void => {
    for (const [other, leave] of shownIn) if (leave === comeBack) shownIn.delete(other);
    const before = shownIn.get(mode);
    if (mode !== "inline") shownIn.set(mode, comeBack);
    before?.();
    if (mode !== "inline" && !placement) void load().catch(() => {});
    placement?.follow(mode);
  };

  let loadingTimer: ReturnType<typeof setTimeout> | undefined;
  let removeSkeleton: (() => void) | undefined;
  const startLoading = (): void => {
    stopLoading();
    if (!decorations) return;
    loadingTimer = setTimeout(() => {
      bar.setStatus(labels.loading);
      const timer = loadingTimer;
      void loadDecoration(({ drawSkeleton }) => {
        if (timer === loadingTimer) removeSkeleton = drawSkeleton(card);
      });
    }, SHORT);
  };
  const stopLoading = (): void => {
    clearTimeout(loadingTimer);
    loadingTimer = undefined;
    removeSkeleton?.();
    removeSkeleton = undefined;
    bar.setStatus("");
  };

  /** The failure in the place of the view. */
  let failure: Failure | undefined;
  let isReplaced = !decorations;
  let palette: McpUiStyles | undefined;
  const draw = (): void => {
    const isShown = !body.hidden && !body.inert;
    bar.offer(
      (mode) =>
        mode !== modeSwitch.mode && (mode === "inline" || (isShown && modes.includes(mode))),
    );
  };
  const show = (failed: Failure | undefined): void => {
    failure = failed;
    body.hidden = failed !== undefined;
    words.hidden = failed === undefined;
    card.hidden = isReplaced && failed !== undefined;
    if (card.hidden && modeSwitch.mode !== "inline") {
      modeSwitch.set("inline");
      takeMode("inline");
    }
    draw();
  };
  const resize = ({ width, height }: { width?: number; height?: number }): void => {
    if (width !== undefined) card.style.setProperty("--w", `${width}px`);
    if (height !== undefined) card.style.setProperty("--h", `${height}px`);
  };
  const surface: Surface = {
    element,
    body,
    get mode() {
      return modeSwitch.mode;
    },
    setMode: (mode) => {
      if (mode !== "inline" && !modes.includes(mode)) return false;
      const change = (): boolean => {
        const isSet = modeSwitch.set(mode);
        if (isSet) takeMode(mode);
        return isSet;
      };
      // Over the whole window, only the view and its bar can be pressed, and nothing may lie over the bar.
      return mode === "fullscreen" && !options.regions ? change() : shiftLayout(change);
    },
    setFloatingPlace: (place) => {
      floating = place;
    },
    setModes: (next) => {
      modes = next;
      draw();
    },
    onModeRequest: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    setSize: (size) => shiftLayout(() => resize(size)),
    restoreHeight: (height) => {
      resize({ height });
      forgetPositions();
    },
    setBorder: (next) => void card.classList.toggle("framed", next !== false),
    reveal: () => {
      if (modes.some((mode) => mode !== "inline")) void load().catch(() => {});
      stopLoading();
      body.inert = false;
      show(undefined);
    },
    conceal: () => {
      body.inert = true;
      show(undefined);
      startLoading();
    },
    setPalette: (next) => {
      if (!next || next === palette) return;
      palette = next;
      void loadDecoration(({ setPalette }) => setPalette(element, next));
    },
    setReplaced: (next) => {
      if (next === isReplaced || !decorations) return;
      isReplaced = next;
      if (failure) shiftLayout(() => show(failure), card);
    },
    setStatus: bar.setStatus,
    setResponding: (isResponding) => bar.setStatus(isResponding ? "" : labels.unresponsive),
    showFallback: (text, failed = {}, onRetry) => {
      stopLoading();
      shiftLayout(() => show(failed), card);
      // Shows plain text at once, because the better display may fail to load as the view did.
      words.textContent = text;
      import("./fallback.ts").then(
        ({ drawFallback }) => {
          const content = { ...failed, text, onRetry, developer, messages: messages.card };
          if (failure === failed) shiftLayout(() => drawFallback(words, content));
        },
        () => {
          if (failure === failed) words.textContent = `${labels.failed}\n\n${text}`;
        },
      );
    },
    attach: (container) => {
      element.style.inlineSize = "";
      if (element.parentNode === container) return "moved";
      return place(container) ? "moved" : "new";
    },
    detach: () => {
      if (!canMove() || (element.parentNode && !element.isConnected)) return false;
      modeSwitch.set("inline");
      takeMode("inline");
      // Keeps the width, so that the view doesn't notice.
      element.style.inlineSize = `${element.offsetWidth || 640}px`;
      place(holdingArea());
      return true;
    },
    shield: (change = () => {}) => shiftLayout(change, card),
    close: () => {
      stopLoading();
      modeSwitch.close();
      takeMode("inline");
      listeners.clear();
      shiftLayout(() => element.remove(), card);
      untrack();
    },
  };

  const place = (container: Element): boolean => {
    const isAlive = element.isConnected && container.isConnected && canMove();
    if (isAlive) move(element, container);
    else container.append(element);
    return isAlive;
  };

  surface.setBorder(border);
  surface.conceal();
  return surface;
}
