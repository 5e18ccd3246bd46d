import type { ViewSource } from "../../frame/view-source.ts";
import type { Place } from "../finding.ts";
import type { Json } from "../json.ts";
import type { ViewDocument } from "../lint/document.ts";
import type { Fact, FactKind } from "../lint/script-facts.ts";
import type { CallData } from "./runs.ts";

/** The view that was shown, and what its source shows. */
export interface Subject {
  place: Place;
  document: ViewDocument;
  facts: readonly Fact[];
  /** `_meta.ui` of its resource. */
  meta: Json;
  /** The author's files behind the page. */
  source: ViewSource;
  call: CallData;
  /** All tools of the server, and the results that were read. */
  server: { tools: readonly Json[]; results: readonly Json[] };
}

/** Whether one of its scripts does something. */
export function does({ facts }: Subject, kind: FactKind): boolean {
  return facts.some((fact) => fact.kind === kind);
}

/** The address or file, as the subject of a sentence. */
export function nameOf({ place }: Subject): string {
  return place.resource ?? "The view";
}
