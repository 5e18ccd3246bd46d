// Names the author's file and line in findings about a built page.

import { CONNECTS, RESULTS, STARTS } from "../../frame/landmarks.ts";
import { isOfFramework, placeOfError } from "../../frame/report-place.ts";
import type { SourcePlace } from "../../frame/source-place.ts";
import type { ViewSource } from "../../frame/view-source.ts";
import type { Finding } from "../finding.ts";
import type { Sighting } from "./sighting.ts";
import type { WatchReport } from "./watch-script.ts";

/** The run with the author's place of each error; errors that a framework only logged are errors. */
export function withPlaces(sighting: Sighting, source: ViewSource): Sighting {
  const reports = sighting.reports.flatMap((report): WatchReport[] => {
    if (report.kind !== "error") return [report];
    if (report.isLogged && !isOfFramework({ ...report, kind: "logged" }, source)) return [];
    const found = placeOfError({ ...report, kind: "error" }, source);
    return [{ ...report, ...(found && source.isMapped && { found }) }];
  });
  return { ...sighting, reports };
}

/** The finding with the author's file and line, if a source map has them. */
export function inSource(one: Finding, source: ViewSource): Finding {
  if (!source.isMapped || one.place.source) return one;
  const { line, column = 1 } = one.place;
  if (line === undefined) {
    if (one.effect !== "blank") return one;
    const begin = source.find(one.code === "empty" ? RESULTS : CONNECTS, STARTS);
    return begin ? { ...one, place: { ...one.place, source: plain(begin) } } : one;
  }
  const found = source.at({ line, column });
  if (!found || !source.isOwn({ line, column })) return one;
  const words = (text: string): string =>
    text
      .replaceAll(`line ${line}:${column}`, `${found.file}:${found.line}:${found.column}`)
      .replaceAll(`line ${line} of the page`, `line ${found.line} of ${found.file}`);
  return {
    ...one,
    cause: words(one.cause),
    remedy: words(one.remedy),
    place: { ...one.place, source: plain(found) },
  };
}

/** Without the code around it, which a report doesn't show. */
export function plain({ file, line, column }: SourcePlace): Omit<SourcePlace, "frame"> {
  return { file, line, column };
}
