// What a View asked for and did not get.

import { type Finding, finding } from "../finding.ts";
import { oneLine } from "../json.ts";
import { refusedGreeting } from "./explain-silence.ts";
import { diagnosticsOf, type Sighting } from "./sighting.ts";
import { nameOf, type Subject } from "./subject.ts";

/** What the Host would not do for it. */
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
        cause: `The Host refused a request of ${nameOf(subject)}: ${oneLine(detail, 200)}.`,
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
        remedy: `see that the server has a tool "${event.name}" and that the View sends the arguments of its schema`,
        seen: true,
      }),
    ];
  });
  return [...refused, ...failed, ...older(sighting, subject)];
}

/** What our Host understands out of courtesy, and a strict one does not. */
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
        cause: `${nameOf(subject)} speaks an older form of the protocol, which other Hosts refuse: ${oneLine(detail)}.`,
        remedy: "update the View's SDK, or send what the specification of 2026-01-26 has",
        seen: true,
      }),
    ];
  });
}

function remedyOf(detail: string): string {
  if (/visib|for the model|not for apps/i.test(detail)) {
    return 'let Views call the tool: _meta: { ui: { visibility: ["model", "app"] } } on it';
  }
  if (/tool/i.test(detail)) return "call a tool that this server lists, by its exact name";
  return "ask only for what hostCapabilities offers: app.getHostCapabilities()";
}
