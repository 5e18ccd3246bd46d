import type { McpUiHostContext } from "@vitrine/protocol/apps";

/**
 * Fits the document to the container the Host describes (VEW-25): an axis that the Host fixes is
 * filled, one that it caps may grow to the cap, and one it leaves open grows freely.
 */
export function applyContainerDimensions(
  dimensions: McpUiHostContext["containerDimensions"],
  root: HTMLElement = document.documentElement,
): void {
  const { width, height, maxWidth, maxHeight } = (dimensions ?? {}) as Record<string, number>;
  const { style } = root;
  // The frame is the container, so a fixed axis is 100 % of it: exact, whatever border it has.
  style.width = width === undefined ? "" : "100%";
  style.height = height === undefined ? "" : "100%";
  style.maxWidth = width === undefined && maxWidth ? `${maxWidth}px` : "";
  style.maxHeight = height === undefined && maxHeight ? `${maxHeight}px` : "";
}
