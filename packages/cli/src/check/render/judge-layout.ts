// Layouts that fail readers: words that a narrow frame breaks or cuts off, and a view that ignores a
// right-to-left language.

import { type Finding, finding } from "../finding.ts";
import { oneLine } from "../json.ts";
import type { Look } from "./look.ts";
import type { WordFault } from "./look-words.ts";
import { isBlank, type Sighting } from "./sighting.ts";
import { nameOf, type Subject } from "./subject.ts";

// An extent that differs by fewer pixels is the same.
const NEAR = 6;
// A text that starts this much nearer to one side than it ends to the other is on that side.
const ASIDE = 24;

/** Findings about the layout in a narrow frame and in a right-to-left language. */
export function judgeLayout(sightings: readonly Sighting[], subject: Subject): Finding[] {
  const of = (name: string): Sighting | undefined => sightings.find(({ run }) => run === name);
  const [normal, narrow, rtl] = [of("normal"), of("narrow"), of("rtl")];
  return [
    ...(narrow?.words && !isBlank(narrow) ? unreadable(narrow.words, subject) : []),
    ...(normal?.look && rtl?.look && !isBlank(rtl)
      ? direction(normal.look, rtl.look, subject)
      : []),
  ];
}

function* unreadable(
  { broken, clipped }: NonNullable<Sighting["words"]>,
  subject: Subject,
): Iterable<Finding> {
  const place = { ...subject.place, run: "narrow" };
  const most = broken.toSorted((a, b) => b.amount - a.amount)[0];
  if (most) {
    yield finding("broken-words", "poor", place, {
      cause: `${nameOf(subject)} breaks words in the middle at 360 px: ${named(most)} takes ${most.amount} lines${others(broken)}.`,
      remedy: `give ${oneLine(most.where, 60)} room for its longest word: remove word-break: break-all, use overflow-wrap: break-word, let the row wrap (flex-wrap: wrap) or the table scroll (overflow-x: auto)`,
      seen: true,
    });
  }
  const [cut] = clipped;
  if (cut) {
    yield finding("clipped-text", "poor", place, {
      cause: `${nameOf(subject)} cuts text off at 360 px: ${cut.amount} px of ${named(cut)} are missing${others(clipped)}.`,
      remedy: `let ${oneLine(cut.where, 60)} wrap (white-space: normal; min-width: 0), or show that there is more: text-overflow: ellipsis`,
      seen: true,
    });
  }
}

function named({ word, where }: WordFault): string {
  return `"${oneLine(word, 30)}" in ${oneLine(where, 60)}`;
}

function others(faults: readonly WordFault[]): string {
  const words = new Set(faults.map(({ word }) => word)).size;
  return words > 1 ? `, and ${words - 1} more` : "";
}

// Words, rather than the digits and signs of numbers.
const ARABIC = /[\u0620-\u064a]{2,}/;

const RTL_LANGUAGES = /^(?:ar|he|fa|ur|ps|sd|ug|yi|dv|ckb)\b/i;

const REMEDY =
  "follow the host: document.documentElement.lang = context.locale; document.documentElement.dir = new Intl.Locale(context.locale).getTextInfo().direction; and write margin-inline-start, text-align: start, inset-inline-start instead of left and right";

function* direction(normal: Look, rtl: Look, subject: Subject): Iterable<Finding> {
  if (rtl.texts.length === 0) return;
  const place = { ...subject.place, run: "rtl" };
  if (!rtl.texts.some(({ isRtl }) => isRtl)) {
    const isTranslated = ARABIC.test(rtl.text) && !ARABIC.test(normal.text);
    // A page that declares another language has the direction of that language.
    if (!isTranslated && rtl.language && !RTL_LANGUAGES.test(rtl.language)) return;
    yield finding("rtl-ignored", isTranslated ? "poor" : "note", place, {
      cause: isTranslated
        ? `${nameOf(subject)} shows Arabic text but stays left-to-right with a right-to-left language (ar-EG).`
        : `${nameOf(subject)} stays left-to-right with a right-to-left language (ar-EG): it doesn't set dir.`,
      remedy: REMEDY,
      seen: true,
    });
    return;
  }
  if (!isUnmirrored(normal, rtl)) return;
  yield finding("rtl-ignored", "poor", place, {
    cause: `${nameOf(subject)} is right-to-left with ar-EG, but its layout isn't mirrored: every text stays where it is in English.`,
    remedy: REMEDY,
    seen: true,
  });
}

/** Whether texts that are on one side stay there. */
function isUnmirrored({ texts, excess }: Look, rtl: Look): boolean {
  // Another text has another width, and a wide view another middle.
  if (texts.length !== rtl.texts.length || excess > 1 || rtl.excess > 1) return false;
  const right = Math.max(...texts.map((one) => one.right));
  const left = Math.min(...texts.map((one) => one.left));
  const aside = texts.flatMap((one, at) => {
    const other = rtl.texts[at];
    const isAside = Math.abs(one.left - left - (right - one.right)) > ASIDE;
    return isAside && other ? [{ one, other }] : [];
  });
  const kept = aside.filter(
    ({ one, other }) =>
      Math.abs(one.left - other.left) < NEAR && Math.abs(one.right - other.right) < NEAR,
  );
  return aside.length >= 3 && kept.length === aside.length;
}
