// What a View makes of its tool's input while it is still being written.

import type { Json } from "../json.ts";
import { holds, judge, type Scenario } from "../scenario.ts";
import type { ViewTarget } from "../targets/view-target.ts";
import { generousHost, withView } from "./stage.ts";

const PARTIAL = "ui/notifications/tool-input-partial";
/** What has an effect outside the View. */
const CRITICAL = [
  "tools/call",
  "ui/message",
  "ui/open-link",
  "ui/download-file",
  "ui/update-model-context",
  "sampling/createMessage",
];

export const TOOL_DATA_SCENARIOS: readonly Scenario<ViewTarget>[] = [
  {
    title: "streams the tool's input in parts",
    rules: ["VEW-08", "VEW-09"],
    run: async (target) => {
      const calm = await watchParts(target, []);
      const busy = await watchParts(target, growing(target.input));
      // A View may poll by itself: only what it does more of than without parts is of the parts.
      const faults = CRITICAL.filter((method) => busy.count(method) > calm.count(method)).map(
        (method) => `${method} was sent on partial input`,
      );
      const shown =
        busy.text === calm.text ? "It waits for the whole." : "It shows them as they come.";
      return [
        holds("VEW-08", shown),
        judge("VEW-09", faults, "Partial input has no effect outside."),
      ];
    },
  },
  {
    title: "streams parts whose fields come, go and change their type",
    rules: ["VEW-10"],
    run: (target) =>
      withView(target, generousHost(target), async (session) => {
        await session.ready();
        await session.settled();
        const before = session.errors.length;
        for (const params of restless(target.input)) await session.notify(PARTIAL, params);
        await session.settled();
        const faults = session.errors.slice(before).map((error) => `uncaught: ${error}`);
        await session.tell(target);
        await session.settled();
        if (!(await session.isAlive())) faults.push("it answers no more");
        return [judge("VEW-10", [...new Set(faults)], "Parts may change as they like.")];
      }),
  },
];

interface Watched {
  count(method: string): number;
  /** What is to be read in the View. */
  text: string;
}

function watchParts(target: ViewTarget, parts: readonly Json[]): Promise<Watched> {
  return withView(target, generousHost(target), async (session) => {
    await session.ready();
    await session.settled();
    const before = session.received.length;
    for (const part of parts) await session.notify(PARTIAL, { arguments: part });
    await session.settled();
    const methods = session.received.slice(before).map(({ message }) => message.method);
    return {
      count: (method) => methods.filter((one) => one === method).length,
      text: await session.text(),
    };
  });
}

/** The input with one field more in each part. */
function growing(input: Json): Json[] {
  const fields = Object.entries(input);
  const parts = fields.map((_, index) => Object.fromEntries(fields.slice(0, index + 1)));
  return [{}, ...parts];
}

/** Every field missing, empty, and of every other type in turn. */
function restless(input: Json): Json[] {
  const values: unknown[] = ["", null, 0, [], {}, "text", false];
  const names = Object.keys(input);
  const strange = values.map((value) => Object.fromEntries(names.map((name) => [name, value])));
  const parts = [{}, input, ...strange, {}, input];
  return [{}, ...parts.map((part) => ({ arguments: part }))];
}
