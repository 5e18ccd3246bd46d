// The other runs, each compared with the one as it should be.

import { type Effect, type Finding, finding } from "../finding.ts";
import { oneLine } from "../json.ts";
import { RUNS, type Run, type RunName } from "./runs.ts";
import { errorsOf, isBlank, type Sighting } from "./sighting.ts";
import { nameOf, type Subject } from "./subject.ts";

const REMEDIES: Partial<Record<RunName, string>> = {
  dark: "set text and background together, by the Host's variables: color: var(--color-text-primary, #111); background: var(--color-background-primary, #fff)",
  narrow: "let it wrap: max-width: 100%, flex-wrap: wrap, grid columns with minmax(0, 1fr)",
  rtl: "take any locale: document.documentElement.lang = context.locale, and Intl with it as it is",
  late: "show a first state without the result, and the result whenever it comes: app.ontoolresult = (result) => render(result)",
  duplicate:
    "take every result as the whole state, and keep the last good one when a result has no data: if (!result.structuredContent) return",
  empty:
    "test before you read: const data = result.structuredContent ?? {}; show a sentence where there is none",
  error: "look at result.isError first, and show result.content[0].text",
  cancelled: "listen for it: app.ontoolcancelled = ({ reason }) => showStopped(reason)",
  "no-styles":
    "write fallbacks: var(--color-text-primary, #111), and context.styles?.variables ?? {}",
  "no-tools":
    "test for it: if (app.getHostCapabilities()?.serverTools) …, and show what the result has without",
};
const EFFECTS: Partial<Record<RunName, Effect>> = {
  late: "broken",
  dark: "broken",
  narrow: "broken",
};

/** What breaks a View that is well otherwise. */
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
    // The same mistake in another run is said once.
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
  at?: { line: number; column: number };
}

// Until the handshake these runs are like the one as it should be, so nothing before it is their doing.
const LIKE_NORMAL: readonly RunName[] = ["late", "duplicate", "empty", "error", "cancelled"];

function failureOf(
  { name, title }: Run,
  sighting: Sighting,
  { usual, normal }: { usual: ReadonlySet<string>; normal: Sighting },
): Failing | undefined {
  const fresh = errorsOf(sighting).find(({ message }) => !usual.has(message));
  if (fresh) {
    const { line, column } = fresh;
    const message = oneLine(fresh.message.replace(/^Uncaught /, ""), 160);
    if (line < 1) return { words: `fails with ${title}: ${message}` };
    return {
      words: `fails with ${title}: ${message} (line ${line}:${column})`,
      at: { line, column },
    };
  }
  if (!sighting.isInitialized) {
    if (LIKE_NORMAL.includes(name)) return undefined;
    return { words: `does not come up with ${title}; otherwise it does`, effect: "broken" };
  }
  if (!isBlank(sighting)) return undefined;
  const usually = normal.look?.text ? `"${oneLine(normal.look.text, 40)}"` : "it draws";
  return { words: `is blank with ${title}; otherwise it is not (${usually})` };
}

/** The result at once is lost, and the same result a second later is shown. */
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
        cause: `${nameOf(subject)} misses a result that comes right after the handshake, and shows one that comes later: its handler is set too late.`,
        remedy:
          "set handlers before you connect: app.ontoolresult = (result) => render(result); then await app.connect()",
        seen: true,
      },
    ),
  ];
}
