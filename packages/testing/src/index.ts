// Scenarios and stories. Runs in Node and in pages. Adding a name here makes it public.

export {
  formatScenarioFile,
  parseScenario,
  parseScenarioFile,
  parseStory,
} from "./parse-scenario.ts";
export type { Scenario, ScenarioHost, Story } from "./scenario.ts";
export { ScenarioError, type ScenarioErrorCode } from "./scenario-error.ts";
export {
  defineStories,
  parseStories,
  type ResultOf,
  type ScenarioOf,
  type Stories,
  type StoriesConfig,
} from "./stories.ts";
