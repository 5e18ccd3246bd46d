import { type Finding, finding, type Place } from "../finding.ts";
import type { Json } from "../json.ts";
import { lintClient } from "./client-lint.ts";
import { readDocument, type ViewDocument } from "./document.ts";
import { lintMarkup } from "./html-lint.ts";
import { lintOrigins } from "./origin-lint.ts";
import { type Fact, factsOf } from "./script-facts.ts";
import { lintFacts, lintHandshake } from "./script-lint.ts";

/** What a view's source shows. */
export interface ReadView {
  document: ViewDocument;
  facts: readonly Fact[];
  findings: Finding[];
}

/** Reads a view's HTML; `meta` is `_meta.ui` of its resource. */
export function lintView(html: string, { place, meta }: { place: Place; meta: Json }): ReadView {
  const document = readDocument(html);
  const facts = document.scripts.flatMap(factsOf);
  const hasForeignScripts =
    document.elements.some(({ name, attributes }) => name === "script" && attributes.has("src")) ||
    document.scripts.some(({ tree }) => tree === undefined) ||
    facts.some(({ kind }) => kind === "module" || kind === "import-url");
  return {
    document,
    facts,
    findings: [
      ...lintMarkup(document, facts, place),
      ...lintOrigins(document, facts, { place, meta }),
      ...lintFacts(facts, document, { place, meta }),
      ...lintHandshake(facts, document, { place, isWhole: !hasForeignScripts }),
      ...lintClient(document, place),
      ...bodyFaults(document, place),
    ],
  };
}

function* bodyFaults({ elements, scripts }: ViewDocument, place: Place): Iterable<Finding> {
  const hasScript = scripts.length > 0 || elements.some(({ name }) => name === "script");
  const shown = elements.filter(
    ({ name }) => !/^(?:html|head|body|meta|title|style|link|script)$/.test(name),
  );
  if (hasScript || shown.length > 0) return;
  yield finding("empty", "blank", place, {
    cause: `${place.resource} has neither markup nor script, so there is nothing to show.`,
    remedy: "send the whole built page, with its <body>",
  });
}
