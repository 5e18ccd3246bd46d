// A tool's metadata under `_meta`.

import { asRecord, brief, isRecord } from "../json.ts";
import { absent, holds, judge, type Scenario } from "../scenario.ts";
import type { UiTool } from "../targets/server-survey.ts";
import type { ServerTarget } from "../targets/server-target.ts";
import { judgeTools } from "./every-era.ts";

export const TOOL_SCENARIOS: readonly Scenario<ServerTarget>[] = [
  {
    title: "reads the visibility of every tool",
    rules: ["SRV-15"],
    run: async (target) => {
      const tools = (await target.surveys()).flatMap((survey) => survey.tools);
      if (tools.length === 0) return [absent("SRV-15", "The server lists no tools.")];
      const declared = tools.flatMap(({ name, _meta }) => {
        const { visibility } = asRecord(asRecord(_meta).ui);
        return visibility === undefined ? [] : [{ name, visibility }];
      });
      if (declared.length === 0) {
        return [holds("SRV-15", "No tool limits its visibility: model and view may call them.")];
      }
      const faults = declared.flatMap(({ name, visibility }) =>
        isVisibility(visibility) ? [] : [`${name}: visibility is ${brief(visibility)}`],
      );
      const note = `${declared.length} visibilities consist of "model" and "app".`;
      return [judge("SRV-15", [...new Set(faults)], note)];
    },
  },
  {
    title: "compares the nested key of every tool with the flat one",
    rules: ["SRV-16"],
    run: async (target) => [
      await judgeTools("SRV-16", target, keyFaults, "Every tool has the nested key"),
    ],
  },
  {
    title: "checks for csp and permissions where hosts ignore them",
    rules: ["SRV-17"],
    run: async (target) => [
      await judgeTools(
        "SRV-17",
        target,
        ({ ui }) =>
          ["csp", "permissions"]
            .filter((key) => isRecord(ui) && key in ui)
            .map((key) => `_meta.ui.${key} is ignored on a tool; it belongs on the resource`),
        "No tool has metadata that belongs on the resource",
      ),
    ],
  },
];

function isVisibility(value: unknown): boolean {
  return (
    Array.isArray(value) &&
    value.length > 0 &&
    value.every((one) => one === "model" || one === "app")
  );
}

function keyFaults({ nested, flat }: UiTool): string[] {
  if (nested === undefined) return ["it has only the flat key, which is deprecated"];
  if (flat !== undefined && flat !== nested) {
    return [`its keys differ: ${brief(nested)} nested, ${brief(flat)} flat`];
  }
  return [];
}
