// Maps an uncaught error in a view to the author's mistake, if it is a known one.

import type { SourcePlace } from "../../frame/source-place.ts";
import type { Code } from "../codes.ts";
import { type Effect, type Finding, finding, type Place } from "../finding.ts";
import { asRecord, oneLine } from "../json.ts";
import { plain } from "./author-places.ts";
import type { Sighting } from "./sighting.ts";
import { does, nameOf, type Subject } from "./subject.ts";
import type { WatchReport } from "./watch-script.ts";

type ErrorReport = Extract<WatchReport, { kind: "error" }>;

interface Explanation {
  code: Code;
  cause: string;
  remedy: string;
}

const ONE_FILE =
  "build the page into one file (vite build with vitrineViews(), or vite-plugin-singlefile), so that it imports nothing";

/** The meaning of an error. */
export function explainError(
  error: ErrorReport,
  { sighting, subject, effect }: { sighting: Sighting; subject: Subject; effect: Effect },
): Finding {
  const message = oneLine(error.message.replace(/^Uncaught /, ""), 200);
  const place = placeOf(error, subject);
  const { found } = error;
  const where = whereOf(place, found);
  const known = recognise(message, { sighting, subject, where });
  const { code, cause, remedy } = known ?? {
    code: "script-error",
    cause: `A script of ${nameOf(subject)} fails: ${message}${where}.`,
    remedy: `correct line ${found ? `${found.line} of ${found.file}` : `${place.line ?? "?"} of the page`}, and connect to the host before any code that can fail`,
  };
  const at = code === "storage" ? { ...place, ...placeOfUse(sighting) } : place;
  const own = found ? { source: plain(found) } : {};
  return finding(code, effect, { ...at, ...own, run: sighting.run }, { cause, remedy, seen: true });
}

function whereOf({ line, column }: Place, found?: SourcePlace): string {
  if (found) return ` (${found.file}:${found.line}:${found.column})`;
  return line === undefined ? "" : ` (line ${line}:${column})`;
}

function recognise(
  message: string,
  { sighting, subject, where }: { sighting: Sighting; subject: Subject; where: string },
): Explanation | undefined {
  const name = nameOf(subject);
  if (/EvalError|unsafe-eval|Code generation from strings/.test(message)) {
    return {
      code: "dynamic-code",
      cause: `${name} runs text as code (eval or new Function)${where}, which the policy of every view forbids: the script stops there.`,
      remedy:
        "use a build that doesn't need it (Vue's runtime-only build, Ajv's standalone code, precompiled templates); no entry of _meta.ui.csp allows it",
    };
  }
  if (
    /SecurityError/.test(message) &&
    /Storage|cookie|caches|indexedDB|IDBFactory/i.test(message)
  ) {
    const use = sighting.reports.find((report) => report.kind === "use");
    const what = /'(\w+)'/.exec(message)?.[1] ?? "storage";
    return {
      code: "storage",
      cause: `${name} uses ${what}${use?.line ? ` (line ${use.line}:${use.column})` : ""}, which throws a SecurityError in hosts that give views no origin: the script stops there.`,
      remedy:
        "wrap it: let store; try { store = localStorage } catch { store = new Map() }; or keep state with the host: app.state of @vitrine/view",
    };
  }
  if (/Blocked a frame with origin|cross-origin/i.test(message)) {
    return {
      code: "parent-access",
      cause: `${name} accesses the host's page (parent.document or similar)${where}, which has another origin: the browser throws a SecurityError and the script stops there.`,
      remedy:
        "read what you need from the host context: app.getHostContext() has theme, locale, toolInfo and containerDimensions",
    };
  }
  if (/Failed to resolve module specifier/.test(message)) {
    const what = /specifier ["']([^"']+)/.exec(message)?.[1] ?? "a module";
    return {
      code: "bare-import",
      cause: `${name} imports "${what}", a name that only a bundler can resolve: the browser runs none of the script.`,
      remedy: ONE_FILE,
    };
  }
  if (/SyntaxError|Cannot use import statement|Unexpected (?:token|identifier|end)/.test(message)) {
    return {
      code: "syntax-error",
      cause: `A script of ${name} has a syntax error${where}: ${message}; none of it runs.`,
      remedy: /import statement/.test(message)
        ? 'write <script type="module">, and bundle what it imports into the page'
        : 'correct that line; inside a script write "<\\/script>" for "</script>"',
    };
  }
  if (/callTool is not a function/.test(message)) {
    return {
      code: "tool-call-form",
      cause: `${name} calls app.callTool${where}, which the SDK for views doesn't have.`,
      remedy: 'write: app.callServerTool({ name: "…", arguments: { … } })',
    };
  }
  if (does(subject, "openai") && /openai|toolOutput|undefined/.test(message)) {
    return {
      code: "foreign-protocol",
      cause: `${name} needs window.openai, which only ChatGPT has${where}: ${message}.`,
      remedy:
        "take the data from the host: app.ontoolresult = ({ structuredContent }) => render(structuredContent), set before await app.connect()",
    };
  }
  return missingData(message, { sighting, subject, where });
}

/** A view that reads data which the server doesn't send. */
function missingData(
  message: string,
  { subject, where }: { sighting: Sighting; subject: Subject; where: string },
): Explanation | undefined {
  const isMissing =
    /Cannot (?:read|destructure) propert|undefined is not|is not iterable|null/.test(message);
  const { result } = subject.call;
  if (!isMissing || !does(subject, "structured-content")) return undefined;
  if (asRecord(result).structuredContent !== undefined) return undefined;
  return {
    code: "script-error",
    cause: `${nameOf(subject)} reads structuredContent, but the result of "${subject.call.tool.name}" has none: ${message}${where}.`,
    remedy: `make the tool "${subject.call.tool.name}" return structuredContent: { … } in addition to content, and check for it in the view: result.structuredContent ?? {}`,
  };
}

/** The location in the page; an error in a loaded file has none. */
function placeOf({ line, column, source }: ErrorReport, { place, document }: Subject): Place {
  const isOurs = source === "" || /\.localhost(?::\d+)?\/v\//.test(source);
  const lines = document.html.split("\n").length;
  if (!isOurs || line < 1 || line > lines) return place;
  return { ...place, line, column };
}

function placeOfUse({ reports }: Sighting): Partial<Place> {
  const use = reports.find((report) => report.kind === "use");
  return use && use.line > 0 ? { line: use.line, column: use.column } : {};
}
