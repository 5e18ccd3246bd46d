import type { Place } from "../finding.ts";
import type { Json } from "../json.ts";
import type { ViewDocument } from "../lint/document.ts";
import type { Fact, FactKind } from "../lint/script-facts.ts";
import type { CallData } from "./runs.ts";

/** The View that was shown, with what its text tells. */
export interface Subject {
  place: Place;
  document: ViewDocument;
  facts: readonly Fact[];
  /** `_meta.ui` of its resource. */
  meta: Json;
  call: CallData;
}

/** Whether a script of it does something. */
export function does({ facts }: Subject, kind: FactKind): boolean {
  return facts.some((fact) => fact.kind === kind);
}

/** The address or file, to begin a sentence with. */
export function nameOf({ place }: Subject): string {
  return place.resource ?? "The View";
}
