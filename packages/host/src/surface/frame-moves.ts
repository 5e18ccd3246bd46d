// Moves a view's area without a reload of its document, where the browser can.

import { makeElement } from "./elements.ts";

/** Whether this browser can move a document within the page without reloading it. */
export function canMove(): boolean {
  if (!("moveBefore" in Element.prototype)) return false;
  isKept ??= tryMove();
  return isKept;
}

let isKept: boolean | undefined;

/** Firefox has the method, but it reloads a frame in a shadow root like ours. */
function tryMove(): boolean {
  const frame = makeElement("iframe", {}, []);
  const element = makeElement("div", {}, []);
  element.attachShadow({ mode: "closed" }).append(frame);
  document.documentElement.append(element);
  const before = frame.contentWindow;
  move(element, holdingArea());
  const isSame = frame.contentWindow === before;
  element.remove();
  return isSame;
}

export function move(element: Element, container: Element): void {
  (container as unknown as { moveBefore(node: Node, child: null): void }).moveBefore(element, null);
}

let lot: HTMLElement | undefined;

/**
 * Holds surfaces without a container. They are laid out, because a view without a layout reports a
 * size of zero.
 */
export function holdingArea(): HTMLElement {
  if (!lot?.isConnected) {
    lot = makeElement("div", {}, []);
    lot.inert = true;
    lot.style.cssText =
      "position:fixed;inset:100vh auto auto 100vw;visibility:hidden;contain:strict";
    document.documentElement.append(lot);
  }
  return lot;
}
