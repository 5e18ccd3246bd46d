// The results for a client that doesn't show views, and the extension's announcement to both.

import { EXTENSION_ID } from "@vitrine/protocol/apps";
import { brief, isRecord, type Json } from "../json.ts";
import { absent, type Finding, holds, judge, type Scenario } from "../scenario.ts";
import type { Era, ServerSession } from "../targets/server-session.ts";
import { type Survey, surveyServer } from "../targets/server-survey.ts";
import type { ServerTarget } from "../targets/server-target.ts";
import { callTools, type ToolCall, textOf } from "./tool-calls.ts";

export const CLIENT_SCENARIOS: readonly Scenario<ServerTarget>[] = [
  {
    title: "calls every UI tool as a client that shows no views",
    rules: ["SRV-11", "SRV-12", "SRV-14"],
    run: async (target) => {
      const eras = await Promise.all(target.eras.map((era) => compare(era, target)));
      if (eras.every(({ withUi }) => withUi.uiTools.length === 0)) {
        const note = "The server has no tool that names a view.";
        return ["SRV-11", "SRV-12", "SRV-14"].map((rule) => absent(rule, note));
      }
      return [judgeCheck(eras), judgeFallback(eras), tellVariants(eras)];
    },
  },
  {
    title: "reads the server's announcement of the extension",
    rules: ["SRV-20"],
    run: async (target) => {
      const surveys = await target.surveys();
      const faults = surveys.flatMap(({ era, capabilities }) => {
        const said = (capabilities.extensions as Json | undefined)?.[EXTENSION_ID];
        const where = era === "2026-07-28" ? "server/discover" : "initialize";
        if (isRecord(said)) return [];
        return [`capabilities.extensions["${EXTENSION_ID}"] is ${brief(said)} in ${where}`];
      });
      // Optional means that a client without it is served too; SRV-12 checks with what.
      for (const era of target.eras)
        await (await target.session(era, { ui: false })).list("tools/list", "tools");
      return [
        judge("SRV-20", faults, `The extension is announced in MCP ${target.eras.join(" and ")}.`),
      ];
    },
  },
];

interface Comparison {
  era: Era;
  withUi: Survey;
  without: Survey;
  calls: ToolCall[];
  refused: string[];
}

async function compare(era: Era, target: ServerTarget): Promise<Comparison> {
  const withUi = await target.survey(era);
  const session: ServerSession = await target.session(era, { ui: false });
  const without = await surveyServer(session);
  // A plain client calls the variant that it is offered under the name.
  const names = withUi.uiTools.map(({ name }) => name);
  const offered = without.tools.filter(({ name }) => names.includes(name));
  const tools = offered.map((tool) => ({
    ...(withUi.uiTools.find(({ name }) => name === tool.name) as Survey["uiTools"][number]),
    tool,
  }));
  const modelTools = tools.filter(({ ui }) => isForModel(ui));
  return { era, withUi, without, ...(await callTools(session, modelTools, target)) };
}

/** A tool for the view only needs no text for a client without views. */
function isForModel(ui: unknown): boolean {
  const visibility = isRecord(ui) ? ui.visibility : undefined;
  return !Array.isArray(visibility) || visibility.includes("model");
}

function judgeFallback(eras: readonly Comparison[]): Finding {
  const results = eras.flatMap(({ calls }) => calls).filter(({ result }) => result);
  if (results.length === 0) {
    const all = eras.flatMap(({ calls, refused }) => [
      ...refused,
      ...calls.flatMap(({ problem }) => problem ?? []),
    ]);
    const reasons = [...new Set(all)].join("; ");
    return absent("SRV-12", `No result to read: ${reasons || "it is offered no UI tool"}.`);
  }
  const faults = results
    .filter(({ result = {} }) => textOf(result) === "")
    .map(({ name }) => `${name}: no text for a client that shows no views`);
  return judge("SRV-12", [...new Set(faults)], "Every result has text without the view.");
}

/**
 * Lists may not vary in MCP 2026-07-28, so a server may list everything and answer with text. It may
 * not give a plain client tools that only work with their view.
 */
function judgeCheck(eras: readonly Comparison[]): Finding {
  if (eras.some(({ without }) => without.uiTools.length === 0)) {
    return holds("SRV-11", "A client without the extension is offered no UI tools.");
  }
  const useless = eras.flatMap(({ calls }) =>
    calls.filter(({ result }) => result && textOf(result) === "").map(({ name }) => name),
  );
  const seen = eras.flatMap(({ calls }) => calls).some(({ result }) => result);
  if (!seen) return absent("SRV-11", "UI tools are listed for every client, and none was called.");
  const faults = [...new Set(useless)].map(
    (name) => `${name}: listed for a client without the extension, which gets no text from it`,
  );
  return judge("SRV-11", faults, "UI tools are listed for every client, and answer with text.");
}

function tellVariants(eras: readonly Comparison[]): Finding {
  const varies = eras.filter(({ withUi, without }) => names(withUi) !== names(without));
  const note =
    varies.length > 0
      ? `Tools vary with the extension in MCP ${varies.map(({ era }) => era).join(", ")}.`
      : "Every client is offered the same tools.";
  return holds("SRV-14", note);
}

function names({ tools }: Survey): string {
  return tools
    .map(({ name, _meta }) => `${name} ${JSON.stringify(_meta)}`)
    .sort()
    .join("\n");
}
