// Explains a view that started but shows nothing, or only a spinner.

import type { Code } from "../codes.ts";
import { type Finding, finding, type Place } from "../finding.ts";
import { asRecord, oneLine } from "../json.ts";
import { busy } from "./explain-end.ts";
import type { Look } from "./look.ts";
import { FLAT, type Sighting, toldHeight } from "./sighting.ts";
import { does, nameOf, type Subject } from "./subject.ts";

const WAITING =
  /^\W*(?:loading|waiting|please wait|connecting|initiali[sz]ing|fetching|one moment)\b/i;

/** Initialized and sent its data, but nothing is visible. */
export function nothingSeen(sighting: Sighting, subject: Subject): Finding[] {
  const { look } = sighting;
  const place = { ...subject.place, run: sighting.run };
  if (!look) return [busy(subject, sighting)];
  const flat = flatness(sighting, look, subject);
  if (flat) return [flat];
  const [code, cause, remedy] = emptinessOf(look, subject);
  const known = look.text === "" && look.things === 0 ? noData(subject, place) : undefined;
  return [known ?? finding(code, "blank", place, { cause, remedy, seen: true })];
}

function flatness(sighting: Sighting, look: Look, subject: Subject): Finding | undefined {
  const told = toldHeight(sighting);
  const hasContent = look.text !== "" || look.things > 0;
  const isFlat = (told ?? FLAT) < FLAT || (hasContent && look.height < FLAT);
  if (!isFlat) return undefined;
  const though =
    ", although it has content (positioned absolutely, or in a box of height 100% or 0)";
  return finding(
    "no-height",
    "blank",
    { ...subject.place, run: sighting.run },
    {
      cause: `${nameOf(subject)} reports a height of ${told ?? look.height} px to the host${hasContent ? though : ""}: the frame collapses.`,
      remedy:
        "give the root its own height (min-height: 200px), and remove position: absolute or height: 100% from its only child",
      seen: true,
    },
  );
}

function emptinessOf(look: Look, subject: Subject): [code: Code, cause: string, remedy: string] {
  const name = nameOf(subject);
  if (does(subject, "openai")) {
    return [
      "foreign-protocol",
      `${name} started but shows nothing: it reads its data from window.openai, which only ChatGPT has.`,
      "take the data from the host: app.ontoolresult = ({ structuredContent }) => render(structuredContent), set before await app.connect()",
    ];
  }
  if (look.text !== "") {
    return [
      "empty",
      `${name} has text but shows a single colour: its content has the colour of its background.`,
      "set both colours together: color: var(--color-text-primary, #111); background: var(--color-background-primary, #fff)",
    ];
  }
  if (look.things > 0) {
    return [
      "empty",
      `${name} only has pictures or fields of one colour: a canvas that is never drawn on, or an image that doesn't load.`,
      `draw an initial state without data, and show a text if drawing fails (WebGL isn't available everywhere): canvas.getContext("webgl2") ?? showText()`,
    ];
  }
  return [
    "empty",
    `${name} finished its handshake, received its tool's result, and shows nothing: no text, no picture, no field.`,
    "render an initial state before connect(), and the result when it arrives: app.ontoolresult = (result) => render(result), set before await app.connect()",
  ];
}

/** A view that reads data which the server doesn't send. */
function noData(subject: Subject, place: Place): Finding | undefined {
  const { tool, result } = subject.call;
  if (asRecord(result).structuredContent !== undefined || !does(subject, "structured-content"))
    return undefined;
  return finding("stuck", place.run === "normal" ? "blank" : "broken", place, {
    cause: `${nameOf(subject)} shows no data: it reads structuredContent, but the result of "${tool.name}" has none.`,
    remedy: `make the tool "${tool.name}" return structuredContent: { … } in addition to content, and show the text in the view if there is none`,
    seen: true,
  });
}

/** Shown, but still waiting after everything has been sent. */
export function waiting(sighting: Sighting, subject: Subject): Finding[] {
  const text = sighting.look?.text ?? "";
  if (!WAITING.test(text) || text.length > 200) return [];
  const place = { ...subject.place, run: sighting.run };
  const known = noData(subject, place);
  if (known) return [{ ...known, effect: "broken" }];
  return [
    finding("stuck", "broken", place, {
      cause: `${nameOf(subject)} received its tool's result but still shows "${oneLine(text, 60)}".`,
      remedy:
        "show the result when it arrives: app.ontoolresult = (result) => render(result), set before await app.connect()",
      seen: true,
    }),
  ];
}
