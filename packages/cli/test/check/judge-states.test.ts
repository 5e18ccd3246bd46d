import { expect, test } from "vitest";
import { judgeStates } from "../../src/check/render/judge-states.ts";
import type { Look } from "../../src/check/render/look.ts";
import type { RunName } from "../../src/check/render/runs.ts";
import type { Sighting } from "../../src/check/render/sighting.ts";
import type { Subject } from "../../src/check/render/subject.ts";

const subject = { place: { resource: "ui://orders/view.html", tool: "orders" } } as Subject;
const lookOf = (text: string, change: Partial<Look> = {}): Look => ({
  text,
  things: 0,
  height: 100,
  excess: 0,
  widest: "",
  scheme: "light",
  language: "en",
  shape: text,
  busy: [],
  hasAlert: false,
  hasDrawings: false,
  texts: [],
  ...change,
});
const sightingOf = (run: RunName, look: Look, change: Partial<Sighting> = {}): Sighting => ({
  run,
  stage: "ready",
  isInitialized: true,
  elapsed: 100,
  events: [],
  reports: [],
  console: [],
  look,
  requested: [],
  colours: undefined,
  axe: [],
  ...change,
});

const WAITING = lookOf("Orders\nLoading…");
const SHOWN = lookOf("Orders\nThree orders");

/** The codes and runs of what a view gets that shows these. */
function judged(
  { before = WAITING, normal = SHOWN, ...others }: Partial<Record<RunName | "before", Look>>,
  change: Partial<Sighting> = {},
): string[] {
  const sightings = [
    sightingOf("normal", normal),
    sightingOf("late", normal, { before }),
    ...Object.entries(others).map(([run, look]) =>
      sightingOf(run as RunName, look as Look, change),
    ),
  ];
  return judgeStates(sightings, subject).map(({ code, effect, place }) =>
    [code, effect, place.run].join(" "),
  );
}

test("finds a view that keeps waiting, by its text", () => {
  expect(judged({ error: WAITING, empty: WAITING, cancelled: WAITING })).toEqual([
    "stuck broken error",
    "stuck poor empty",
    "stuck poor cancelled",
  ]);
  const counted = lookOf("Orders\nLoading… 3 s");
  expect(judged({ before: lookOf("Orders\nLoading… 1 s"), cancelled: counted })).toHaveLength(1);
});

test("finds a view that keeps waiting, by what moves", () => {
  const busy = lookOf("Orders", { busy: ["svg.turn"] });
  expect(judged({ before: busy, error: busy })).toEqual(["stuck broken error"]);
  // It also moves when all is well.
  const always = lookOf("Orders\nThree orders", { busy: ["svg.turn"] });
  const told = lookOf("Orders\nThe service is not available.", { busy: ["svg.turn"] });
  expect(judged({ before: busy, normal: always, error: told })).toEqual([]);
});

test("finds a failure that looks like something else", () => {
  const none = lookOf("There are no orders.");
  const hint = lookOf("Your orders appear here.");
  expect(judged({ error: none, empty: none })).toEqual(["failure-hidden broken error"]);
  expect(judged({ error: SHOWN })).toEqual(["failure-hidden broken error"]);
  expect(judged({ before: hint, error: hint })).toEqual(["failure-hidden poor error"]);
});

test("accepts every way to say that something failed", () => {
  for (const text of ["The service is not available.", "Sorry!", "Could not load", "⚠ Offline"]) {
    const look = lookOf(text);
    expect(judged({ error: look, empty: look })).toEqual([]);
  }
  const alert = lookOf("Hm", { hasAlert: true });
  expect(judged({ error: alert, empty: alert })).toEqual([]);
});

test("reports nothing where the view's own pictures or calls may show it", () => {
  const none = lookOf("Chart");
  const drawn = lookOf("Chart", { hasDrawings: true });
  expect(judged({ error: drawn, empty: drawn })).toEqual([]);
  const asked = [{ at: 1, kind: "call", name: "orders", outcome: "result" }] as const;
  expect(judged({ error: none, empty: none }, { events: asked })).toEqual([]);
  // It shows nothing of its result at all.
  expect(judged({ before: SHOWN, error: SHOWN })).toEqual([]);
  // Our words for failures are English.
  const german = lookOf("Keine Verbindung", { language: "de" });
  expect(judged({ error: german, empty: german })).toEqual([]);
});
