// The stories of a view as extra runs: each must show something and fail at nothing. Calls of the view get
// the story's answers.

import type { Story } from "@vitrine/testing";
import { type Finding, finding } from "../finding.ts";
import { asRecord, type Json } from "../json.ts";
import { withPlaces } from "./author-places.ts";
import { explainError } from "./explain-error.ts";
import type { Renderer } from "./renderer.ts";
import type { CallData, Run, Step } from "./runs.ts";
import { errorsOf, isBlank, type Sighting } from "./sighting.ts";
import { nameOf, type Subject } from "./subject.ts";

// Each takes a second or more.
const MOST_STORIES = 40;
const WIDTH = 800;

/** Shows each story of a view. Returns what failed. */
export async function judgeStories(
  renderer: Renderer,
  subject: Subject,
  stories: readonly Story[],
): Promise<Finding[]> {
  const findings: Finding[] = [];
  for (const story of stories.slice(0, MOST_STORIES)) {
    const show = async (times?: number): Promise<Sighting> =>
      withPlaces(
        await renderer.show(runOf(story), callOf(story, subject), times, story),
        subject.source,
      );
    const hurried = await show();
    // Again, with more time: the machine can be busy.
    const sighting = isBlank(hurried) ? await show(3) : hurried;
    findings.push(...judge(story, sighting, subject));
  }
  return findings;
}

function runOf({ name, input, result, cancelled, host = {} }: Story): Run {
  const { theme = "light", locale = "en-US", width = WIDTH } = host;
  const steps: Step[] = [
    ...(input ? [{ do: "tell", data: "input" } as const] : []),
    ...(result ? [{ do: "tell", data: "result" } as const] : []),
    ...(cancelled === undefined ? [] : [{ do: "tell", data: "cancelled" } as const]),
  ];
  return {
    name: `story-${name.replace(/[^\w-]+/g, "-").slice(0, 60)}`,
    title: `the story "${name}"`,
    width,
    scheme: theme,
    locale,
    hasStyles: true,
    offersTools: true,
    steps,
    isAudited: false,
  };
}

function callOf({ tool, input, result }: Story, { server, call }: Subject): CallData {
  const own = server.tools.map(asRecord).find((one) => one?.name === tool);
  return {
    tool: own ?? call.tool,
    input: input ?? {},
    result: (result ?? { content: [] }) as Json,
  };
}

function judge({ name }: Story, sighting: Sighting, subject: Subject): Finding[] {
  const found = errorsOf(sighting).map((error) => {
    const one = explainError(error, { sighting, subject, effect: "broken" });
    return { ...one, cause: `In the story "${name}": ${one.cause}` };
  });
  if (found.length > 0 || !isBlank(sighting)) return found;
  return [
    finding(
      "empty",
      "broken",
      { ...subject.place, run: sighting.run },
      {
        cause: `${nameOf(subject)} shows nothing in the story "${name}".`,
        remedy: `render something for the state of the story "${name}", even if it is only a sentence`,
        seen: true,
      },
    ),
  ];
}
