import { ENGLISH_BAR } from "./english-bar.ts";
import { ENGLISH_CARD } from "./english-card.ts";
import { ENGLISH_CONSENT } from "./english-consent.ts";
import { ENGLISH_PERMISSIONS } from "./english-permissions.ts";
import { ENGLISH_PLACEMENT } from "./english-placement.ts";
import type { Messages } from "./messages.ts";

/** The built-in texts, as a start for a translation. A page doesn't have to load them. */
export const english: Messages = {
  language: "en",
  direction: "ltr",
  bar: { ...ENGLISH_BAR, ...ENGLISH_PLACEMENT },
  card: ENGLISH_CARD,
  consent: ENGLISH_CONSENT,
  permissions: ENGLISH_PERMISSIONS,
};
