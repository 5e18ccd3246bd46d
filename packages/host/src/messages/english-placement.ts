import type { PlacementMessages } from "./messages.ts";

/** Loaded with the code that moves views. */
export const ENGLISH_PLACEMENT: PlacementMessages = {
  showHere: "Show here",
  move: "Move with the arrow keys, resize with Shift and the arrow keys",
};
