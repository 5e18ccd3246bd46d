// A view decides when it shrinks, leaves full screen or closes, and it knows when the user has just
// pressed something in it. The second press of a double click would then hit the element that appears
// there: a button of the page, or another view (S37). So each layout change that a view can cause
// goes through here. Areas that the view no longer covers are shielded for the time of a double
// click. The page can't see the pointer inside a frame, so the whole former area is shielded.

import { activeElement } from "./elements.ts";

/** Milliseconds between the presses of a double click, on the slowest settings. */
const PRESS_TIME = 500;
/**
 * Parts of the shield; limited, because a view that keeps changing its size would add more and more.
 */
const MOST_PARTS = 64;
/** Pixels around the pointer: a user who moves it further aims again. */
const SPOT = 48;

// The ends of presses aren't blocked: a page that follows a drag waits for them.
const SWALLOWED =
  "pointerdown mousedown click dblclick auxclick contextmenu touchstart dragenter dragover drop".split(
    " ",
  );

const cards = new Set<HTMLElement>();
let shield: HTMLElement | undefined;
let timer: ReturnType<typeof setTimeout> | undefined;
let pointer: { x: number; y: number } | undefined;
/** The element that had the focus before the first of the current changes. */
let focused: Element | null = null;

/**
 * Covers the areas that a moving card uncovers, whichever view caused it. Returns a function that
 * stops it.
 */
export function trackCard(card: HTMLElement): () => void {
  if (cards.size === 0) listen("addEventListener");
  cards.add(card);
  boxes.set(card, card.getBoundingClientRect());
  return () => {
    cards.delete(card);
    if (cards.size === 0) listen("removeEventListener");
  };
}

/** Changes the layout and shields the areas that are no longer covered; `replaced` counts as gone. */
export function shiftLayout<Result>(change: () => Result, replaced?: HTMLElement): Result {
  const before = [...cards].map((card) => [card, card.getBoundingClientRect()] as const);
  const pointed = findPointed();
  const active = activeElement();
  const result = change();
  const uncovered = before
    .filter(([card, box]) => card === replaced || hasLeft(box, card.getBoundingClientRect()))
    .map(([, box]) => box);
  const now = findPointed();
  const isSame = now?.element === pointed?.element && now?.top === pointed?.top;
  if (pointer && !(isSame && now?.left === pointed?.left)) {
    uncovered.push(new DOMRect(pointer.x - SPOT, pointer.y - SPOT, 2 * SPOT, 2 * SPOT));
  }
  if (!shield) focused = active;
  const areas = uncovered.filter(({ width, height }) => width > 0 && height > 0);
  if (areas.length > 0) isScrolling = false;
  cover(areas);
  measureCards();
  return result;
}

/** Whether a box has moved or no longer covers all of its former area; growing doesn't count. */
function hasLeft(before: DOMRect, now: DOMRect): boolean {
  const hasMoved = before.left !== now.left || before.top !== now.top;
  return hasMoved || now.width < before.width || now.height < before.height;
}

/** The element of the page under the pointer, and its position. */
function findPointed(): { element: Element; left: number; top: number } | undefined {
  const elements = pointer ? document.elementsFromPoint(pointer.x, pointer.y) : [];
  // Below the shield, because one change may follow another.
  const element = elements.find((one) => !shield?.contains(one));
  if (!element) return undefined;
  const { left, top } = element.getBoundingClientRect();
  return { element, left, top };
}

function cover(boxes: readonly DOMRect[]): void {
  // Behind a modal question nothing can be pressed, and an element that opens above would restart its
  // timer.
  if (boxes.length === 0 || document.querySelector("[data-vitrine-consent]")) return;
  shield ??= raise();
  for (const { left, top, width, height } of boxes) {
    const part = document.createElement("div");
    part.style.cssText = `position:absolute;left:${left}px;top:${top}px;width:${width}px;height:${height}px;pointer-events:auto`;
    shield.append(part);
    if (shield.childElementCount > MOST_PARTS) shield.firstElementChild?.remove();
  }
  extend();
}

/** As a popover it also covers views in a corner; only its parts take presses. */
function raise(): HTMLElement {
  const element = document.createElement("div");
  element.dataset.vitrineShield = "";
  element.ariaHidden = "true";
  element.popover = "manual";
  element.style.cssText =
    "position:fixed;inset:0;margin:0;padding:0;border:0;width:auto;height:auto;overflow:hidden;background:none;pointer-events:none";
  for (const type of SWALLOWED) element.addEventListener(type, swallow, { passive: false });
  for (const type of ["pointerdown", "touchstart"]) element.addEventListener(type, extend);
  document.documentElement.append(element);
  element.showPopover();
  return element;
}

/** A user who keeps pressing hasn't seen the change yet. */
function extend(): void {
  clearTimeout(timer);
  timer = setTimeout(lower, PRESS_TIME);
}

function lower(): void {
  // Removed instead of hidden: an open question counts a hidden popover as a disturbance.
  shield?.remove();
  shield = undefined;
  isScrolling = false;
}

function swallow(event: Event): void {
  event.preventDefault();
  event.stopPropagation();
}

/**
 * A key that is held down or pressed again isn't meant for the element that has just got the focus.
 */
function onKey(event: KeyboardEvent): void {
  if (!shield || (event.key !== "Enter" && event.key !== " ")) return;
  if (!event.repeat && activeElement() === focused) return;
  const [target] = event.composedPath();
  if (target instanceof HTMLElement && isEditable(target)) return;
  swallow(event);
  extend();
}

// A view can scroll the page by scrolling itself into view (`scrollIntoView`, `focus`), and the page
// can't tell that from its own scrolling. So the areas that a view no longer covers are shielded
// after any scroll, unless the page saw the user do it. The rest of the view can always be pressed.
const boxes = new WeakMap<HTMLElement, DOMRect>();
/** The shield only exists because of scrolling. */
let isScrolling = false;
let userScrolledAt = Number.NEGATIVE_INFINITY;

/** Notes where the cards are now, after the user or the page has moved one. */
export function measureCards(): void {
  for (const card of cards) boxes.set(card, card.getBoundingClientRect());
}

/**
 * Forgets where the cards are, because the page moves them. Measuring each time would cost a layout per
 * restored view; the next scroll or change measures them all at once.
 */
export function forgetPositions(): void {
  for (const card of cards) boxes.delete(card);
}

function onScroll(): void {
  const moves = [...cards].map((card) => [boxes.get(card), card.getBoundingClientRect()] as const);
  measureCards();
  if (performance.now() - userScrolledAt < PRESS_TIME) return;
  const left = moves.flatMap(([before, now]) => (before ? uncoveredBy(before, now) : []));
  if (left.length > 0) isScrolling ||= !shield;
  cover(left);
}

/** The parts of a box that a move uncovers. */
function uncoveredBy(before: DOMRect, now: DOMRect): DOMRect[] {
  const { left, top, right, bottom, width } = before;
  const from = Math.min(Math.max(now.top, top), bottom);
  const to = Math.max(Math.min(now.bottom, bottom), from);
  return [
    new DOMRect(left, top, width, from - top),
    new DOMRect(left, to, width, bottom - to),
    new DOMRect(left, from, Math.min(now.left - left, width), to - from),
    new DOMRect(Math.max(now.right, left), from, right - Math.max(now.right, left), to - from),
  ].filter(({ width, height }) => width > 0 && height > 0);
}

/** A user who turns the wheel expects movement, and the content below must scroll. */
function onUserScroll(): void {
  userScrolledAt = performance.now();
  if (isScrolling) lower();
}

function isEditable(element: HTMLElement): boolean {
  return element.isContentEditable || element.matches("input,textarea,select");
}

function onPointer({ clientX, clientY, pointerType }: PointerEvent): void {
  pointer = pointerType === "mouse" ? { x: clientX, y: clientY } : undefined;
}

function listen(change: "addEventListener" | "removeEventListener"): void {
  window[change]("resize", measureCards);
  // A busy page gets its scroll event late. A new element under the mouse shows it earlier.
  for (const type of ["scroll", "pointerover"]) window[change](type, onScroll, true);
  for (const type of ["wheel", "touchmove"]) {
    window[change](type, onUserScroll, { capture: true, passive: true });
  }
  for (const type of ["pointermove", "pointerover", "pointerdown"] as const) {
    window[change](type, onPointer as EventListener, true);
  }
  // A button acts on Enter when the key goes down, and on Space when it comes up.
  for (const type of ["keydown", "keyup"] as const) {
    window[change](type, onKey as EventListener, true);
  }
}
