import type { Device, Zoom } from "./settings.ts";

/**
 * How a view is drawn: its own width in CSS pixels, and the scale of the picture. The view never notices
 * the scale; a 1200 px device is 1200 px wide for it, on any screen.
 */
export interface ViewScale {
  width: number;
  scale: number;
}

/** The scale of a device in the room that the page has. */
export function viewScale(
  { width }: Pick<Device, "width">,
  { zoom, room }: { zoom: Zoom; room: number },
): ViewScale {
  const scale = zoom === "fit" ? Math.min(1, width === undefined ? 1 : room / width) : zoom;
  return { width: width ?? Math.floor(room / scale), scale };
}
