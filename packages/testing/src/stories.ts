// `*.stories.ts`: the states of a view, next to the view and typed like its app.

import type { AppTypes, CallToolResult } from "@vitrine/protocol/apps";
import { parseStory } from "./parse-scenario.ts";
import type { Scenario, Story } from "./scenario.ts";
import { ScenarioError } from "./scenario-error.ts";

/** A tool's result with typed data. */
export type ResultOf<Output> = Omit<CallToolResult, "structuredContent"> & {
  structuredContent?: Output extends Record<string, unknown> ? Output : Record<string, unknown>;
};

type Name<Tools> = keyof Tools & string;
type Input<T> = T extends Record<string, unknown> ? T : Record<string, unknown>;

/** A scenario with the types of an app; `ScenarioOf<AppOf<typeof app>>`. */
export interface ScenarioOf<T extends AppTypes> extends Pick<Scenario, "cancelled" | "host"> {
  tool: Name<T["tools"]>;
  input?: Input<T["input"]>;
  partialInputs?: Partial<Input<T["input"]>>[];
  result?: ResultOf<T["output"]>;
  tools?: {
    [K in Name<T["tools"]>]?:
      | ResultOf<T["tools"][K]["output"]>
      | ResultOf<T["tools"][K]["output"]>[];
  };
}

/** The stories of a view. Fields outside of `stories` hold for each story that doesn't have its own. */
export interface StoriesConfig<T extends AppTypes = AppTypes>
  extends Pick<ScenarioOf<T>, "tool" | "input" | "tools" | "host"> {
  /** By name. `tools` and `host` are added to the ones above. */
  stories: Record<string, Partial<ScenarioOf<T>>>;
}

/** The default export of a `*.stories.ts` file. */
export interface Stories {
  readonly vitrine: "stories";
  readonly stories: readonly Story[];
}

const MOST_STORIES = 200;

/** Defines the stories of a view. Throws a `ScenarioError` that names the story and its first problem. */
export function defineStories<T extends AppTypes = AppTypes>(config: StoriesConfig<T>): Stories {
  const { stories, ...shared } = config;
  return parseStories({
    vitrine: "stories",
    stories: Object.entries(stories).map(([name, story]) => ({
      ...shared,
      ...story,
      name,
      ...(shared.tools || story.tools ? { tools: { ...shared.tools, ...story.tools } } : {}),
      ...(shared.host || story.host ? { host: { ...shared.host, ...story.host } } : {}),
    })),
  });
}

/** Checks the default export of a stories file. Throws a `ScenarioError` that names the first problem. */
export function parseStories(value: unknown): Stories {
  const { vitrine, stories } = (value ?? {}) as Partial<Record<keyof Stories, unknown>>;
  if (vitrine !== "stories" || !Array.isArray(stories))
    throw new ScenarioError(
      "wrong-kind",
      "The default export isn't the result of defineStories().",
    );
  if (stories.length > MOST_STORIES)
    throw new ScenarioError("too-large", `There are more than ${MOST_STORIES} stories.`);
  return { vitrine, stories: stories.map(parseNamed) };
}

function parseNamed(story: unknown): Story {
  try {
    return parseStory(story);
  } catch (error) {
    const { name } = (story ?? {}) as { name?: unknown };
    if (!(error instanceof ScenarioError) || typeof name !== "string") throw error;
    const message = `Story ${JSON.stringify(name.slice(0, 80))}: ${error.message}`;
    throw new ScenarioError(error.code, message, { cause: error });
  }
}
