// Checks an app: reads everything from a server, renders its views, and sorts the findings.

import { readFile } from "node:fs/promises";
import { RESOURCE_MIME_TYPE } from "@vitrine/protocol/apps";
import type { Story } from "@vitrine/testing";
import type { Browser } from "playwright-core";
import { Failure } from "../failure.ts";
import { readViewSource, type ViewSource } from "../frame/view-source.ts";
import { nearest } from "../nearest.ts";
import { connectServer, type ServerConnection } from "../target/server-connection.ts";
import { nameOf, type Target } from "../target/target.ts";
import type { CheckedView } from "./checked-view.ts";
import { type Diagnosis, diagnose } from "./diagnosis.ts";
import { distinct, type Finding, finding } from "./finding.ts";
import type { Json } from "./json.ts";
import { lintMetadata } from "./lint/metadata-lint.ts";
import { isServed, lintResources } from "./lint/resource-lint.ts";
import { lintResults } from "./lint/result-lint.ts";
import { lintTools } from "./lint/tool-lint.ts";
import { lintView, type ReadView } from "./lint/view-lint.ts";
import { inSource } from "./render/author-places.ts";
import { callDataOf } from "./render/call-data.ts";
import type { Picture } from "./render/picture.ts";
import { renderView } from "./render/render-view.ts";
import { openRenderer } from "./render/renderer.ts";
import type { RunName } from "./render/runs.ts";
import { judgeStories } from "./render/story-runs.ts";
import { offlineUpstream, surveyedUpstream } from "./render/surveyed-upstream.ts";
import { sourcePath } from "./report/source-path.ts";
import { metadataOf, type Survey, type SurveyedView, surveyServer } from "./survey/survey.ts";

/** Options of a check. */
export interface CheckOptions {
  /** Renders the views; without one their source is only read. */
  browser?: Browser | undefined;
  /** Arguments by tool name. */
  calls?: Record<string, Json>;
  calling?: "safe" | "all" | "none";
  /** Codes to leave out, or the only codes to report. */
  ignore?: readonly string[];
  only?: readonly string[];
  /** Only check these tools. */
  tools?: readonly string[];
  /** Called with a picture of each state of each view; a repeated run has another one. */
  onPicture?: ((picture: Picture) => void) | undefined;
  network?: boolean;
  patience?: number;
  /** The project's folder, where source maps of views are searched; by default the current one. */
  folder?: string;
  /** The author's stories, as more runs of the views that they are about. */
  stories?: readonly Story[];
  /** The runs in the browser; all by default. */
  runs?: readonly RunName[];
}

/** The result of a check. */
export interface CheckReport {
  target: string;
  /** The file in the work tree that findings refer to. */
  source: string;
  views: readonly CheckedView[];
  tools: number;
  uiTools: number;
  /** UI tools that weren't called, and why. */
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

/** Checks a single page, as the view of one tool. */
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
  /** The page is a file, so it is named by its path. */
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
  const { browser, connection, found, file, onPicture, network, patience } = options;
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
    onPicture,
    ...(network !== undefined && { network }),
    ...(patience !== undefined && { patience }),
  });
  const checked: CheckedView[] = [];
  const results = survey.calls.flatMap(({ result }) => (result ? [result] : []));
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
      const resource = file ?? view.uri;
      const source = await sourceOf(view.html ?? "", resource, options);
      const subject = {
        place: { resource, tool: view.tools[0] },
        document: text.document,
        facts: text.facts,
        meta: metadataOf(view),
        source,
        call: callDataOf(uiTool, survey.calls),
        server: { tools: survey.tools, results },
      };
      const { sightings, findings, isShown } = await renderView(renderer, subject, options.runs);
      const own = options.stories?.filter(({ tool }) => view.tools.includes(tool)) ?? [];
      if (isShown) found.push(...(await judgeStories(renderer, subject, own)));
      found.push(...findings);
      found.splice(0, Number.POSITIVE_INFINITY, ...allInSource(found, { resource, source }));
      checked.push({ uri: view.uri, tool: view.tools[0], isShown, sightings });
    }
  } finally {
    await renderer.close();
  }
  return checked;
}

function sourceOf(html: string, resource: string, { folder }: CheckOptions): Promise<ViewSource> {
  return readViewSource(html, { resource, ...(folder !== undefined && { folder }) });
}

/** The same findings; those about one view name the author's file. */
function allInSource(
  found: readonly Finding[],
  { resource, source }: { resource: string; source: ViewSource },
): Finding[] {
  return found.map((one) => (one.place.resource === resource ? inSource(one, source) : one));
}

function* withoutUi({ tools, uiTools, problems }: Survey): Iterable<Finding> {
  for (const { method, message } of problems) {
    yield finding(
      "list-failed",
      method === "tools/list" ? "text-only" : "broken",
      {},
      {
        cause: `The server declares ${method} but fails to answer it: ${message}.`,
        remedy: `make ${method} answer a plain client in time; reproduce it with vitrine dev`,
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
          ? "The server has no tools, so there is nothing to show."
          : `None of the server's ${tools.length} ${tools.length === 1 ? "tool names" : "tools names"} a view, so hosts show their results as text.`,
      remedy: `add views without writing any: autoViews(catalogue) of @vitrine/server/auto-views picks a template for each tool; or give "${first?.name ?? "a tool"}" its own view: _meta: { ui: { resourceUri: "ui://server/view.html" } }`,
    },
  );
}

function keepTools(survey: Survey, names: readonly string[] | undefined): Survey {
  if (!names || names.length === 0) return survey;
  const known = survey.tools.map(({ name }) => String(name));
  for (const name of names) {
    if (known.includes(name)) continue;
    const meant = nearest(name, known);
    throw new Failure(
      "usage",
      `The server has no tool "${name}".${meant ? ` Did you mean "${meant}"?` : ""}`,
    );
  }
  const uiTools = survey.uiTools.filter(({ name }) => names.includes(name));
  const views = survey.views.filter(({ tools }) => tools.some((name) => names.includes(name)));
  const calls = survey.calls.filter(({ name }) => names.includes(name));
  return { ...survey, uiTools, views, calls };
}

function isWanted(code: string, { ignore = [], only = [] }: CheckOptions): boolean {
  return !ignore.includes(code) && (only.length === 0 || only.includes(code));
}
