import type { Channel } from "./channel.ts";
import { CODE_AND_STYLE } from "./code-and-style.ts";
import { FEATURES } from "./features.ts";
import { FORMS } from "./forms.ts";
import { FRAMES } from "./frames.ts";
import { HINTS } from "./hints.ts";
import { MEDIA } from "./media.ts";
import { NAVIGATIONS } from "./navigations.ts";
import { PEERS } from "./peers.ts";
import { REQUESTS } from "./requests.ts";
import { WINDOWS } from "./windows.ts";
import { WORKERS } from "./workers.ts";

export const CHANNELS: readonly Channel[] = [
  ...REQUESTS,
  ...MEDIA,
  ...CODE_AND_STYLE,
  ...FRAMES,
  ...FORMS,
  ...NAVIGATIONS,
  ...WINDOWS,
  ...HINTS,
  ...PEERS,
  ...WORKERS,
  ...FEATURES,
];

/** Channels that can't be seen to fire where look-ups can't be captured. */
export const LOOK_UPS: readonly string[] = CHANNELS.filter(({ onlyLooksUp }) => onlyLooksUp).map(
  ({ id }) => id,
);
