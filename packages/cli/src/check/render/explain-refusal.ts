// Explains rejected requests of a view.

import { type Finding, finding } from "../finding.ts";
import { oneLine } from "../json.ts";
import { refusedGreeting } from "./explain-silence.ts";
import { diagnosticsOf, type Sighting } from "./sighting.ts";
import { nameOf, type Subject } from "./subject.ts";

/** Requests that the host rejected. */
export function refusals(sighting: Sighting, subject: Subject): Finding[] {
  const place = { ...subject.place, run: sighting.run };
  const refused = diagnosticsOf(sighting)
    .filter(
      ({ code, detail = "" }) =>
        (code === "refused" || code === "malformed") && !/user|consent/i.test(detail),
    )
    .map(({ code, detail = "" }) => {
      const isForm = code === "malformed" && /tools\/call/.test(detail);
      return finding(isForm ? "tool-call-form" : "call-refused", "broken", place, {
        cause: `The host rejected a request of ${nameOf(subject)}: ${oneLine(detail, 200)}.`,
        remedy: isForm
          ? 'write: app.callServerTool({ name: "…", arguments: { … } })'
          : remedyOf(detail),
        seen: true,
      });
    });
  const failed = sighting.events.flatMap((event) => {
    if (event.kind !== "call" || event.outcome === "result" || event.outcome === "error") return [];
    return [
      finding("call-refused", "broken", place, {
        cause: `${nameOf(subject)} calls the tool "${event.name}", and the server answers: ${oneLine(event.outcome, 160)}.`,
        remedy: `check that the server has a tool "${event.name}" and that the view sends arguments that match its schema`,
        seen: true,
      }),
    ];
  });
  return [...refused, ...failed, ...older(sighting, subject)];
}

/** Messages that our host accepts, but a strict one rejects. */
function older(sighting: Sighting, subject: Subject): Finding[] {
  return diagnosticsOf(sighting).flatMap(({ code, detail = "" }) => {
    if (code !== "compatibility") return [];
    const place = { ...subject.place, run: sighting.run };
    if (detail.startsWith("ui/initialize")) {
      const what = detail.replace("ui/initialize: ", "");
      return [refusedGreeting(`it has ${what}`, { subject, place })];
    }
    return [
      finding("call-refused", "poor", place, {
        cause: `${nameOf(subject)} uses an older version of the protocol, which other hosts reject: ${oneLine(detail)}.`,
        remedy: "update the view's SDK, or send what the specification of 2026-01-26 defines",
        seen: true,
      }),
    ];
  });
}

function remedyOf(detail: string): string {
  if (/visib|for the model|not for apps/i.test(detail)) {
    return 'allow views to call the tool: _meta: { ui: { visibility: ["model", "app"] } } on it';
  }
  if (/tool/i.test(detail)) return "call a tool that this server lists, by its exact name";
  return "only request what hostCapabilities offers: app.getHostCapabilities()";
}
