// The doctor: asks a server for everything it has, reads it, shows it, and puts what it found in order.

import { readFile } from "node:fs/promises";
import { RESOURCE_MIME_TYPE } from "@vitrine/protocol/apps";
import type { Browser } from "playwright-core";
import { connectServer, type ServerConnection } from "../target/server-connection.ts";
import { nameOf, type Target } from "../target/target.ts";
import { type Diagnosis, diagnose } from "./diagnosis.ts";
import { distinct, type Finding, finding } from "./finding.ts";
import type { Json } from "./json.ts";
import { lintMetadata } from "./lint/metadata-lint.ts";
import { isServed, lintResources } from "./lint/resource-lint.ts";
import { lintResults } from "./lint/result-lint.ts";
import { lintTools } from "./lint/tool-lint.ts";
import { lintView, type ReadView } from "./lint/view-lint.ts";
import { callDataOf } from "./render/call-data.ts";
import { renderView } from "./render/render-view.ts";
import { openRenderer } from "./render/renderer.ts";
import type { RunName } from "./render/runs.ts";
import type { Sighting } from "./render/sighting.ts";
import { offlineUpstream, surveyedUpstream } from "./render/surveyed-upstream.ts";
import { sourcePath } from "./report/source-path.ts";
import { metadataOf, type Survey, type SurveyedView, surveyServer } from "./survey/survey.ts";

/** How an app is checked. */
export interface CheckOptions {
  /** Where Views are shown; without one they are only read. */
  browser?: Browser | undefined;
  /** Arguments of tools, by their names. */
  calls?: Record<string, Json>;
  calling?: "safe" | "all" | "none";
  /** Codes to leave out, and codes to keep alone. */
  ignore?: readonly string[];
  only?: readonly string[];
  /** Tools to look at alone. */
  tools?: readonly string[];
  screenshots?: string | undefined;
  network?: boolean;
  patience?: number;
  /** The runs in the browser; all by default. */
  runs?: readonly RunName[];
}

/** One View and what became of it. */
export interface CheckedView {
  uri: string;
  tool: string | undefined;
  /** Nothing if it was not shown to a browser. */
  isShown: boolean | undefined;
  sightings: readonly Sighting[];
}

/** What a check found. */
export interface CheckReport {
  target: string;
  /** The file in the work tree that stands for it. */
  source: string;
  views: readonly CheckedView[];
  tools: number;
  uiTools: number;
  /** UI tools that were not called, and why. */
  skipped: readonly { readonly tool: string; readonly reason: string }[];
  findings: readonly Finding[];
  diagnosis: Diagnosis;
  elapsed: number;
}

/** Checks a server. */
export async function checkServer(
  target: Target,
  options: CheckOptions = {},
): Promise<CheckReport> {
  const connection = await connectServer(target);
  try {
    const { calls = {}, calling = "safe" } = options;
    const survey = keepTools(await surveyServer(connection, { calls, calling }), options.tools);
    const endpoint = target.kind === "url" ? target.url.href : undefined;
    const source = sourcePath(target);
    const name = nameOf(target);
    return await checkSurvey(survey, { ...options, name, source, connection, endpoint });
  } finally {
    await connection.close().catch(() => {});
  }
}

/** Checks a page by itself, as a View that one tool names. */
export async function checkFile(
  file: string,
  options: CheckOptions & { meta?: Json; result?: Json } = {},
): Promise<CheckReport> {
  const html = await readFile(file, "utf8");
  const uri = "ui://file/view.html";
  const tool = {
    name: "view",
    inputSchema: { type: "object" },
    _meta: { ui: { resourceUri: uri } },
  };
  const meta = { prefersBorder: true, ...options.meta };
  const content = { uri, mimeType: RESOURCE_MIME_TYPE, text: html, _meta: { ui: meta } };
  const view: SurveyedView = { uri, entry: undefined, tools: ["view"], content, items: 1, html };
  const call = { name: "view", arguments: {}, isGiven: false };
  const survey: Survey = {
    tools: [tool],
    uiTools: [{ name: "view", tool, nested: uri, flat: uri, foreign: undefined, uri }],
    resources: [],
    templates: [],
    views: [view],
    calls: options.result ? [{ ...call, result: options.result }] : [],
    problems: [],
  };
  return checkSurvey(survey, { ...options, name: file, source: sourcePath(file), file });
}

interface SurveyCheck extends CheckOptions {
  name: string;
  source: string;
  connection?: ServerConnection;
  endpoint?: string | undefined;
  /** The page is a file, and is called by its path. */
  file?: string;
}

async function checkSurvey(survey: Survey, options: SurveyCheck): Promise<CheckReport> {
  const began = performance.now();
  const { name, source, endpoint, file } = options;
  const found: Finding[] = [
    ...withoutUi(survey),
    ...lintTools(survey),
    ...lintResources(survey),
    ...lintResults(survey.calls),
  ];
  const read = new Map<SurveyedView, ReadView>();
  for (const view of survey.views) {
    if (view.html === undefined || view.content === undefined) continue;
    const place = { resource: file ?? view.uri, tool: view.tools[0] };
    const seen = lintView(view.html, { place, meta: metadataOf(view) });
    read.set(view, seen);
    found.push(...seen.findings, ...(file ? [] : lintMetadata(view, endpoint)));
  }
  const views = await showViews(survey, read, { ...options, found });
  const findings = distinct(found).filter(({ code }) => isWanted(code, options));
  const diagnosis = diagnose(findings, views);
  return {
    target: name,
    source,
    views,
    tools: survey.tools.length,
    uiTools: survey.uiTools.length,
    skipped: survey.calls.flatMap(({ name: tool, skipped: reason }) =>
      reason ? [{ tool, reason }] : [],
    ),
    findings: diagnosis.findings,
    diagnosis,
    elapsed: performance.now() - began,
  };
}

async function showViews(
  survey: Survey,
  read: ReadonlyMap<SurveyedView, ReadView>,
  options: SurveyCheck & { found: Finding[] },
): Promise<CheckedView[]> {
  const { browser, connection, found, file, screenshots, network, patience } = options;
  const unshown = (view: SurveyedView): CheckedView => ({
    uri: view.uri,
    tool: view.tools[0],
    isShown: undefined,
    sightings: [],
  });
  const used = survey.views.filter(({ tools }) => tools.length > 0);
  if (!browser || !used.some(isServed)) return used.map(unshown);
  const upstream = connection
    ? surveyedUpstream(connection.upstream, survey)
    : offlineUpstream(survey);
  const renderer = await openRenderer({
    browser,
    upstream,
    screenshots,
    ...(network !== undefined && { network }),
    ...(patience !== undefined && { patience }),
  });
  const checked: CheckedView[] = [];
  try {
    for (const view of used) {
      const text = read.get(view);
      const uiTool = survey.uiTools.find(
        ({ name, uri }) => name === view.tools[0] && uri === view.uri,
      );
      if (!text || !isServed(view) || !uiTool) {
        checked.push(unshown(view));
        continue;
      }
      const subject = {
        place: { resource: file ?? view.uri, tool: view.tools[0] },
        document: text.document,
        facts: text.facts,
        meta: metadataOf(view),
        call: callDataOf(uiTool, survey.calls),
      };
      const { sightings, findings, isShown } = await renderView(renderer, subject, options.runs);
      found.push(...findings);
      checked.push({ uri: view.uri, tool: view.tools[0], isShown, sightings });
    }
  } finally {
    await renderer.close();
  }
  return checked;
}

function* withoutUi({ tools, uiTools, problems }: Survey): Iterable<Finding> {
  for (const { method, message } of problems) {
    yield finding(
      "list-failed",
      method === "tools/list" ? "text-only" : "broken",
      {},
      {
        cause: `The server says that it has ${method} and fails to answer it: ${message}.`,
        remedy: `let ${method} answer a plain client in time; see it fail with vitrine dev`,
      },
    );
  }
  if (uiTools.length > 0 || problems.length > 0) return;
  const [first] = tools;
  yield finding(
    "no-ui",
    "note",
    {},
    {
      cause:
        tools.length === 0
          ? "The server has no tools at all, so there is nothing to show."
          : `None of the server's ${tools.length} ${tools.length === 1 ? "tool names" : "tools names"} a View, so Hosts show their results as text.`,
      remedy: `show them without writing a View: adorn(catalogue) of @vitrine/server/adorn picks a template for each; or give one to "${first?.name ?? "a tool"}" by hand: _meta: { ui: { resourceUri: "ui://server/view.html" } }`,
    },
  );
}

function keepTools(survey: Survey, names: readonly string[] | undefined): Survey {
  if (!names || names.length === 0) return survey;
  const uiTools = survey.uiTools.filter(({ name }) => names.includes(name));
  const views = survey.views.filter(({ tools }) => tools.some((name) => names.includes(name)));
  const calls = survey.calls.filter(({ name }) => names.includes(name));
  return { ...survey, uiTools, views, calls };
}

function isWanted(code: string, { ignore = [], only = [] }: CheckOptions): boolean {
  return !ignore.includes(code) && (only.length === 0 || only.includes(code));
}
