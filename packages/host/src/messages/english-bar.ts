import type { BarMessages, PlacementMessages } from "./messages.ts";

/** Loaded with the host. */
export const ENGLISH_BAR: Omit<BarMessages, keyof PlacementMessages> = {
  loading: "Loading…",
  fullscreen: "Full screen",
  pip: "Picture in picture",
  inline: "Back to the page",
  unresponsive: "Not responding",
  failed: "This app can’t be shown.",
};
