// Places a surface that isn't inline, and lets the user move it. Loaded when a view is shown, because
// most views stay inline.

import type { McpUiDisplayMode } from "@vitrine/protocol/apps";
import { ENGLISH_PLACEMENT } from "../messages/english-placement.ts";
import type { PlacementMessages } from "../messages/messages.ts";
import { makeElement, makeIcon } from "./elements.ts";
import type { Corner, FloatingPlace } from "./floating-place.ts";
import { addPlacementStyle } from "./placement-style.ts";
import {
  areaBox,
  type Box,
  elementOf,
  floatingBox,
  fullscreenBox,
  isSheet,
  limitMove,
  limitSize,
  nearestCorner,
  type SurfaceRegions,
  sheetBox,
} from "./regions.ts";

/** The parts that a placement moves or listens to. */
export interface PlacementOptions {
  regions: SurfaceRegions;
  /** Shared by the surfaces of a conversation; changed when the user moves one. */
  floating: FloatingPlace;
  /** The bar, by which the user drags. */
  header: HTMLElement;
  messages?: Partial<PlacementMessages> | undefined;
  /** The user or the page has moved the card, and not the view. */
  onMove(): void;
  /** The user swiped a sheet away, or wants the view back in its place. */
  onDismiss(): void;
}

/** Keeps a card where its mode belongs. */
export interface Placement {
  /** Starts to follow the page in a mode; inline ends it. */
  follow(mode: McpUiDisplayMode): void;
}

const GRIP = "M8 2v12M2 8h12M6 4l2-2 2 2M6 12l2 2 2-2M4 6 2 8l2 2m8-4 2 2-2 2";
/** A swipe of this many pixels closes a sheet. */
const SWIPE = 80;
/** A step of the keyboard, in pixels. */
const STEP = 24;

/** Creates a placement for a surface's card. */
export function createPlacement(card: HTMLElement, options: PlacementOptions): Placement {
  const { regions, floating, header, onDismiss } = options;
  const { move: label, showHere } = { ...ENGLISH_PLACEMENT, ...options.messages };
  const grip = makeElement(
    "button",
    { type: "button", className: "grip", ariaLabel: label, title: label },
    [makeIcon(GRIP)],
    "button",
  );
  header.querySelector("button")?.before(grip);
  // Resizes it by pointer.
  const handle = makeElement("u", { ariaHidden: "true" }, []);
  card.append(handle);
  addPlacementStyle(card);
  const placeholder = makePlaceholder(card, header, { textContent: showHere, onclick: onDismiss });
  card.after(placeholder);
  let mode: McpUiDisplayMode = "inline";
  let unfollow: (() => void) | undefined;
  let isDragging = false;

  const corner = (): Corner => {
    const isRtl = getComputedStyle(card).direction === "rtl";
    return floating.corner ?? (isRtl ? "bottom-left" : "bottom-right");
  };
  const show = (shape: "fullscreen" | "sheet" | "pip", box: Box): void => {
    card.dataset.shape = shape;
    card.dataset.corner = shape === "pip" ? corner() : "";
    draw(box);
  };
  const place = (): void => {
    if (mode === "inline" || isDragging) return;
    const free = areaBox(regions);
    if (mode === "fullscreen") show(mode, fullscreenBox(regions));
    else if (isSheet(free)) show("sheet", sheetBox(free));
    else show("pip", floatingBox(free, floating, corner()));
  };
  const draw = ({ left, top, width, height }: Box): void => {
    const { style } = card;
    style.setProperty("--left", `${left}px`);
    style.setProperty("--top", `${top}px`);
    style.setProperty("--width", `${width}px`);
    style.setProperty("--height", `${height}px`);
    options.onMove();
  };

  /** Only what the user does is animated: a button that moves by itself is hard to press. */
  const snap = (): void => {
    card.classList.add("snapping");
    place();
    setTimeout(() => card.classList.remove("snapping"), 200);
  };

  /** Follows a pointer from its press to its release. */
  const drag = (
    target: HTMLElement,
    start: (from: Box) => ((x: number, y: number, isOver: boolean) => void) | undefined,
  ): void => {
    target.addEventListener("pointerdown", (press) => {
      const onButton = (press.target as Element).closest("button");
      if (mode !== "pip" || press.button !== 0 || (onButton && onButton !== grip)) return;
      const { left, top, width, height } = card.getBoundingClientRect();
      const move = start({ left, top, width, height });
      if (!move) return;
      // The frame would get the pointer's events otherwise.
      target.setPointerCapture(press.pointerId);
      isDragging = true;
      const ended = new AbortController();
      const follow = (event: PointerEvent, isOver: boolean): void =>
        move(event.clientX - press.clientX, event.clientY - press.clientY, isOver);
      const end = (event: PointerEvent): void => {
        ended.abort();
        isDragging = false;
        follow(event, true);
        snap();
      };
      const { signal } = ended;
      target.addEventListener("pointermove", (event) => follow(event, false), { signal });
      for (const type of ["pointerup", "pointercancel"] as const) {
        target.addEventListener(type, end, { signal });
      }
    });
  };
  drag(header, (from) => {
    const free = areaBox(regions);
    if (isSheet(free)) {
      return (_x, y, isOver) => {
        if (!isOver) draw({ ...from, top: from.top + Math.max(y, 0) });
        else if (y > SWIPE) onDismiss();
      };
    }
    return (x, y, isOver) => {
      const moved = limitMove(free, { ...from, left: from.left + x, top: from.top + y });
      if (isOver) floating.corner = nearestCorner(free, moved);
      else draw(moved);
    };
  });
  drag(handle, () => {
    const free = areaBox(regions);
    const { width, height } = limitSize(free, floating);
    const docked = corner();
    return (x, y) => {
      const grown = {
        width: width + (docked.endsWith("left") ? x : -x),
        height: height + (docked.startsWith("top") ? y : -y),
      };
      Object.assign(floating, limitSize(free, grown));
      draw(floatingBox(free, floating, docked));
    };
  });
  grip.addEventListener("keydown", (event) => {
    const side = SIDES[event.key];
    if (!side || mode !== "pip") return;
    event.preventDefault();
    const docked = corner();
    if (!event.shiftKey) floating.corner = cornerTowards(docked, side);
    else Object.assign(floating, limitSize(areaBox(regions), grownTowards(docked, side, floating)));
    snap();
  });

  return {
    follow: (next) => {
      unfollow?.();
      mode = next;
      placeholder.hidden = next === "inline";
      if (next === "inline") {
        delete card.dataset.shape;
        delete card.dataset.corner;
      }
      unfollow = next === "inline" ? undefined : followPage(regions, place);
      place();
    },
  };
}

/** In the place of a view that is shown elsewhere. */
function makePlaceholder(card: HTMLElement, header: HTMLElement, button: object): HTMLElement {
  const back = makeElement("button", { type: "button", ...button }, [], "button");
  const names = [...header.querySelectorAll("img,b,i")].map((part) => part.cloneNode(true));
  const { ariaLabel, lang, dir } = card;
  return makeElement("aside", { ariaLabel, lang, dir }, [...names, back], "placeholder");
}

type Size = Pick<FloatingPlace, "width" | "height">;
type Side = "left" | "right" | "top" | "bottom";

const SIDES: Record<string, Side> = {
  ArrowLeft: "left",
  ArrowRight: "right",
  ArrowUp: "top",
  ArrowDown: "bottom",
};

const isHorizontal = (side: Side): boolean => side === "left" || side === "right";

/** The corner next to a docked one, or the same one at the edge. */
function cornerTowards(docked: Corner, side: Side): Corner {
  const [vertical, horizontal] = docked.split("-");
  return (isHorizontal(side) ? `${vertical}-${side}` : `${side}-${horizontal}`) as Corner;
}

/** It grows away from the corner it is docked to, and shrinks towards it. */
function grownTowards(docked: Corner, side: Side, { width, height }: FloatingPlace): Size {
  const step = docked.split("-").includes(side) ? -STEP : STEP;
  const size = { width, height };
  size[isHorizontal(side) ? "width" : "height"] += step;
  return size;
}

/** Calls back when the page's layout may have changed. Returns a function that ends it. */
function followPage(regions: SurfaceRegions, onChange: () => void): () => void {
  const ended = new AbortController();
  const { signal } = ended;
  const observed = new Set<Element>();
  const observer = new ResizeObserver(() => changed());
  // Again each time, because a product may render its panel after the mode has changed.
  const observe = (): void => {
    for (const region of [regions.area, regions.composer, regions.panel]) {
      const element = elementOf(region);
      if (!element || observed.has(element)) continue;
      observed.add(element);
      observer.observe(element);
    }
  };
  let frame = 0;
  const changed = (): void => {
    cancelAnimationFrame(frame);
    frame = requestAnimationFrame(() => {
      observe();
      onChange();
    });
  };
  observer.observe(document.documentElement);
  observe();
  for (const type of ["resize", "transitionend"]) addEventListener(type, changed, { signal });
  addEventListener("scroll", changed, { signal, capture: true, passive: true });
  for (const type of ["resize", "scroll"]) {
    visualViewport?.addEventListener(type, changed, { signal });
  }
  return () => {
    ended.abort();
    observer.disconnect();
    cancelAnimationFrame(frame);
  };
}
