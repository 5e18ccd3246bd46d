import { absent, type Finding, judge } from "../scenario.ts";
import type { Survey, UiResource, UiTool } from "../targets/server-survey.ts";
import type { ServerTarget } from "../targets/server-target.ts";

const NO_VIEWS = "The server has no tool that names a view, and lists no view.";
const NO_UI_TOOLS = "The server has no tool that names a view.";

/** Judges every view of every era by its faults. */
export async function judgeViews(
  rule: string,
  target: ServerTarget,
  faultsOf: (resource: UiResource, survey: Survey) => readonly string[],
  note: string,
): Promise<Finding> {
  return judgeEach(rule, target, {
    entries: ({ resources }) => resources,
    nameOf: ({ uri }) => uri,
    faultsOf,
    none: NO_VIEWS,
    note,
  });
}

/** The same for every tool that names a view. */
export async function judgeTools(
  rule: string,
  target: ServerTarget,
  faultsOf: (tool: UiTool, survey: Survey) => readonly string[],
  note: string,
): Promise<Finding> {
  return judgeEach(rule, target, {
    entries: ({ uiTools }) => uiTools,
    nameOf: ({ name }) => name,
    faultsOf,
    none: NO_UI_TOOLS,
    note,
  });
}

interface Judgement<T> {
  entries(survey: Survey): readonly T[];
  nameOf(entry: T): string;
  faultsOf(entry: T, survey: Survey): readonly string[];
  none: string;
  note: string;
}

async function judgeEach<T>(
  rule: string,
  target: ServerTarget,
  { entries, nameOf, faultsOf, none, note }: Judgement<T>,
): Promise<Finding> {
  const surveys = await target.surveys();
  if (surveys.every((survey) => entries(survey).length === 0)) return absent(rule, none);
  // A fault in both eras is reported once.
  const faults = new Set(
    surveys.flatMap((survey) =>
      entries(survey).flatMap((entry) =>
        faultsOf(entry, survey).map((fault) => `${nameOf(entry)}: ${fault}`),
      ),
    ),
  );
  const count = Math.max(...surveys.map((survey) => entries(survey).length));
  return judge(rule, [...faults], `${note} (${count} of them, MCP ${target.eras.join(" and ")}).`);
}
