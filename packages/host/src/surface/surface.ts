// A View's place in the page, with what the Host draws around it and no View can draw over: whose it
// is, where it ends, how to leave. One element for the View's whole life, apart from the framework's
// tree, because a frame that is taken out of the page loads anew.

import type { McpUiDisplayMode } from "@vitrine/protocol/apps";
import { createModeSwitch } from "./display-mode.ts";
import type { FallbackDiagnostic, FallbackLabels } from "./fallback.ts";
import { surfaceSheet } from "./surface-style.ts";

/** Words that a surface shows or has read out. */
export interface SurfaceLabels extends FallbackLabels {
  loading: string;
  fullscreen: string;
  pip: string;
  inline: string;
}

/** How a surface is made. */
export interface SurfaceOptions {
  /** What the tool calls itself. */
  title: string;
  /** The Host's name for the Server. */
  server: string;
  /** Where the View may be shown. */
  modes: readonly McpUiDisplayMode[];
  /** As the resource prefers (HST-37); a border where it does not say. */
  border?: boolean | undefined;
  labels?: Partial<SurfaceLabels> | undefined;
}

/** A View's place in the page. */
export interface Surface {
  readonly element: HTMLElement;
  /** The frame's parent. */
  readonly body: HTMLElement;
  readonly mode: McpUiDisplayMode;
  /** Shows the View elsewhere; its document never reloads. Whether the mode is in force now. */
  setMode(mode: McpUiDisplayMode): boolean;
  /** Changes the modes that have buttons and that `setMode` takes. */
  setModes(modes: readonly McpUiDisplayMode[]): void;
  /** The user wants another mode, by button or Escape. */
  onModeRequest(listener: (mode: McpUiDisplayMode) => void): () => void;
  /** Pixels of the View where it stands in the page. */
  setSize(size: { width?: number; height?: number }): void;
  setBorder(border: boolean | undefined): void;
  /** Shows the View, which is hidden until then. */
  reveal(): void;
  /** Hides the View again. */
  conceal(): void;
  /** Shown beside the name and read out. */
  setStatus(text: string): void;
  /** Shows words in the View's place; `reveal` brings the View back. */
  showFallback(text: string, diagnostic?: FallbackDiagnostic, onRetry?: () => void): void;
  /** Puts the surface into an element; whether the document inside lives on, or will begin anew. */
  attach(container: HTMLElement): "moved" | "new";
  /** Keeps the surface out of sight; whether the document lives on. */
  park(): boolean;
  /** Idempotent. */
  close(): void;
}

const LABELS = {
  loading: "Loading…",
  fullscreen: "Full screen",
  pip: "Picture in picture",
  inline: "Back to the page",
};

const ICONS: Record<McpUiDisplayMode, string> = {
  fullscreen: "M2 6V2h4m4 0h4v4m0 4v4h-4m-4 0H2v-4",
  pip: "M2 3h12v10H2zm6 5h4v3H8z",
  inline: "M6 2v4H2m12 0h-4V2m0 12v-4h4M2 10h4v4",
};

/** Whether this browser can move a document through the page alive. */
export function canMove(): boolean {
  if (!("moveBefore" in Element.prototype)) return false;
  isKept ??= tryMove();
  return isKept;
}

let isKept: boolean | undefined;

/** Firefox has the method, but a frame inside a shadow root, like ours, loads anew all the same. */
function tryMove(): boolean {
  const frame = make("iframe", {}, []);
  const element = make("div", {}, []);
  element.attachShadow({ mode: "closed" }).append(frame);
  document.documentElement.append(element);
  const before = frame.contentWindow;
  move(element, parkingLot());
  const isSame = frame.contentWindow === before;
  element.remove();
  return isSame;
}

function move(element: Element, container: Element): void {
  (container as unknown as { moveBefore(node: Node, child: null): void }).moveBefore(element, null);
}

let lot: HTMLElement | undefined;

/** Where surfaces wait that have no place: laid out, because a View that is not would report so. */
function parkingLot(): HTMLElement {
  if (!lot?.isConnected) {
    lot = make("div", {}, []);
    lot.inert = true;
    lot.style.cssText =
      "position:fixed;inset:100vh auto auto 100vw;visibility:hidden;contain:strict";
    document.documentElement.append(lot);
  }
  return lot;
}

/** Makes a View's place; it is not in the page yet. */
export function createSurface(options: SurfaceOptions): Surface {
  const { title, server, border } = options;
  const labels = { ...LABELS, ...options.labels };
  const listeners = new Set<(mode: McpUiDisplayMode) => void>();
  let modes = options.modes;

  const request = (mode: McpUiDisplayMode): void => {
    for (const listener of listeners) listener(mode);
  };
  const buttons = (["pip", "fullscreen", "inline"] as const).map((mode) => {
    const button = make(
      "button",
      { type: "button", ariaLabel: labels[mode], title: labels[mode] },
      [icon(ICONS[mode])],
    );
    button.onclick = () => request(mode);
    return { mode, button };
  });
  const exit = buttons[2]?.button as HTMLElement;
  const status = make("span", { role: "status" }, []);
  const dir = "auto";
  const name = make("b", { textContent: server, title: server, dir }, []);
  const claim = make("i", { textContent: title, title, dir }, []);
  const header = make("header", {}, [name, claim, status, ...buttons.map(({ button }) => button)]);
  const body = make("main", { role: "presentation" }, []);
  const words = make("article", { ariaLive: "polite" }, []);
  const card = make("section", { ariaLabel: `${server}: ${title}` }, [header, body, words]);
  const element = make("div", {}, []);
  const root = element.attachShadow({ mode: "closed" });
  root.adoptedStyleSheets = [surfaceSheet()];
  // Holds its place in the page while the View is elsewhere, so that what stands below stays there.
  const away = make("div", { textContent: labels.pip, hidden: true }, []);
  root.append(card, away);
  const modeSwitch = createModeSwitch(card, {
    exit,
    onEscape: () => request("inline"),
    onChange: () => draw(),
  });

  const draw = (): void => {
    away.hidden = modeSwitch.mode === "inline";
    for (const { mode, button } of buttons) {
      const isOffered = mode === "inline" || (modes.includes(mode) && !body.hidden);
      button.hidden = mode === modeSwitch.mode || !isOffered;
    }
  };
  const show = (isView: boolean): void => {
    body.hidden = !isView;
    words.hidden = isView;
    draw();
  };
  const surface: Surface = {
    element,
    body,
    get mode() {
      return modeSwitch.mode;
    },
    setMode: (mode) => {
      if (mode !== "inline" && !modes.includes(mode)) return false;
      if (modeSwitch.mode === "inline") away.style.blockSize = `${card.offsetHeight}px`;
      return modeSwitch.set(mode);
    },
    setModes: (next) => {
      modes = next;
      draw();
    },
    onModeRequest: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    setSize: ({ width, height }) => {
      if (width !== undefined) card.style.setProperty("--w", `${width}px`);
      if (height !== undefined) card.style.setProperty("--h", `${height}px`);
    },
    setBorder: (next) => void card.classList.toggle("framed", next !== false),
    reveal: () => {
      show(true);
      body.inert = false;
      status.textContent = "";
    },
    conceal: () => {
      show(true);
      body.inert = true;
      status.textContent = labels.loading;
    },
    setStatus: (text) => {
      status.textContent = text;
    },
    showFallback: (text, diagnostic, onRetry) => {
      show(false);
      const { title: what, cause, remedy } = diagnostic ?? {};
      status.textContent = "";
      // Plain words at once, since what draws them better may fail to load like the View did.
      const shown = [what, text, cause, remedy].filter(Boolean).join("\n\n");
      words.textContent = shown;
      import("./fallback.ts").then(
        ({ drawFallback }) => {
          if (words.textContent === shown) {
            drawFallback(words, { ...diagnostic, text, onRetry, labels });
          }
        },
        () => {},
      );
    },
    attach: (container) => {
      element.style.inlineSize = "";
      if (element.parentNode === container) return "moved";
      return place(container) ? "moved" : "new";
    },
    park: () => {
      if (!canMove() || (element.parentNode && !element.isConnected)) return false;
      modeSwitch.set("inline");
      // As wide as it was: the View is not to notice.
      element.style.inlineSize = `${element.offsetWidth || 640}px`;
      place(parkingLot());
      return true;
    },
    close: () => {
      modeSwitch.close();
      listeners.clear();
      element.remove();
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

function make<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  props: object,
  children: Node[],
): HTMLElementTagNameMap[Tag] {
  const element = Object.assign(document.createElement(tag), props);
  element.append(...children);
  return element;
}

function icon(d: string): SVGElement {
  const [svg, path] = ["svg", "path"].map((tag) =>
    document.createElementNS("http://www.w3.org/2000/svg", tag),
  ) as [SVGElement, SVGElement];
  svg.setAttribute("viewBox", "0 0 16 16");
  svg.ariaHidden = "true";
  path.setAttribute("d", d);
  svg.append(path);
  return svg;
}
