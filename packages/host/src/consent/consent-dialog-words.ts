import { ENGLISH_CONSENT } from "../messages/english-consent.ts";
import type { ConsentMessages, MessageOverrides, Messages } from "../messages/messages.ts";

/** The texts of a dialog, with the language they are in; that of the page if it isn't known. */
export type DialogWords = ConsentMessages & Partial<Pick<Messages, "language" | "direction">>;

/** The texts of a catalogue; those it doesn't have are English. */
export function dialogWords({ consent, language, direction }: MessageOverrides = {}): DialogWords {
  return {
    ...ENGLISH_CONSENT,
    ...consent,
    ...(language && { language }),
    ...(direction && { direction }),
  };
}
