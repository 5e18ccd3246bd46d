// Where surfaces go that aren't inline. The product names the parts of its page; views stay inside its
// conversation and never cover its composer.

import type { Corner, FloatingPlace } from "./floating-place.ts";

/** An element of the page, or a function that finds it when it is needed. */
export type Region = Element | (() => Element | null | undefined);

/** The parts of a product's page that views are laid out in. All of them are optional. */
export interface SurfaceRegions {
  /** The conversation. Views in full screen fill it and floating ones stay inside; default: the window. */
  area?: Region;
  /** The field where the user types. No view covers it, in any mode. */
  composer?: Region;
  /** A side panel. While it is visible, views in full screen are shown there instead. */
  panel?: Region;
}

/** A rectangle in the window, in CSS pixels. */
export interface Box {
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
}

/** Between a floating view and the edges of its area. */
const INSET = 16;
const SMALLEST = { width: 280, height: 160 };
/** Below this width of the area, a floating view is a sheet above the composer. */
const PHONE = 480;
/** Below this width of the window there is no side panel. */
const NARROW = 720;
const SHEET = 0.45;

/** A region's element, if it is in the page and has a size. */
export function elementOf(region: Region | undefined): Element | undefined {
  const element = typeof region === "function" ? region() : region;
  if (!element?.isConnected) return undefined;
  const { width, height } = element.getBoundingClientRect();
  return width > 0 && height > 0 ? element : undefined;
}

/** The part of the window that isn't covered by an on-screen keyboard. */
export function windowBox(): Box {
  const { offsetLeft: left, offsetTop: top, width, height } = visualViewport ?? NO_VIEWPORT();
  return { left, top, width, height };
}

const NO_VIEWPORT = () => ({
  offsetLeft: 0,
  offsetTop: 0,
  width: document.documentElement.clientWidth,
  height: document.documentElement.clientHeight,
});

/** The largest part of an area that lies above, below, left or right of the composer. */
export function freeBox(area: Box, composer: Box | undefined): Box {
  const taken = composer && intersect(area, composer);
  if (!taken || taken.width <= 0 || taken.height <= 0) return area;
  const { left, top } = area;
  const [right, bottom] = [left + area.width, top + area.height];
  const parts = [
    { left, top, width: area.width, height: taken.top - top },
    box(left, taken.top + taken.height, right, bottom),
    { left, top, width: taken.left - left, height: area.height },
    box(taken.left + taken.width, top, right, bottom),
  ];
  const sizeOf = ({ width, height }: Box): number => width * height;
  return parts.reduce((best, part) => (sizeOf(part) > sizeOf(best) ? part : best));
}

/** The area of the conversation without its composer. */
export function areaBox({ area, composer }: SurfaceRegions): Box {
  const element = elementOf(area);
  const whole = windowBox();
  const own = element ? intersect(whole, element.getBoundingClientRect()) : whole;
  // An area that is scrolled out of the window has no room for anything.
  const usable = own.width > 0 && own.height > 0 ? own : whole;
  return freeBox(usable, elementOf(composer)?.getBoundingClientRect());
}

/** Where a view in full screen goes. */
export function fullscreenBox(regions: SurfaceRegions): Box {
  const panel = windowBox().width >= NARROW ? elementOf(regions.panel) : undefined;
  return panel
    ? freeBox(panel.getBoundingClientRect(), elementOf(regions.composer)?.getBoundingClientRect())
    : areaBox(regions);
}

/** Whether a floating view is a sheet at the bottom instead. */
export function isSheet(free: Box): boolean {
  return free.width < PHONE;
}

/** A sheet over the whole width, above the composer. */
export function sheetBox(free: Box): Box {
  const height = Math.min(Math.round(windowBox().height * SHEET), free.height);
  return { ...free, top: free.top + free.height - height, height };
}

/** A floating view in its corner. */
export function floatingBox(free: Box, place: FloatingPlace, corner: Corner): Box {
  const { width, height } = limitSize(free, place);
  const isTop = corner.startsWith("top");
  const isLeft = corner.endsWith("left");
  return {
    left: isLeft ? free.left + INSET : free.left + free.width - INSET - width,
    top: isTop ? free.top + INSET : free.top + free.height - INSET - height,
    width,
    height,
  };
}

/** A size that fits into the area and isn't too small to use. */
export function limitSize(free: Box, size: { width: number; height: number }): typeof size {
  const limit = (value: number, least: number, room: number): number =>
    Math.round(Math.max(Math.min(Math.max(value, least), room - 2 * INSET), 0));
  return {
    width: limit(size.width, SMALLEST.width, free.width),
    height: limit(size.height, SMALLEST.height, free.height),
  };
}

/** A box moved as little as possible so that it lies inside the area. */
export function limitMove(free: Box, { left, top, width, height }: Box): Box {
  const limit = (value: number, from: number, room: number): number =>
    Math.max(Math.min(value, from + room), from);
  return {
    left: limit(left, free.left, free.width - width),
    top: limit(top, free.top, free.height - height),
    width,
    height,
  };
}

/** The corner of the area that a box is nearest to. */
export function nearestCorner(free: Box, { left, top, width, height }: Box): Corner {
  const isTop = top + height / 2 < free.top + free.height / 2;
  const isLeft = left + width / 2 < free.left + free.width / 2;
  return `${isTop ? "top" : "bottom"}-${isLeft ? "left" : "right"}`;
}

function intersect(a: Box, b: Box): Box {
  return box(
    Math.max(a.left, b.left),
    Math.max(a.top, b.top),
    Math.min(a.left + a.width, b.left + b.width),
    Math.min(a.top + a.height, b.top + b.height),
  );
}

function box(left: number, top: number, right: number, bottom: number): Box {
  return { left, top, width: right - left, height: bottom - top };
}
