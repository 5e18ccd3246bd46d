// Declarations that are wider than needed: domains, permissions, and tools that are open to the model.
// Only what nothing in the page, in results or in any run mentions is a finding.

import { type Finding, finding } from "../finding.ts";
import { asRecord, brief, type Json } from "../json.ts";
import { isBlank, type Sighting } from "./sighting.ts";
import { nameOf, type Subject } from "./subject.ts";

const LISTS = ["connectDomains", "resourceDomains", "frameDomains", "baseUriDomains"];

/** The text in a page that uses a permission. */
const USES: Record<string, RegExp> = {
  camera: /getUserMedia|mediaDevices|capture=/,
  microphone: /getUserMedia|mediaDevices|SpeechRecognition|capture=/,
  geolocation: /\.geolocation\b|\bgeolocation\b[^}]{0,40}\}\s*=\s*navigator/,
  clipboardWrite: /\.clipboard\b|execCommand|\bclipboard\b[^}]{0,40}\}\s*=\s*navigator/,
};

// The work of a view: nobody asks a model for the next page of a table.
const OF_VIEW =
  /(?:^|[-_.\s])(?:next|prev(?:ious)?|more)[-_\s]?(?:page|rows|items)|load[-_\s]?more|(?:^|[-_.])(?:pager?|poll|heartbeat|autocomplete|typeahead)(?:$|[-_.])|\b(?:(?:next|another) page|polls?\b|(?:called|used|needed|meant) (?:only )?(?:by|for) the (?:view|ui|app|widget|page)|for the (?:view|ui|widget)\b)/i;

/** Findings about declarations that the view doesn't need. */
export function judgeDeclarations(sightings: readonly Sighting[], subject: Subject): Finding[] {
  const [normal] = sightings;
  // A view that didn't work may need them when it does.
  if (!normal || isBlank(normal)) return [];
  const found = [...visibility(sightings, subject)];
  if (isWhole(subject)) found.push(...domains(sightings, subject), ...permissions(subject));
  return found;
}

/** Whether the page contains all code that it can run. */
function isWhole({ document, facts }: Subject): boolean {
  return (
    !document.elements.some(({ name, attributes }) => name === "script" && attributes.has("src")) &&
    document.scripts.every(({ tree }) => tree !== undefined) &&
    !facts.some(({ kind }) => kind === "module" || kind === "import-url")
  );
}

function* domains(sightings: readonly Sighting[], subject: Subject): Iterable<Finding> {
  const { meta, document, server } = subject;
  const csp = asRecord(meta.csp);
  const requested = sightings.flatMap((one) => one.requested);
  const mentioned = [
    document.html,
    JSON.stringify(server.results),
    ...sightings.flatMap(({ events }) =>
      events.flatMap((event) => (event.kind === "call" ? (event.hosts ?? []) : [])),
    ),
    ...requested,
  ]
    .join("\n")
    .toLowerCase();
  for (const list of LISTS) {
    const entries: unknown[] = Array.isArray(csp[list]) ? csp[list] : [];
    const unused = entries.filter(
      (entry): entry is string => typeof entry === "string" && isUnmentioned(entry, mentioned),
    );
    if (unused.length === 0) continue;
    const rest = entries.filter((entry) => !unused.includes(entry as string));
    // Results of other calls may have pictures from there.
    const isSure = !subject.call.isMadeUp && list !== "resourceDomains";
    yield finding("domain-unused", isSure ? "poor" : "note", subject.place, {
      cause: `${nameOf(subject)} declares ${brief(unused, 160)} in _meta.ui.csp.${list}, but its page and its tools' results don't mention it, and no run requested it.`,
      remedy: `declare only what it uses: csp: { ${list}: ${brief(rest, 160)} }`,
      seen: true,
    });
  }
}

/** Whether neither the host nor the name above it is anywhere. */
function isUnmentioned(entry: string, mentioned: string): boolean {
  const host = /^(?:[a-z]+:\/\/)?(?:\*\.)?([^/:*]+)/i.exec(entry)?.[1]?.toLowerCase();
  if (!host?.includes(".")) return false;
  // `https://${name}.example.com` is a use of every name below.
  const parts = host.split(".");
  const above = parts.length > 2 ? parts.slice(-2).join(".") : host;
  const isNumber = /^[\d.]+$/.test(host);
  return !mentioned.includes(isNumber || above.length < 7 ? host : above);
}

function* permissions({ meta, document, place }: Subject): Iterable<Finding> {
  // A frame inside may use it.
  const hasFrames = /<iframe|createElement\(["']iframe/i.test(document.html);
  if (hasFrames || asRecord(meta.csp).frameDomains !== undefined) return;
  const declared = Object.keys(asRecord(meta.permissions));
  const unused = declared.filter((name) => USES[name] && !USES[name].test(document.html));
  if (unused.length === 0) return;
  const rest = declared.filter((name) => !unused.includes(name));
  yield finding("permission-unused", "poor", place, {
    cause: `${place.resource ?? "The view"} declares the ${unused.length === 1 ? "permission" : "permissions"} ${unused.join(", ")}, but its page has no code that uses ${unused.length === 1 ? "it" : "them"}; hosts may ask people for nothing.`,
    remedy: `declare only what it uses: permissions: { ${rest.map((name) => `${name}: {}`).join(", ")} }`,
  });
}

function* visibility(sightings: readonly Sighting[], subject: Subject): Iterable<Finding> {
  const called = new Set([
    ...subject.facts.flatMap(({ kind, what }) => (kind === "server-call" ? [what] : [])),
    ...sightings.flatMap(({ events }) =>
      events.flatMap((event) => (event.kind === "call" ? [event.name] : [])),
    ),
  ]);
  for (const tool of subject.server.tools) {
    if (!called.has(String(tool.name)) || !isOpenToModel(tool) || !isOfView(tool)) continue;
    yield finding(
      "visibility-wide",
      "note",
      { ...subject.place, tool: subject.place.tool },
      {
        cause: `${nameOf(subject)} calls the tool "${tool.name}", which reads like a part of the view, and the model can call it too.`,
        remedy: `if only the view calls it, hide it from the model: _meta: { ui: { visibility: ["app"] } } on the tool "${tool.name}"`,
      },
    );
  }
}

function isOpenToModel(tool: Json): boolean {
  const ui = asRecord(asRecord(tool._meta).ui);
  const opens = ui.resourceUri ?? asRecord(tool._meta)["ui/resourceUri"];
  const { visibility: list } = ui;
  return opens === undefined && (!Array.isArray(list) || list.includes("model"));
}

function isOfView({ name, title, description }: Json): boolean {
  return [name, title, description].some(
    (text) => typeof text === "string" && OF_VIEW.test(text.slice(0, 1_000)),
  );
}
