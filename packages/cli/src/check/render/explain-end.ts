// Explains a view that was stopped, or that could not be started.

import { type Finding, finding, type Place } from "../finding.ts";
import { oneLine } from "../json.ts";
import { diagnosticsOf, type Sighting } from "./sighting.ts";
import { nameOf, type Subject } from "./subject.ts";

/** For a view that sends too much. */
export const FLOOD_REMEDY =
  "send changes once they settle: report sizes from a ResizeObserver, not on every frame or timer";

/** How the sandbox or the host ended it. */
export function explainEnd(sighting: Sighting, subject: Subject): Finding[] {
  const place = { ...subject.place, run: sighting.run };
  return diagnosticsOf(sighting).flatMap(({ code, detail = "" }) => {
    if (code === "killed") return [killed(detail, place, subject)];
    if (code === "gone" || code === "unresponsive") return [busy(subject, sighting)];
    if (!/^(?:resource-|bad-resource-uri|no-resource)/.test(code)) return [];
    return [
      finding("not-shown", "blank", place, {
        cause: `${nameOf(subject)} could not be read from the server: ${code}${detail ? `, ${oneLine(detail)}` : ""}.`,
        remedy:
          'answer resources/read with { contents: [{ uri, mimeType: "text/html;profile=mcp-app", text: html }] }',
        seen: true,
      }),
    ];
  });
}

function killed(detail: string, place: Place, subject: Subject): Finding {
  const [why = "", ...rest] = detail.split(" ");
  const name = nameOf(subject);
  const about = rest.join(" ");
  if (why === "navigation") {
    const fact = subject.facts.find(({ kind }) => kind === "navigation");
    const at = fact ? { ...place, ...subject.document.at(fact.offset) } : place;
    return finding("killed", "blank", at, {
      cause: `${name} was stopped: it left its document for ${about || "another page"}${fact ? ` with ${fact.what}` : ""}.`,
      remedy:
        "stay in the document: open pages with app.openLink({ url }), handle submit with event.preventDefault(), and render again instead of reloading",
      seen: true,
    });
  }
  const isFlood = why === "flood";
  return finding("killed", "blank", place, {
    cause: isFlood
      ? `${name} was stopped: it repeatedly sent more than 100 messages a second.`
      : `${name} was stopped: it sent ${about || "messages that are too large"}.`,
    remedy: isFlood ? FLOOD_REMEDY : "send less at once: pages of data, and no files in messages",
    seen: true,
  });
}

/** A document that doesn't respond. */
export function busy(subject: Subject, { run }: Sighting): Finding {
  return finding(
    "unresponsive",
    "blank",
    { ...subject.place, run },
    {
      cause: `${nameOf(subject)} never becomes idle: its script runs without end, so it can neither draw nor respond.`,
      remedy:
        "end the loop, or yield in it: await new Promise(requestAnimationFrame); move long work to a Worker",
      seen: true,
    },
  );
}
