// The data of a tool call that a view receives.

import { isDeepStrictEqual } from "node:util";
import { brief, type Json } from "../json.ts";
import { absent, broken, type Finding, holds, judge, type Scenario } from "../scenario.ts";
import type { HostSession } from "../targets/host-session.ts";
import type { HostTarget } from "../targets/host-target.ts";
import { withHost } from "./host-setup.ts";

const INPUT = "ui/notifications/tool-input";
const PARTIAL = "ui/notifications/tool-input-partial";
const RESULT = "ui/notifications/tool-result";
const CANCELLED = "ui/notifications/tool-cancelled";

const ARGUMENTS = { city: "Zürich", days: 3, deep: { list: [1, null, "x"], empty: {} } };
const ANSWER = {
  content: [
    { type: "text", text: "Sunny – 21 °C" },
    { type: "image", data: "AAAA", mimeType: "image/png" },
  ],
  structuredContent: { temperatures: [21, 19], nested: { ok: true } },
  _meta: { "conformance/private": { for: "the view" } },
  "conformance/extra": 7,
};
const FAILURE = { content: [{ type: "text", text: "The station is closed." }], isError: true };

export const TOOL_DATA_SCENARIOS: readonly Scenario<HostTarget>[] = [
  {
    title: "calls a tool with arguments and a result of many parts, and one that fails",
    rules: ["HST-43", "HST-44", "HST-47"],
    run: async (target) => {
      const [told, failed] = await Promise.all([tell(target, ANSWER), tell(target, FAILURE)]);
      return [judgeInput(told), judgeOrder([...told, ...failed]), judgeResult(told, failed)];
    },
  },
  {
    title: "lets a model write the arguments",
    rules: ["HST-45", "HST-46"],
    run: (target) => {
      const text = JSON.stringify(ARGUMENTS);
      const texts = [9, 17, 30, 41, text.length].map((length) => text.slice(0, length));
      const request = { texts, isPlain: true, arguments: ARGUMENTS };
      return withHost(target, request, async (session) => {
        if (!session.has("stream")) {
          const note = "The driver can't stream arguments.";
          return [absent("HST-45", note), absent("HST-46", note)];
        }
        await session.view();
        await session.received(INPUT);
        await session.quiet();
        return judgePartials(session);
      });
    },
  },
  {
    title: "ends a running tool call",
    rules: ["HST-48"],
    run: (target) => {
      const result = (): Promise<Json> => new Promise(() => {});
      return withHost(target, { parts: { show: { result } } }, async (session) => {
        await session.greeted();
        await session.received(INPUT, 5000);
        return [await judgeCancelled(session)];
      });
    },
  },
];

type Told = { session: string; method: string; params: Json }[];

function tell(target: HostTarget, result: Json): Promise<Told> {
  return withHost(
    target,
    { parts: { show: { result } }, arguments: ARGUMENTS },
    async (session) => {
      await session.greeted();
      await session.received(RESULT, 6000);
      await session.quiet();
      return session
        .messages("in")
        .filter(({ method }) => [INPUT, PARTIAL, RESULT, CANCELLED].includes(method))
        .map(({ method, params }) => ({ session: brief(result), method, params }));
    },
  );
}

function judgeInput(told: Told): Finding {
  const input = told.find(({ method }) => method === INPUT);
  if (!input) return broken("HST-43", `${INPUT} never came`);
  const isSame = isDeepStrictEqual(input.params?.arguments, ARGUMENTS);
  const faults = isSame ? [] : [`the arguments arrived as ${brief(input.params?.arguments)}`];
  return judge("HST-43", faults, "The arguments arrived unchanged.");
}

function judgeOrder(told: Told): Finding {
  const faults = [...new Set(told.map(({ session }) => session))].flatMap((session) => {
    const own = told.filter((one) => one.session === session).map(({ method }) => method);
    const inputs = own.filter((method) => method === INPUT).length;
    const [result, input] = [own.indexOf(RESULT), own.indexOf(INPUT)];
    return [
      ...(inputs > 1 ? [`${INPUT} came ${inputs} times`] : []),
      ...(result >= 0 && (input < 0 || result < input) ? [`${RESULT} came before ${INPUT}`] : []),
    ];
  });
  const isSeen = told.some(({ method }) => method === INPUT);
  if (!isSeen) return absent("HST-44", `${INPUT} never came.`);
  return judge("HST-44", faults, "The input arrived once, and before the result.");
}

function judgeResult(told: Told, failed: Told): Finding {
  const faultsOf = (expected: Json, lines: Told): string[] => {
    const found = lines.find(({ method }) => method === RESULT)?.params;
    if (!found) return [`${RESULT} never came${expected.isError ? " for a tool that failed" : ""}`];
    return Object.entries(expected).flatMap(([name, value]) => {
      // A server of 2026-07-28 may be named next to the private data.
      const isSame =
        name === "_meta"
          ? Object.entries(value).every(([key, one]) => isDeepStrictEqual(found._meta?.[key], one))
          : isDeepStrictEqual(found[name], value);
      return isSame ? [] : [`${name} of the result arrived as ${brief(found[name])}`];
    });
  };
  const faults = [...faultsOf(ANSWER, told), ...faultsOf(FAILURE, failed)];
  return judge("HST-47", faults, "Results arrive unchanged, including those of tools that failed.");
}

function judgePartials(session: HostSession): Finding[] {
  const lines = session
    .messages("in")
    .filter(({ method }) => method === PARTIAL || method === INPUT);
  const input = lines.findIndex(({ method }) => method === INPUT);
  const partials = lines.filter(({ method }) => method === PARTIAL);
  const late = input < 0 ? [] : lines.slice(input).filter(({ method }) => method === PARTIAL);
  const odd = partials.filter(({ params }) => typeof params?.arguments !== "object");
  const last = brief(partials.at(-1)?.params?.arguments);
  return [
    holds(
      "HST-45",
      `${partials.length} partial inputs, ${odd.length} of them without arguments, the last ${last}.`,
    ),
    partials.length === 0
      ? absent("HST-46", "The host sends no partial input.")
      : judge(
          "HST-46",
          [
            ...late.map(() => `${PARTIAL} came after ${INPUT}`).slice(0, 1),
            ...(input < 0 ? [`${INPUT} never came`] : []),
          ],
          "No partial input came after the complete input.",
        ),
  ];
}

async function judgeCancelled(session: HostSession): Promise<Finding> {
  const canCancel = session.has("cancel");
  if (canCancel) await session.driver.cancel?.(session.page);
  else session.server.hangUp();
  const isTold = await session.received(CANCELLED, 4000);
  const how = canCancel ? "The call was cancelled" : "The server closed the connection";
  if (isTold) return holds("HST-48", `${how}, and the view received ${brief(isTold.params)}.`);
  const result = session.messages("in", RESULT)[0];
  // A broken connection may also be reported as an error result.
  if (!canCancel && result?.params?.isError)
    return holds("HST-48", `${how}; the view got an error.`);
  return broken("HST-48", `${how}, and the view was not notified`);
}
