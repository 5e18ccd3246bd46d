// A View that came up, and there is nothing to see, or nothing but a spinner.

import type { Code } from "../codes.ts";
import { type Finding, finding, type Place } from "../finding.ts";
import { asRecord, oneLine } from "../json.ts";
import { busy } from "./explain-end.ts";
import type { Look } from "./look.ts";
import { FLAT, type Sighting, toldHeight } from "./sighting.ts";
import { does, nameOf, type Subject } from "./subject.ts";

const WAITING =
  /^\W*(?:loading|waiting|please wait|connecting|initiali[sz]ing|fetching|one moment)\b/i;

/** Greeted and told, and nothing to see. */
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
  const though = ", though it has content (placed absolutely, or in a box of height 100% or 0)";
  return finding(
    "no-height",
    "blank",
    { ...subject.place, run: sighting.run },
    {
      cause: `${nameOf(subject)} tells the Host a height of ${told ?? look.height} px${hasContent ? though : ""}: the frame closes to nothing.`,
      remedy:
        "give the root a height of its own (min-height: 200px), and take position: absolute or height: 100% off its only child",
      seen: true,
    },
  );
}

function emptinessOf(look: Look, subject: Subject): [code: Code, cause: string, remedy: string] {
  const name = nameOf(subject);
  if (does(subject, "openai")) {
    return [
      "foreign-protocol",
      `${name} came up and shows nothing: it takes its data from window.openai, which ChatGPT alone has.`,
      "take the data from the Host: app.ontoolresult = ({ structuredContent }) => render(structuredContent), set before await app.connect()",
    ];
  }
  if (look.text !== "") {
    return [
      "empty",
      `${name} has text and shows one colour alone: what it draws cannot be told from its background.`,
      "set both colours together: color: var(--color-text-primary, #111); background: var(--color-background-primary, #fff)",
    ];
  }
  if (look.things > 0) {
    return [
      "empty",
      `${name} has nothing but pictures or fields of one colour: a canvas that is never drawn on, an image that does not come.`,
      'draw a first state without data, and show a sentence where drawing fails (WebGL is not everywhere): canvas.getContext("webgl2") ?? showWords()',
    ];
  }
  return [
    "empty",
    `${name} ended its handshake, was told its tool's result, and shows nothing: no text, no picture, no field.`,
    "render a first state before connect(), and on the result: app.ontoolresult = (result) => render(result), set before await app.connect()",
  ];
}

/** A View that reads data which the server does not send. */
function noData(subject: Subject, place: Place): Finding | undefined {
  const { tool, result } = subject.call;
  if (asRecord(result).structuredContent !== undefined || !does(subject, "structured-content"))
    return undefined;
  return finding("stuck", place.run === "normal" ? "blank" : "broken", place, {
    cause: `${nameOf(subject)} shows no data: it reads structuredContent, and the result of "${tool.name}" has none.`,
    remedy: `let the tool "${tool.name}" answer with structuredContent: { … } beside its content, and in the View show the text where there is none`,
    seen: true,
  });
}

/** Shown, and still busy with itself after everything has been said. */
export function waiting(sighting: Sighting, subject: Subject): Finding[] {
  const text = sighting.look?.text ?? "";
  if (!WAITING.test(text) || text.length > 200) return [];
  const place = { ...subject.place, run: sighting.run };
  const known = noData(subject, place);
  if (known) return [{ ...known, effect: "broken" }];
  return [
    finding("stuck", "broken", place, {
      cause: `${nameOf(subject)} was told its tool's result and goes on saying "${oneLine(text, 60)}".`,
      remedy:
        "show the result where it arrives: app.ontoolresult = (result) => render(result), set before await app.connect()",
      seen: true,
    }),
  ];
}
