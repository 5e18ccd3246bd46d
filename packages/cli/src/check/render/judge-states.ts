// The states of a view after a failed, empty or cancelled call: whether it still waits, and whether a
// failure looks like something else. The state before the result, seen in the run with a late result,
// is what it is compared with.

import { type Effect, type Finding, finding } from "../finding.ts";
import { oneLine } from "../json.ts";
import type { Look } from "./look.ts";
import { FAILURE, RUNS, type RunName } from "./runs.ts";
import { errorsOf, isBlank, type Sighting } from "./sighting.ts";
import { nameOf, type Subject } from "./subject.ts";

const STATES: readonly { run: RunName; effect: Effect; remedy: string }[] = [
  {
    run: "error",
    effect: "broken",
    remedy:
      "check result.isError first, and replace the waiting state with result.content[0].text: app.ontoolresult = (result) => result.isError ? showError(result) : render(result)",
  },
  {
    run: "empty",
    effect: "poor",
    remedy:
      "leave the waiting state with every result: if (!result.structuredContent) show that there is no data",
  },
  {
    run: "cancelled",
    effect: "poor",
    remedy:
      "leave the waiting state: app.ontoolcancelled = ({ reason }) => showStopped(reason), set before await app.connect()",
  },
];

const LOADING =
  /\b(?:loading|loads|waiting|please wait|connecting|initiali[sz]ing|fetching|(?:one|just a) moment|hold on|retrieving|searching|preparing|processing|generating|calculating|computing|thinking|receiving|reading|asking|in progress|lädt|geladen|bitte warten|chargement|cargando|caricamento|carregando)\b|загрузка|読み込み|加载|載入|로딩|\p{L}ing[^\p{L}]*(?:…|\.\.\.)\s*$/iu;
const LONGEST_LINE = 80;

const FAILED =
  /\b(?:errors?|fail(?:ed|s|ure|ing)?|wrong|unable|can(?:not|'t|’t)|could(?:n't|n’t| not)|(?:un|not )available|problem|sorry|oops|invalid|try again|retry|trouble|unexpected|rejected|denied|went down|offline)\b|[⚠✗✘❌🚫]/iu;

/** Findings about states that users see when something isn't as usual. */
export function judgeStates(sightings: readonly Sighting[], subject: Subject): Finding[] {
  const of = (name: RunName): Sighting | undefined => sightings.find(({ run }) => run === name);
  const normal = of("normal");
  const before = of("late")?.before;
  if (!normal?.look || !before || isBlank(normal)) return [];
  const usual = new Set(errorsOf(normal).map(({ message }) => message));
  const found: Finding[] = [];
  for (const state of STATES) {
    const sighting = of(state.run);
    if (!sighting?.look || isBlank(sighting)) continue;
    // An error of that run is the cause, and a finding of its own.
    if (errorsOf(sighting).some(({ message }) => !usual.has(message))) continue;
    found.push(...waits(sighting.look, { ...state, before, normal: normal.look, subject }));
  }
  const isWaiting = found.some(({ place }) => place.run === "error");
  const error = of("error");
  if (error && !isWaiting) {
    found.push(...hides(error, { before, normal: normal.look, empty: of("empty")?.look, subject }));
  }
  return found;
}

interface WaitingState {
  run: RunName;
  effect: Effect;
  remedy: string;
  before: Look;
  normal: Look;
  subject: Subject;
}

/** Something that was there while it waited, is gone with a result, and is there now. */
function* waits(look: Look, state: WaitingState): Iterable<Finding> {
  const { run, effect, remedy, before, normal, subject } = state;
  const usual = new Set(signsOf(normal));
  const now = new Set(signsOf(look));
  const sign = signsOf(before).find((one) => !usual.has(one) && now.has(one));
  if (sign === undefined) return;
  const title = RUNS.find(({ name }) => name === run)?.title ?? run;
  // A user who can read the reason can ignore what still moves.
  const isTold = run === "error" && showsFailure(look, normal);
  yield finding(
    "stuck",
    isTold ? "poor" : effect,
    { ...subject.place, run },
    {
      cause: `${nameOf(subject)} never leaves its waiting state after ${title}: it still shows ${sign}.`,
      remedy,
      seen: true,
    },
  );
}

/** The lines and elements that say that it waits. */
function signsOf({ text, busy }: Look): string[] {
  const lines = text
    .split("\n")
    .filter((line) => line.length <= LONGEST_LINE && LOADING.test(line))
    // A counter or a clock in it moves on.
    .map((line) => `"${oneLine(line.replace(/\d+/g, "#"), 60)}"`);
  return [...lines, ...busy.map((element) => `the busy element ${oneLine(element, 60)}`)];
}

/** A failure that looks like the state before, the normal one, or the empty one. */
function* hides(
  { look, events }: Sighting,
  {
    before,
    normal,
    empty,
    subject,
  }: { before: Look; normal: Look; empty: Look | undefined; subject: Subject },
): Iterable<Finding> {
  // Skip a view that doesn't show its result, or draws it.
  if (!look || isSame(before, normal) || look.hasDrawings || normal.hasDrawings) return;
  if (showsFailure(look, normal)) return;
  // It asked the server itself, and got what it shows.
  if (events.some((event) => event.kind === "call" && event.outcome === "result")) return;
  const isKnownLanguage = /^(?:en\b.*)?$/i.test(look.language);
  const like = isSame(look, before)
    ? "as before the call ended"
    : isSame(look, normal)
      ? "as with a normal result"
      : empty && isKnownLanguage && isSame(look, empty)
        ? "as with an empty result"
        : undefined;
  if (!like) return;
  yield finding(
    "failure-hidden",
    isSame(look, before) ? "poor" : "broken",
    { ...subject.place, run: "error" },
    {
      cause: `${nameOf(subject)} hides a failed call: it shows the same ${like} ("${oneLine(look.text, 60)}"), and the error's text is nowhere.`,
      remedy:
        "check result.isError first, and show result.content[0].text: if (result.isError) return showError(result.content)",
      seen: true,
    },
  );
}

function isSame(one: Look, other: Look): boolean {
  return one.text === other.text && one.things === other.things && one.shape === other.shape;
}

/** Whether a user can see that something failed. */
function showsFailure(look: Look, normal: Look): boolean {
  if (look.text.toLowerCase().includes(FAILURE.toLowerCase())) return true;
  if (look.hasAlert && !normal.hasAlert) return true;
  const usual = new Set(normal.text.split("\n"));
  return look.text.split("\n").some((line) => !usual.has(line) && FAILED.test(line));
}
