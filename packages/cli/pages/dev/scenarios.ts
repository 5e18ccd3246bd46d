// Scenarios in the page: mock results, the current run as a scenario, and the files of the project.

import type { Peer } from "@vitrine/protocol";
import type { CallToolResult } from "@vitrine/protocol/apps";
import type { Scenario, ScenarioHost, Story } from "@vitrine/testing";
import type { ScenarioSummary } from "../../src/dev/page-protocol.ts";
import type { Run } from "./dev-state.ts";
import { DEVICES, deviceOf, type Settings } from "./settings.ts";
import type { TimelineRow } from "./timeline-model.ts";

/** How a mocked call ends. */
export type MockKind = "text" | "empty" | "error" | "cancelled" | "waiting";

/** Labels of the kinds. */
export const MOCK_KINDS: Record<MockKind, string> = {
  text: "A result",
  empty: "An empty result",
  error: "An error",
  cancelled: "Cancelled",
  waiting: "Never answered",
};

/** The scenario files of the project. */
export interface ScenarioLibrary {
  list(): Promise<ScenarioSummary[]>;
  read(file: string): Promise<Story>;
  /** Returns the name of the file. */
  save(story: Story): Promise<string>;
}

/** The library behind the page. */
export function createScenarioLibrary(peer: Peer): ScenarioLibrary {
  return {
    list: async () =>
      ((await peer.request("dev/scenarios")) as { scenarios: ScenarioSummary[] }).scenarios,
    read: async (file) =>
      ((await peer.request("dev/scenario", { file })) as { story: Story }).story,
    save: async (story) =>
      ((await peer.request("dev/save-scenario", { story })) as { file: string }).file,
  };
}

/** A result to begin with. */
export function mockResult(kind: MockKind): CallToolResult | undefined {
  if (kind === "text") return { content: [{ type: "text", text: "Done." }] };
  if (kind === "empty") return { content: [] };
  if (kind === "error")
    return { isError: true, content: [{ type: "text", text: "The tool failed." }] };
  return undefined;
}

/** How a run ended. */
export function kindOf({ result, cancelled }: Pick<Scenario, "result" | "cancelled">): MockKind {
  if (cancelled !== undefined) return "cancelled";
  if (!result) return "waiting";
  if (result.isError) return "error";
  return (result.content?.length ?? 0) === 0 && !result.structuredContent ? "empty" : "text";
}

/** The current run as a scenario, with the answers that its view got. */
export function scenarioOf(
  { tool, arguments: input, state, result, error, scenario }: Run,
  rows: readonly TimelineRow[],
): Scenario {
  const isCancelled = state === "cancelled" || error !== undefined;
  const tools = scenario?.tools ?? answersTo(rows);
  return {
    tool: tool.name,
    input,
    ...(scenario?.partialInputs && { partialInputs: scenario.partialInputs }),
    ...(result && { result }),
    ...(isCancelled && {
      cancelled: (scenario?.cancelled ?? error ?? "by the user").slice(0, 2000),
    }),
    ...(Object.keys(tools).length > 0 && { tools }),
  };
}

/** The answers to the calls of the newest view. */
function answersTo(rows: readonly TimelineRow[]): Record<string, CallToolResult[]> {
  const newest = rows.reduce((most, { view = 0 }) => Math.max(most, view), 0);
  const calls = rows.filter(
    ({ kind, from, method, view }) =>
      kind === "request" && from === "view" && method === "tools/call" && view === newest,
  );
  const answers = new Map(rows.map((row) => [row.partner, row]));
  const found: Record<string, CallToolResult[]> = {};
  for (const { index, message } of calls) {
    const { name } = Object((message as { params?: unknown }).params) as { name?: unknown };
    const answer = answers.get(index);
    if (typeof name !== "string" || answer?.kind !== "answer") continue;
    const { result } = answer.message as { result: CallToolResult };
    found[name] = [...(found[name] ?? []), result];
  }
  return found;
}

/** The host of a scenario, from the settings. */
export function hostOf(settings: Settings): ScenarioHost {
  const { theme, locale, profile } = settings;
  const { width } = deviceOf(settings);
  return {
    theme,
    locale,
    ...(width !== undefined && { width }),
    ...(profile !== "" && { profile }),
  };
}

/** The settings for the host of a scenario. A width that no device has stays as it is. */
export function settingsFor({ theme, locale, width, profile }: ScenarioHost): Partial<Settings> {
  const device = DEVICES.find((one) => one.width === width);
  return {
    ...(theme && { theme }),
    ...(locale !== undefined && { locale }),
    ...(device && { device: device.id }),
    ...(profile !== undefined && { profile }),
  };
}
