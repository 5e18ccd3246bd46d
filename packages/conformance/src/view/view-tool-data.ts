// How a view handles its tool's input while it is still being written.

import type { Json } from "../json.ts";
import { holds, judge, type Scenario } from "../scenario.ts";
import type { ViewTarget } from "../targets/view-target.ts";
import { generousHost, withView } from "./view-setup.ts";

const PARTIAL = "ui/notifications/tool-input-partial";
/** Requests with an effect outside the view. */
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
      // A view may poll: only requests beyond those without partial input count.
      const faults = CRITICAL.filter((method) => busy.count(method) > calm.count(method)).map(
        (method) => `${method} was sent on partial input`,
      );
      const shown =
        busy.text === calm.text ? "It waits for the complete input." : "It shows partial input.";
      return [
        holds("VEW-08", shown),
        judge("VEW-09", faults, "Partial input has no effect outside."),
      ];
    },
  },
  {
    title: "streams partial input whose fields appear, disappear and change their type",
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
        if (!(await session.isAlive())) faults.push("it stops responding");
        return [judge("VEW-10", [...new Set(faults)], "Partial input may change in any way.")];
      }),
  },
];

interface Watched {
  count(method: string): number;
  /** The text in the view. */
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

/** The input with one more field in each part. */
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
