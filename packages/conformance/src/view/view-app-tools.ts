// The tools that a view offers to its host.

import { asRecord, brief, isRecord, type Json } from "../json.ts";
import { absent, type Finding, holds, judge, type Scenario } from "../scenario.ts";
import { sampleArguments } from "../targets/sample.ts";
import type { ViewSession } from "../targets/view-session.ts";
import type { ViewTarget } from "../targets/view-target.ts";
import { exercise, generousHost, withView } from "./view-setup.ts";

const LIST_CHANGED = "notifications/tools/list_changed";
const NONE = "The view declares no tools.";

export const APP_TOOL_SCENARIOS: readonly Scenario<ViewTarget>[] = [
  {
    title: "lists and calls the view's tools",
    rules: ["VEW-17", "VEW-18", "VEW-19", "VEW-20", "VEW-21", "VEW-22", "VEW-24"],
    run(target) {
      return withView(target, generousHost(target), async (session) => {
        await session.ready();
        await session.tell(target);
        await session.settled();
        const { appCapabilities } = await session.greeting();
        if (!isRecord(asRecord(appCapabilities).tools)) {
          return this.rules.map((rule) => absent(rule, NONE));
        }
        return judgeTools(session);
      });
    },
  },
  {
    title: "presses everything and observes changes of the view's tools",
    rules: ["VEW-23"],
    run: (target) =>
      withView(target, generousHost(target), async (session) => {
        await exercise(target, session);
        const { length } = await session.all(LIST_CHANGED);
        if (length === 0) return [absent("VEW-23", `${LIST_CHANGED} was never sent.`)];
        const { appCapabilities } = await session.greeting();
        const { tools } = asRecord(appCapabilities);
        const faults =
          asRecord(tools).listChanged === true ? [] : [`it was sent under tools: ${brief(tools)}`];
        return [judge("VEW-23", faults, `It was declared, and sent ${length} times.`)];
      }),
  },
];

async function judgeTools(session: ViewSession): Promise<Finding[]> {
  const listing = await session.request("tools/list", {});
  const { tools } = asRecord(listing?.result);
  const listed: Json[] = Array.isArray(tools) ? tools.filter(isRecord) : [];
  const listFaults = Array.isArray(tools) ? [] : [`tools/list is answered with ${brief(listing)}`];
  const answers = await callAll(session, listed);
  const unknown = await session.request("tools/call", { name: "no-such-tool", arguments: {} });
  const nobody = "The view lists no tool.";
  return [
    judgeCalls(answers, unknown),
    judge("VEW-18", listFaults, `${listed.length} tools.`),
    await judgeValidation(session, listed, unknown),
    judgeFailures(answers),
    listed.length === 0
      ? absent("VEW-21", nobody)
      : judge(
          "VEW-21",
          listed.flatMap(metadataFaults),
          "Names, descriptions and schemas are present.",
        ),
    holds("VEW-22", `It lists ${brief(listed.map(({ name }) => name))}.`),
    holds(
      "VEW-24",
      listed.some(({ execution }) => asRecord(execution).taskSupport !== undefined)
        ? "Some of its tools may run as tasks."
        : "None of its tools runs as a task.",
    ),
  ];
}

/** Each tool's result for arguments that its schema accepts. */
async function callAll(
  session: ViewSession,
  tools: readonly Json[],
): Promise<Map<string, Json | null>> {
  const answers = new Map<string, Json | null>();
  for (const { name, inputSchema } of tools) {
    const params = { name, arguments: sampleArguments(inputSchema) };
    answers.set(String(name), await session.request("tools/call", params, 10_000));
  }
  return answers;
}

/** Also for a view without tools at the moment: it has declared that it takes calls. */
function judgeCalls(answers: ReadonlyMap<string, Json | null>, unknown: Json | null): Finding {
  const faults = [...answers, ["no-such-tool", unknown] as const].flatMap(([name, answer]) => {
    if (answer === null) return [`tools/call of ${name} was not answered`];
    if (answer.error?.code === -32601) return [`tools/call of ${name}: ${brief(answer.error)}`];
    const { content } = asRecord(answer.result);
    const isResult = "error" in answer || Array.isArray(content);
    return isResult ? [] : [`tools/call of ${name} is answered with ${brief(answer)}`];
  });
  return judge("VEW-17", faults, `${answers.size} tools were called.`);
}

function isRefusal(answer: Json | null): boolean {
  return answer !== null && ("error" in answer || asRecord(answer.result).isError === true);
}

async function judgeValidation(
  session: ViewSession,
  tools: readonly Json[],
  unknown: Json | null,
): Promise<Finding> {
  const faults = isRefusal(unknown) ? [] : [`an unknown tool is answered with ${brief(unknown)}`];
  for (const { name, inputSchema } of tools) {
    const { properties, required } = asRecord(inputSchema);
    const [field] = Array.isArray(required) ? required : [];
    if (field === undefined) continue;
    // Nothing, and a type that the field doesn't accept.
    const wrong = asRecord(asRecord(properties)[field]).type === "object" ? 7 : { wrong: true };
    for (const args of [{}, { [field]: wrong }]) {
      const answer = await session.request("tools/call", { name, arguments: args });
      if (!isRefusal(answer)) faults.push(`${name} accepts ${brief(args)} as arguments`);
    }
  }
  return judge("VEW-19", faults, "Unknown names and wrong arguments are rejected.");
}

function judgeFailures(answers: ReadonlyMap<string, Json | null>): Finding {
  const faults = [...answers].flatMap(([name, answer]) =>
    answer?.error?.code === -32603 ? [`${name} failed with ${brief(answer.error)}`] : [],
  );
  const failed = [...answers.values()].some((answer) => asRecord(answer?.result).isError === true);
  if (faults.length === 0 && !failed) {
    return absent("VEW-20", "No tool of the view failed with arguments that its schema accepts.");
  }
  return judge("VEW-20", faults, "A tool that fails returns isError.");
}

function metadataFaults({ name, description, inputSchema }: Json): string[] {
  const faults: string[] = [];
  if (typeof name !== "string" || name === "") faults.push(`a tool is named ${brief(name)}`);
  if (typeof description !== "string" || description.trim() === "") {
    faults.push(`${name} has no description`);
  }
  if (asRecord(inputSchema).type !== "object") {
    faults.push(`${name} has the inputSchema ${brief(inputSchema)}`);
  }
  return faults;
}
