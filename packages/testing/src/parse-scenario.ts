// Reads scenarios from files and from modules of an author. Both may come from a repository that somebody
// else wrote, so sizes are bounded and every value is checked and copied.

import { LIMITS } from "@vitrine/protocol/apps";
import {
  describeMismatch,
  validateNotification,
  validateResult,
} from "@vitrine/protocol/apps/validation";
import type { Scenario, ScenarioHost, Story } from "./scenario.ts";
import { ScenarioError } from "./scenario-error.ts";

type Fields = Record<string, unknown>;

const MOST_PARTIAL_INPUTS = 1_000;
const MOST_TOOLS = 200;
const MOST_ANSWERS = 100;
const LONGEST_NAME = 128;
const LONGEST_REASON = 2_000;
const LONGEST_FILE = 16 * 2 ** 20;
const MODES: readonly unknown[] = ["inline", "fullscreen", "pip"];
const NARROWEST = 120;
const WIDEST = 4_000;

/** Checks a scenario and returns a copy of it. Throws a `ScenarioError` that names the first problem. */
export function parseScenario(value: unknown): Scenario {
  const fields = fieldsOf(value);
  if (!fields) throw invalid("a scenario", "an object");
  const { tool, input, partialInputs, result, cancelled, tools, host } = fields;
  if (result !== undefined && cancelled !== undefined)
    throw new ScenarioError(
      "invalid-value",
      'A scenario has a "result" or is "cancelled", not both.',
    );
  return {
    tool: nameOf("tool", tool),
    ...(input !== undefined && { input: inputOf("input", input) }),
    ...(partialInputs !== undefined && {
      partialInputs: listOf("partialInputs", partialInputs, MOST_PARTIAL_INPUTS).map((each, at) =>
        inputOf(`partialInputs[${at}]`, each),
      ),
    }),
    ...(result !== undefined && { result: resultOf("result", result) }),
    ...(cancelled !== undefined && {
      cancelled: textOf("cancelled", cancelled, LONGEST_REASON),
    }),
    ...(tools !== undefined && { tools: answersOf(tools) }),
    ...(host !== undefined && { host: hostOf(host) }),
  };
}

/** Checks a story and returns a copy of it. Throws a `ScenarioError` that names the first problem. */
export function parseStory(value: unknown): Story {
  const name = nameOf("name", fieldsOf(value)?.name);
  return { name, ...parseScenario(value) };
}

/** Reads a file `*.scenario.json`. Throws a `ScenarioError` that names the first problem. */
export function parseScenarioFile(text: string): Story {
  if (text.length > LONGEST_FILE)
    throw new ScenarioError("too-large", `The file is larger than ${LONGEST_FILE / 2 ** 20} MiB.`);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw new ScenarioError("not-json", "The file isn't JSON.", { cause });
  }
  const { vitrine, version } = fieldsOf(value) ?? {};
  if (vitrine !== "scenario")
    throw new ScenarioError("wrong-kind", 'The file has no "vitrine": "scenario".');
  if (version !== 1)
    throw new ScenarioError(
      "wrong-kind",
      `The file's version is ${JSON.stringify(version)?.slice(0, 40)} instead of 1.`,
    );
  return parseStory(value);
}

/** The text of a file `*.scenario.json`. */
export function formatScenarioFile(story: Story): string {
  return `${JSON.stringify({ vitrine: "scenario", version: 1, ...parseStory(story) }, null, 2)}\n`;
}

function answersOf(value: unknown): NonNullable<Scenario["tools"]> {
  const entries = Object.entries(fieldsOf(value) ?? {});
  if (!fieldsOf(value)) throw invalid('"tools"', "an object with an answer for each tool");
  if (entries.length > MOST_TOOLS)
    throw new ScenarioError("too-large", `"tools" has more than ${MOST_TOOLS} entries.`);
  return Object.fromEntries(
    entries.map(([name, answer]) => {
      const where = `tools.${nameOf("the name of a tool", name)}`;
      if (!Array.isArray(answer)) return [name, resultOf(where, answer)];
      if (answer.length === 0) throw invalid(`"${where}"`, "at least one answer");
      const answers = listOf(where, answer, MOST_ANSWERS);
      return [name, answers.map((each, at) => resultOf(`${where}[${at}]`, each))];
    }),
  );
}

function hostOf(value: unknown): ScenarioHost {
  const fields = fieldsOf(value);
  if (!fields) throw invalid('"host"', "an object");
  const { theme, locale, width, displayMode, profile } = fields;
  if (theme !== undefined && theme !== "light" && theme !== "dark")
    throw invalid('"host.theme"', '"light" or "dark"');
  if (locale !== undefined && !isLocale(locale))
    throw invalid('"host.locale"', 'a language tag such as "de-DE"');
  if (width !== undefined && !(Number(width) >= NARROWEST && Number(width) <= WIDEST))
    throw invalid('"host.width"', `a number of pixels from ${NARROWEST} to ${WIDEST}`);
  if (displayMode !== undefined && !MODES.includes(displayMode))
    throw invalid('"host.displayMode"', '"inline", "fullscreen" or "pip"');
  return {
    ...(theme !== undefined && { theme }),
    ...(locale !== undefined && { locale: locale as string }),
    ...(width !== undefined && { width: Number(width) }),
    ...(displayMode !== undefined && {
      displayMode: displayMode as NonNullable<ScenarioHost["displayMode"]>,
    }),
    ...(profile !== undefined && { profile: nameOf("host.profile", profile) }),
  };
}

function isLocale(value: unknown): boolean {
  if (typeof value !== "string" || value.length > 35) return false;
  try {
    return Intl.getCanonicalLocales(value).length === 1;
  } catch {
    return false;
  }
}

function inputOf(where: string, value: unknown): Record<string, unknown> {
  const checked = validateNotification(
    "host",
    "ui/notifications/tool-input",
    { arguments: value },
    BOUNDS,
  );
  if (checked.ok && checked.value.arguments !== undefined) return checked.value.arguments;
  throw invalid(`"${where}"`, "an object of JSON values within the limits of a message");
}

function resultOf(where: string, value: unknown): NonNullable<Scenario["result"]> {
  const checked = validateResult("tools/call", value, BOUNDS);
  if (checked.ok) return checked.value;
  throw new ScenarioError(
    "invalid-value",
    `"${where}" isn't a tool's result: ${describeMismatch(checked)}`,
  );
}

const BOUNDS = { limits: LIMITS.toView };

function listOf(where: string, value: unknown, most: number): readonly unknown[] {
  if (!Array.isArray(value)) throw invalid(`"${where}"`, "an array");
  if (value.length > most)
    throw new ScenarioError("too-large", `"${where}" has more than ${most} entries.`);
  return value;
}

function nameOf(where: string, value: unknown): string {
  const name = textOf(where, value, LONGEST_NAME);
  // Control characters would change what a terminal or a list shows.
  if (name === "" || /\p{Cc}/u.test(name)) throw invalid(`"${where}"`, "a name on one line");
  return name;
}

function textOf(where: string, value: unknown, longest: number): string {
  if (typeof value === "string" && value.length <= longest) return value;
  throw invalid(`"${where}"`, `a string of at most ${longest} characters`);
}

function fieldsOf(value: unknown): Fields | undefined {
  return typeof value === "object" && value !== null && !Array.isArray(value)
    ? (value as Fields)
    : undefined;
}

function invalid(what: string, expected: string): ScenarioError {
  return new ScenarioError("invalid-value", `${what} must be ${expected}.`);
}
