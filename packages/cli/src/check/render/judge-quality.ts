// Judges the visible result: sizes, widths, colours, accessibility, the console.

import { type Finding, finding } from "../finding.ts";
import { oneLine } from "../json.ts";
import { FLOOD_REMEDY } from "./explain-end.ts";
import type { RenderEvent } from "./plan.ts";
import { type AxeViolation, diagnosticsOf, isBlank, type Sighting } from "./sighting.ts";
import { nameOf, type Subject } from "./subject.ts";

type Size = Extract<RenderEvent, { kind: "size" }>;

const MOST_SIZES = 12;

/** Findings about the quality of a view. */
export function judgeQuality(sightings: readonly Sighting[], subject: Subject): Finding[] {
  return sightings.flatMap((sighting) =>
    isBlank(sighting)
      ? []
      : [
          ...overflow(sighting, subject),
          ...(sighting.run === "normal" ? resizes(sighting, subject) : []),
          ...(sighting.run === "normal" ? floods(sighting, subject) : []),
          ...(sighting.run === "normal" ? dialogs(sighting, subject) : []),
          ...(sighting.run === "normal" ? consoleErrors(sighting, subject) : []),
          ...access(sighting, subject),
        ],
  );
}

function* overflow({ run, look }: Sighting, subject: Subject): Iterable<Finding> {
  if ((run !== "narrow" && run !== "normal") || !look || look.excess <= 1) return;
  const width = run === "narrow" ? 360 : 800;
  yield finding(
    "overflow",
    "poor",
    { ...subject.place, run },
    {
      cause: `${nameOf(subject)} is ${look.excess} px wider than its frame at ${width} px${look.widest ? ` (${look.widest})` : ""}: a part of it is cut off or scrolls sideways.`,
      remedy: `let ${look.widest || "it"} shrink: max-width: 100%; min-width: 0; overflow-wrap: anywhere (tables in a box with overflow-x: auto)`,
      seen: true,
    },
  );
}

/** A view that reacts to each size of its frame with another one. */
function* resizes({ run, events }: Sighting, subject: Subject): Iterable<Finding> {
  const sizes = events.filter((event): event is Size => event.kind === "size");
  // Frame and view grew by the same amount: the view is its frame plus a constant.
  const chases = sizes.some((size, at) => {
    const before = sizes[at - 1];
    const grown = size.frame - (before?.frame ?? size.frame);
    return grown > 4 && Math.abs((size.height ?? 0) - (before?.height ?? 0) - grown) <= 4;
  });
  const isFrantic = new Set(sizes.map(({ height }) => height)).size > MOST_SIZES;
  if (!chases && !isFrantic) return;
  yield finding(
    "resize-loop",
    "broken",
    { ...subject.place, run },
    {
      cause: `${nameOf(subject)} reports another height each time its frame follows (${sizes
        .slice(-4)
        .map(({ height }) => height)
        .join(
          ", ",
        )} px): its height depends on the frame's, and a simple host grows or shrinks it without end.`,
      remedy:
        "let the content decide: remove height: 100vh, 100% and min-height: 100vh from html, body and the root, or report a fixed height",
      seen: true,
    },
  );
}

/** A view that the relay would stop in its fourth second; on a fast machine a lower limit applies. */
function* floods(sighting: Sighting, subject: Subject): Iterable<Finding> {
  const dropped = diagnosticsOf(sighting).find(
    ({ code, detail }) => code === "dropped" && detail?.endsWith(" × rate"),
  );
  if (!dropped) return;
  yield finding(
    "killed",
    "broken",
    { ...subject.place, run: sighting.run },
    {
      cause: `${nameOf(subject)} sends more than 100 messages a second. They are dropped, and hosts will stop it.`,
      remedy: FLOOD_REMEDY,
      seen: true,
    },
  );
}

function* dialogs({ run, reports }: Sighting, subject: Subject): Iterable<Finding> {
  const used = reports.find(
    (report) => report.kind === "use" && /alert|confirm|prompt/.test(report.what),
  );
  if (used?.kind !== "use") return;
  const at = used.line > 0 ? { line: used.line, column: used.column } : {};
  yield finding(
    "dialog",
    "broken",
    { ...subject.place, ...at, run },
    {
      cause: `${nameOf(subject)} calls ${used.what}(), but the sandbox of a view shows no dialogs: nothing appears, and the result is negative.`,
      remedy:
        'show a <dialog> element in the view, or ask in the conversation: app.sendMessage({ role: "user", content: [...] })',
      seen: true,
    },
  );
}

function* consoleErrors({ run, console }: Sighting, subject: Subject): Iterable<Finding> {
  const own = console.filter(
    ({ text }) => !/Content Security Policy|Failed to load resource|sandboxed|net::ERR/i.test(text),
  );
  const [first] = own;
  if (!first) return;
  yield finding(
    "console-error",
    "note",
    { ...subject.place, run },
    {
      cause: `${nameOf(subject)} writes ${own.length === 1 ? "an error" : `${own.length} errors`} to the console: ${oneLine(first.text, 140)}.`,
      remedy: "read it in vitrine dev, next to the messages of that moment",
      seen: true,
    },
  );
}

function access({ run, axe }: Sighting, subject: Subject): Finding[] {
  // A problem in both themes is reported once.
  const told = axe.filter(({ id }) => run !== "dark" || isContrast(id));
  return told.map((one) => accessFault(one, run, subject));
}

function accessFault(
  { id, impact, help, count, target }: AxeViolation,
  run: Sighting["run"],
  subject: Subject,
): Finding {
  const effect = impact === "serious" || impact === "critical" ? "poor" : "note";
  const theme = run === "dark" ? "dark" : "light";
  const where = oneLine(`${target}${count > 1 ? ` and ${count - 1} more` : ""}`, 100);
  const rule = `${help.replace(/\.$/, "")} (${id}${isContrast(id) ? `, ${theme}` : ""})`;
  return finding(
    isContrast(id) ? "contrast" : "accessibility",
    effect,
    { ...subject.place, run },
    {
      cause: `${nameOf(subject)}: ${rule}: ${where}.`,
      remedy: isContrast(id)
        ? `give ${oneLine(target, 60)} a contrast of 4.5:1 in ${theme}, with both colours from the host: color: var(--color-text-primary, #111); background: var(--color-background-primary, #fff)`
        : `fix ${oneLine(target, 60)} according to the axe rule ${id}`,
      seen: true,
    },
  );
}

function isContrast(id: string): boolean {
  return id.startsWith("color-contrast");
}
