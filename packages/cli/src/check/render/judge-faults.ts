// Compares the other runs with the normal one.

import { type Effect, type Finding, finding, type Place } from "../finding.ts";
import { oneLine } from "../json.ts";
import { plain } from "./author-places.ts";
import { RUNS, type Run, type RunName } from "./runs.ts";
import { errorsOf, isBlank, type Sighting } from "./sighting.ts";
import { nameOf, type Subject } from "./subject.ts";

const REMEDIES: Partial<Record<RunName, string>> = {
  dark: "set text and background together, with the host's variables: color: var(--color-text-primary, #111); background: var(--color-background-primary, #fff)",
  narrow: "let it wrap: max-width: 100%, flex-wrap: wrap, grid columns with minmax(0, 1fr)",
  rtl: "accept any locale: document.documentElement.lang = context.locale, and pass it to Intl unchanged",
  late: "show an initial state without the result, and the result whenever it arrives: app.ontoolresult = (result) => render(result)",
  duplicate:
    "treat every result as the whole state, and keep the last good one when a result has no data: if (!result.structuredContent) return",
  empty:
    "check before you read: const data = result.structuredContent ?? {}; show a text if there is none",
  error: "check result.isError first, and show result.content[0].text",
  cancelled: "handle it: app.ontoolcancelled = ({ reason }) => showStopped(reason)",
  "no-styles":
    "write fallbacks: var(--color-text-primary, #111), and context.styles?.variables ?? {}",
  "no-tools":
    "check for it: if (app.getHostCapabilities()?.serverTools) …, and show the result's data without it",
};
const EFFECTS: Partial<Record<RunName, Effect>> = {
  late: "broken",
  dark: "broken",
  narrow: "broken",
};

/** Problems of a view that only appear in other runs. */
export function judgeFaults(sightings: readonly Sighting[], subject: Subject): Finding[] {
  const of = (name: RunName): Sighting | undefined => sightings.find(({ run }) => run === name);
  const normal = of("normal");
  if (!normal) return [];
  const missed = lateHandler({ normal, late: of("late"), cancelled: of("cancelled") }, subject);
  if (isBlank(normal)) return missed;
  const usual = new Set(errorsOf(normal).map(({ message }) => message));
  const found: Finding[] = [];
  for (const run of RUNS) {
    const sighting = of(run.name);
    if (!sighting || !run.code) continue;
    found.push(...judgeRun(run, sighting, { usual, normal, subject }));
    // The same mistake in another run is reported once.
    for (const { message } of errorsOf(sighting)) usual.add(message);
  }
  return [...missed, ...found];
}

function judgeRun(
  run: Run,
  sighting: Sighting,
  { usual, normal, subject }: { usual: ReadonlySet<string>; normal: Sighting; subject: Subject },
): Finding[] {
  const told = failureOf(run, sighting, { usual, normal });
  if (!told) return [];
  const { words, effect = EFFECTS[run.name] ?? "poor", at = {} } = told;
  const place = { ...subject.place, ...at, run: run.name };
  const cause = `${nameOf(subject)} ${words}.`;
  const remedy = REMEDIES[run.name] ?? "";
  return [finding(run.code ?? "not-shown", effect, place, { cause, remedy, seen: true })];
}

interface Failing {
  words: string;
  effect?: Effect;
  at?: Pick<Place, "line" | "column" | "source">;
}

// Until the handshake these runs are the same as the normal one, so earlier problems aren't theirs.
const LIKE_NORMAL: readonly RunName[] = ["late", "duplicate", "empty", "error", "cancelled"];

function failureOf(
  { name, title }: Run,
  sighting: Sighting,
  { usual, normal }: { usual: ReadonlySet<string>; normal: Sighting },
): Failing | undefined {
  const fresh = errorsOf(sighting).find(({ message }) => !usual.has(message));
  if (fresh) {
    const { line, column, found } = fresh;
    const message = oneLine(fresh.message.replace(/^Uncaught /, ""), 160);
    if (found) {
      const where = `${found.file}:${found.line}:${found.column}`;
      return {
        words: `fails with ${title}: ${message} (${where})`,
        at: { ...(line > 0 && { line, column }), source: plain(found) },
      };
    }
    if (line < 1) return { words: `fails with ${title}: ${message}` };
    return {
      words: `fails with ${title}: ${message} (line ${line}:${column})`,
      at: { line, column },
    };
  }
  if (!sighting.isInitialized) {
    if (LIKE_NORMAL.includes(name)) return undefined;
    return { words: `does not start with ${title}; otherwise it does`, effect: "broken" };
  }
  if (!isBlank(sighting)) return undefined;
  const usually = normal.look?.text ? `"${oneLine(normal.look.text, 40)}"` : "it has pictures";
  return { words: `is blank with ${title}; otherwise it isn't (${usually})` };
}

/** An immediate result is lost, and the same result a second later is shown. */
function lateHandler(
  {
    normal,
    late,
    cancelled,
  }: { normal: Sighting; late: Sighting | undefined; cancelled: Sighting | undefined },
  subject: Subject,
): Finding[] {
  if (!late?.look || !cancelled?.look || !normal.look) return [];
  const isMissed =
    normal.look.text === cancelled.look.text && late.look.text !== cancelled.look.text;
  if (!isMissed) return [];
  return [
    finding(
      "handler-late",
      isBlank(normal) ? "blank" : "broken",
      { ...subject.place, run: "normal" },
      {
        cause: `${nameOf(subject)} misses a result that arrives right after the handshake, and shows one that arrives later: its handler is set too late.`,
        remedy:
          "set handlers before you connect: app.ontoolresult = (result) => render(result); then await app.connect()",
        seen: true,
      },
    ),
  ];
}
