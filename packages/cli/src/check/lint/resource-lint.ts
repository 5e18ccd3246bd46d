// Checks views as the server returns them, before their HTML is read.

import { isAppMimeType, RESOURCE_MIME_TYPE, UI_SCHEME } from "@vitrine/protocol/apps";
import { weigh } from "@vitrine/server/scan";
import { nearest } from "../../nearest.ts";
import { type Finding, finding } from "../finding.ts";
import { asRecord, brief, oneLine } from "../json.ts";
import type { Survey, SurveyedView } from "../survey/survey.ts";

/** The limits above which hosts, or some of them, reject a view. */
const REFUSED_BYTES = 5 * 2 ** 20;
const LARGE_BYTES = 2 ** 20;

/** Problems in a server's resources. */
export function lintResources(survey: Survey): Finding[] {
  return survey.views.flatMap((view) => {
    if (!view.uri.startsWith(UI_SCHEME)) return [];
    const missing = [...absence(view, survey)];
    if (missing.length > 0) return missing;
    return [...contentFaults(view), ...usageFaults(view, survey)];
  });
}

function* absence(view: SurveyedView, survey: Survey): Iterable<Finding> {
  const { uri, problem, content, entry, tools } = view;
  const place = { resource: uri, tool: tools[0] };
  // Already reported for the tool.
  if (/[{}]/.test(uri) && content === undefined) return;
  if (content === undefined) {
    const others = survey.resources.map((one) => String(one.uri)).filter((one) => one !== uri);
    const close = nearest(uri, others);
    const isKnown = entry !== undefined || /without contents/.test(problem ?? "");
    const who = tools[0] ? `The tool "${tools[0]}" names ${uri}` : `The list has ${uri}`;
    if (isKnown) {
      yield finding("resource-failed", "blank", place, {
        cause: `${who}, but reading it fails: ${problem}.`,
        remedy: `make resources/read of ${uri} return { contents: [{ uri: "${uri}", mimeType: "${RESOURCE_MIME_TYPE}", text: html }] }`,
      });
      return;
    }
    yield finding("resource-missing", "blank", place, {
      cause: `${who}, which the server doesn't have: ${problem}.${close ? ` It has ${close}.` : ""}`,
      remedy: close
        ? `write on the tool "${tools[0]}": _meta: { ui: { resourceUri: "${close}" } }`
        : `register it: server.registerResource("view", "${uri}", { mimeType: "${RESOURCE_MIME_TYPE}" }, …) returning { contents: [{ uri, mimeType, text: html }] }`,
    });
    return;
  }
  if (view.html === undefined) {
    yield finding("resource-empty", "blank", place, {
      cause: `resources/read of ${uri} returns no document: ${problem}.`,
      remedy: `return { contents: [{ uri: "${uri}", mimeType: "${RESOURCE_MIME_TYPE}", text: html }] }, with the whole page in text`,
    });
  }
}

function* contentFaults(view: SurveyedView): Iterable<Finding> {
  const { uri, content, entry, html = "", items } = view;
  const place = { resource: uri, tool: view.tools[0] };
  const mimeType = content?.mimeType;
  if (!isAppMimeType(mimeType)) {
    yield finding("mime-type", "blank", place, {
      cause: `${uri} has the MIME type ${brief(mimeType)}; hosts only show views of type "${RESOURCE_MIME_TYPE}".`,
      remedy: `write in the contents of resources/read for ${uri}: mimeType: "${RESOURCE_MIME_TYPE}"`,
    });
  } else if (entry && entry.mimeType !== undefined && !isAppMimeType(entry.mimeType)) {
    yield finding("mime-type", "poor", place, {
      cause: `${uri} is listed with the MIME type ${brief(entry.mimeType)} but read with another.`,
      remedy: `write in resources/list for ${uri}: mimeType: "${RESOURCE_MIME_TYPE}"`,
    });
  }
  if (content?.uri !== uri && content?.uri !== URL.parse(uri)?.href) {
    yield finding("resource-address", "blank", place, {
      cause: `resources/read of ${uri} returns the content of ${brief(content?.uri)}; a strict host only accepts the requested address.`,
      remedy: `write in the contents of resources/read: uri: "${uri}"`,
    });
  } else if (items > 1) {
    yield finding("resource-several", "poor", place, {
      cause: `resources/read of ${uri} returns ${items} contents; each host guesses which one is the view.`,
      remedy: `return one item: { contents: [{ uri: "${uri}", mimeType, text }] }`,
    });
  }
  yield* sizeFaults(html, place);
  if (!/<[a-z!]/i.test(html)) {
    yield finding("not-html", "blank", place, {
      cause: `${uri} has no markup: ${brief(oneLine(html, 60))}.`,
      remedy: `send the page itself as text${/\[object|undefined/.test(html) ? "; here a value was inserted instead of its text (await it, or read the file as utf8)" : ""}: text: await readFile("dist/view.html", "utf8")`,
    });
  } else if (isErrorPage(html)) {
    yield finding("not-html", "blank", place, {
      cause: `${uri} is another server's error page, not the view: ${brief(titleOf(html))}.`,
      remedy: `send the built page from its file: text: await readFile("dist/view.html", "utf8")`,
    });
  }
}

function* sizeFaults(html: string, place: Finding["place"]): Iterable<Finding> {
  const { raw, gzip } = weigh(html);
  const size = `${(raw / 2 ** 20).toFixed(1)} MiB (${Math.round(gzip / 1000).toLocaleString("en")} KB gzipped)`;
  const remedy =
    "build with vite (vitrineViews() reports each module's size), remove unused code, and load images and data with the result or from a declared domain";
  if (raw > REFUSED_BYTES) {
    yield finding("too-large", "blank", place, {
      cause: `${place.resource} has ${size}; hosts reject a view of more than 5 MiB.`,
      remedy,
    });
  } else if (raw > LARGE_BYTES) {
    yield finding("large", "poor", place, {
      cause: `${place.resource} has ${size}; some hosts reject more than 1 MiB, and all users wait for it.`,
      remedy,
    });
  }
}

function* usageFaults(view: SurveyedView, survey: Survey): Iterable<Finding> {
  const { uri, tools } = view;
  if (tools.length > 0) return;
  // A view that another one refers to, or an older version that is still served.
  const place = { resource: uri };
  const dangling = survey.uiTools.find(({ uri: named }) => named === undefined);
  yield finding("resource-unused", "note", place, {
    cause: `No tool names ${uri}, so no host ever shows it.`,
    remedy: `add to the tool whose result it shows${dangling ? ` ("${dangling.name}")` : ""}: _meta: { ui: { resourceUri: "${uri}" } }`,
  });
}

function isErrorPage(html: string): boolean {
  const text = html.slice(0, 20_000);
  return (
    /<pre>Cannot GET |<title>(?:4\d\d|5\d\d|error|not found|bad gateway)\b/i.test(text) ||
    /ERR_NGROK|ngrok-free|ngrok\.com\/static/i.test(text)
  );
}

function titleOf(html: string): string {
  const title = /<(?:title|pre|h1)[^>]*>([^<]{1,80})/i.exec(html)?.[1] ?? "an error page";
  return oneLine(title, 80);
}

/** Whether a view can be shown, as far as the resource is concerned. */
export function isServed(view: SurveyedView): boolean {
  return view.html !== undefined && isAppMimeType(asRecord(view.content).mimeType);
}
