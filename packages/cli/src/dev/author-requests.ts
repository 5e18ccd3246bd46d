// Requests of the page on behalf of the author: prompts, answers to questions, scenario files, stories.

import type { GetPromptRequestParams } from "@modelcontextprotocol/client";
import type { Peer } from "@vitrine/protocol";
import type { Questions } from "../questions/server-questions.ts";
import type { DevServer } from "./dev-server.ts";
import type { ScenarioFiles } from "./scenario-files.ts";
import type { StoryWatch } from "./story-watch.ts";

/** The parts of the process that they use. */
export interface AuthorRequestsOptions {
  server: DevServer;
  questions: Questions;
  scenarios: ScenarioFiles;
  stories: StoryWatch;
}

/** Answers them. */
export function answerAuthor(
  page: Peer,
  { server, questions, scenarios, stories }: AuthorRequestsOptions,
): void {
  page.handle("dev/prompt", (params, { signal }) => {
    if (!server.getPrompt) throw new Error("A recording has no prompts.");
    return server.getPrompt(params as GetPromptRequestParams, signal);
  });
  page.handle("dev/sample", (params, { signal }) =>
    questions.sample("The view", params as never, { signal }),
  );
  page.handle("dev/answer", (params) => {
    const { id, action, content } = Object(params) as Record<string, unknown>;
    return { isTaken: questions.answer(String(id), action, content) };
  });
  page.handle("dev/stories", async () => ({ files: await stories.list() }));
  page.handle("dev/scenarios", async () => ({ scenarios: await scenarios.list() }));
  page.handle("dev/scenario", async (params) => ({
    story: await scenarios.read(String(Object(params).file)),
  }));
  page.handle("dev/save-scenario", async (params) => ({
    file: await scenarios.save(Object(params).story),
  }));
}
