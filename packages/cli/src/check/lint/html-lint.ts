// Checks a view's markup and styles.

import { type Finding, finding, type Place } from "../finding.ts";
import { brief } from "../json.ts";
import type { Element, ViewDocument } from "./document.ts";
import type { Fact } from "./script-facts.ts";

const DOCUMENT = /^\uFEFF?(?:\s|<!--[\s\S]*?-->)*<!doctype\s+html\b/i;
const ONE_FILE =
  "build the page into one file (vite build with vitrineViews(), or vite-plugin-singlefile), so that it contains its scripts, styles and images";

/** Problems in markup and styles. */
export function lintMarkup(
  document: ViewDocument,
  facts: readonly Fact[],
  place: Place,
): Finding[] {
  const at = (offset: number): Place => ({ ...place, ...document.at(offset) });
  return [
    ...fragment(document, place),
    ...document.elements.flatMap((element) => [
      ...relativeFiles(element, at(element.offset)),
      ...leaving(element, at(element.offset)),
    ]),
    ...syntax(document, at),
    ...modules(facts, at, place),
    ...heights(document, facts, at),
  ];
}

function* fragment({ html, elements }: ViewDocument, place: Place): Iterable<Finding> {
  if (DOCUMENT.test(html.slice(0, 4_096))) return;
  const isFragment = !elements.some(({ name }) => name === "html" || name === "body");
  yield finding("fragment", isFragment ? "broken" : "poor", place, {
    cause: `${place.resource} starts with ${brief(html.trim().slice(0, 40))} instead of a doctype: hosts show it in quirks mode, or reject it.`,
    remedy:
      'start the page with: <!doctype html><html lang="en"><head><meta charset="utf-8"></head><body>',
  });
}

const FILES: Record<string, string> = {
  script: "src",
  img: "src",
  video: "src",
  audio: "src",
  source: "src",
  iframe: "src",
  embed: "src",
  object: "data",
};

function* relativeFiles({ name, attributes }: Element, place: Place): Iterable<Finding> {
  const rel = attributes.get("rel")?.toLowerCase() ?? "";
  const isLoaded = name === "link" && /\b(?:stylesheet|modulepreload)\b/.test(rel);
  const url = isLoaded ? attributes.get("href") : attributes.get(FILES[name] ?? "");
  if (!url || /^(?:[a-z][a-z0-9+.-]*:|\/\/|#)/i.test(url)) return;
  const effect = name === "script" ? "blank" : isLoaded ? "broken" : "poor";
  const isDev = /@vite|node_modules|\/src\//.test(url);
  yield finding("relative-file", effect, place, {
    cause: `${place.resource} loads ${url} by a relative path, but a view has no other files${isDev ? "; this is the page of a dev server" : ""}.`,
    remedy: ONE_FILE,
  });
}

function* leaving({ name, attributes }: Element, place: Place): Iterable<Finding> {
  if (name === "form" && attributes.has("action")) {
    yield finding("navigation", "poor", place, {
      cause: `${place.resource} has a form that submits to ${brief(attributes.get("action"))}; the policy of views blocks form submission.`,
      remedy:
        'remove action and handle the event: form.addEventListener("submit", (event) => { event.preventDefault(); app.callServerTool({ … }) })',
    });
  }
  if (name === "meta" && /refresh/i.test(attributes.get("http-equiv") ?? "")) {
    yield finding("navigation", "blank", place, {
      cause: `${place.resource} refreshes itself with <meta http-equiv="refresh">; a view that leaves its document is stopped.`,
      remedy: "remove the <meta>, and render again instead of reloading",
    });
  }
  if (name === "meta" && /content-security-policy/i.test(attributes.get("http-equiv") ?? "")) {
    yield finding("csp-shape", "note", place, {
      cause: `${place.resource} has its own policy in a <meta>, which can only forbid more than the host's.`,
      remedy: "remove it, and declare what you need: _meta: { ui: { csp: { … } } } on the resource",
    });
  }
  const href = attributes.get("href") ?? "";
  if (name === "a" && /^https?:/i.test(href)) {
    yield finding("popup", "note", place, {
      cause: `${place.resource} links to ${brief(href)}, but a view can't open pages itself.`,
      remedy:
        "link.onclick = (event) => { event.preventDefault(); app.openLink({ url: link.href }) }",
    });
  }
}

function* syntax(document: ViewDocument, at: (offset: number) => Place): Iterable<Finding> {
  for (const { fault } of document.scripts) {
    if (!fault) continue;
    const place = at(fault.offset);
    yield finding("syntax-error", "blank", place, {
      cause: `A script of ${place.resource} has a syntax error: ${fault.message} at ${place.line}:${place.column}, so none of it runs.`,
      remedy: `correct line ${place.line} of the page${/<\/script|import|export/.test(fault.message) ? ' (a script with import needs <script type="module">)' : ""}; inside a script write "<\\/script>" for "</script>"`,
    });
  }
}

function* modules(
  facts: readonly Fact[],
  at: (offset: number) => Place,
  { resource }: Place,
): Iterable<Finding> {
  for (const { kind, what, offset } of facts) {
    if (kind === "worker" || (kind === "module" && /^[./]/.test(what))) {
      yield finding("relative-file", kind === "worker" ? "broken" : "blank", at(offset), {
        cause: `${resource} loads ${brief(what)} by a relative path, but a view has no other files.`,
        remedy: ONE_FILE,
      });
    } else if (kind === "module" && !/^[a-z]+:/i.test(what)) {
      yield finding("bare-import", "blank", at(offset), {
        cause: `${resource} imports ${brief(what)}, a name that only a bundler can resolve; in a browser the script stops there.`,
        remedy: ONE_FILE,
      });
    }
  }
}

function* heights(
  document: ViewDocument,
  facts: readonly Fact[],
  at: (offset: number) => Place,
): Iterable<Finding> {
  const inStyles = document.elements.flatMap(({ name, text, textOffset, attributes, offset }) => {
    const css = name === "style" ? text : (attributes.get("style") ?? "");
    const index = css.search(/(?<![-\w])(?:min-)?height\s*:\s*100d?vh/i);
    return index < 0 ? [] : [name === "style" ? textOffset + index : offset];
  });
  const [offset] = [
    ...inStyles,
    ...facts.filter(({ kind }) => kind === "viewport-height").map((fact) => fact.offset),
  ];
  if (offset === undefined) return;
  const place = at(offset);
  yield finding("viewport-height", inStyles.length > 0 ? "poor" : "note", place, {
    cause: `${place.resource} is as high as its frame (100vh), and hosts make the frame as high as the view: it shrinks, or grows without end.`,
    remedy:
      "let the content decide: remove height: 100vh (for a fixed height use px), or give the root max-height: 100vh",
  });
}
