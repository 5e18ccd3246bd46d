// From an uncaught error in a View to what its author did, where that is known.

import type { Code } from "../codes.ts";
import { type Effect, type Finding, finding, type Place } from "../finding.ts";
import { asRecord, oneLine } from "../json.ts";
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

/** What an error of a run means. */
export function explainError(
  error: ErrorReport,
  { sighting, subject, effect }: { sighting: Sighting; subject: Subject; effect: Effect },
): Finding {
  const message = oneLine(error.message.replace(/^Uncaught /, ""), 200);
  const place = placeOf(error, subject);
  const where = place.line === undefined ? "" : ` (line ${place.line}:${place.column})`;
  const known = recognise(message, { sighting, subject, where });
  const { code, cause, remedy } = known ?? {
    code: "script-error",
    cause: `A script of ${nameOf(subject)} fails: ${message}${where}.`,
    remedy: `correct line ${place.line ?? "?"} of the page, and connect to the Host before anything that can fail`,
  };
  const at = code === "storage" ? { ...place, ...placeOfUse(sighting) } : place;
  return finding(code, effect, { ...at, run: sighting.run }, { cause, remedy, seen: true });
}

function recognise(
  message: string,
  { sighting, subject, where }: { sighting: Sighting; subject: Subject; where: string },
): Explanation | undefined {
  const name = nameOf(subject);
  if (/EvalError|unsafe-eval|Code generation from strings/.test(message)) {
    return {
      code: "dynamic-code",
      cause: `${name} runs text as code (eval or new Function)${where}, which the policy of every View forbids: the script stops there.`,
      remedy:
        "use a build that needs none (Vue's runtime-only build, Ajv's standalone code, precompiled templates); no entry of _meta.ui.csp allows it",
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
      cause: `${name} uses ${what}${use?.line ? ` (line ${use.line}:${use.column})` : ""}, which throws a SecurityError where Views have no origin of their own: the script stops there.`,
      remedy:
        "wrap it: let store; try { store = localStorage } catch { store = new Map() }; or keep state with the Host: app.state of @vitrine/view",
    };
  }
  if (/Blocked a frame with origin|cross-origin/i.test(message)) {
    return {
      code: "parent-access",
      cause: `${name} reaches into the Host's page (parent.document or the like)${where}, which is of another origin: the browser throws a SecurityError and the script stops there.`,
      remedy:
        "take what you need from the Host's context: app.getHostContext() has theme, locale, toolInfo and containerDimensions",
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
      cause: `A script of ${name} cannot be read${where}: ${message}; none of it runs.`,
      remedy: /import statement/.test(message)
        ? 'write <script type="module">, and bundle what it imports into the page'
        : 'correct that line; inside of a script write "<\\/script>" for "</script>"',
    };
  }
  if (/callTool is not a function/.test(message)) {
    return {
      code: "tool-call-form",
      cause: `${name} calls app.callTool${where}, which a View's SDK does not have.`,
      remedy: 'write: app.callServerTool({ name: "…", arguments: { … } })',
    };
  }
  if (does(subject, "openai") && /openai|toolOutput|undefined/.test(message)) {
    return {
      code: "foreign-protocol",
      cause: `${name} needs window.openai, which ChatGPT alone has${where}: ${message}.`,
      remedy:
        "take the data from the Host: app.ontoolresult = ({ structuredContent }) => render(structuredContent), set before await app.connect()",
    };
  }
  return missingData(message, { sighting, subject, where });
}

/** A View that takes data which the server does not send. */
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
    cause: `${nameOf(subject)} reads structuredContent, and the result of "${subject.call.tool.name}" has none: ${message}${where}.`,
    remedy: `let the tool "${subject.call.tool.name}" answer with structuredContent: { … } beside its content, and in the View test for it: result.structuredContent ?? {}`,
  };
}

/** Where in the page; an error in what the page loaded has no line of ours. */
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
