// Explains a view that never finished its handshake although nothing else went wrong.

import { type Finding, finding, type Place } from "../finding.ts";
import { oneLine } from "../json.ts";
import { lintHandshake } from "../lint/script-lint.ts";
import { diagnosticsOf, type Sighting } from "./sighting.ts";
import { does, nameOf, type Subject } from "./subject.ts";

const CONNECT =
  'call it first: await app.connect() of an SDK, or without one ui/initialize and, after the response, { jsonrpc: "2.0", method: "ui/notifications/initialized" }';

/** An `ui/initialize` that no host accepts. */
export function greeting(sighting: Sighting, subject: Subject): Finding[] {
  const refused = diagnosticsOf(sighting).find(
    ({ code, detail = "" }) =>
      code === "initialize-refused" || (code === "malformed" && detail.startsWith("ui/initialize")),
  );
  if (!refused) return [];
  const why = refused.detail?.replace(/^ui\/initialize: /, "") ?? "it is malformed";
  return [refusedGreeting(why, { subject, place: { ...subject.place, run: sighting.run } })];
}

/** An `ui/initialize` that a strict host rejects. */
export function refusedGreeting(
  why: string,
  { subject, place }: { subject: Subject; place: Place },
): Finding {
  const fact = subject.facts.find(({ kind }) => kind === "handshake");
  const at = fact ? subject.document.at(fact.offset) : {};
  return finding(
    "greeting-refused",
    "blank",
    { ...place, ...at },
    {
      cause: `A strict host rejects the ui/initialize of ${nameOf(subject)}: ${oneLine(why, 160)}.`,
      remedy:
        'send: { jsonrpc: "2.0", id: 1, method: "ui/initialize", params: { protocolVersion: "2026-01-26", appInfo: { name: "app", version: "1.0.0" }, appCapabilities: {} } }',
      seen: true,
    },
  );
}

/** Messages that the sandbox dropped. */
export function dropped(sighting: Sighting, subject: Subject): Finding[] {
  const lost = diagnosticsOf(sighting).find(({ code }) => code === "dropped");
  if (!lost) return [];
  const isText = does(subject, "text-message");
  const foreign = lintHandshake(subject.facts, subject.document, {
    place: subject.place,
    isWhole: true,
  });
  if (!isText && foreign.length > 0) return foreign.map((one) => ({ ...one, seen: true }));
  return [
    finding(
      "text-message",
      "blank",
      { ...subject.place, run: sighting.run },
      {
        cause: `${nameOf(subject)} posts messages that aren't JSON-RPC objects${isText ? " but text (JSON.stringify)" : ""}; hosts drop them silently (${lost.detail}).`,
        remedy:
          'post the object itself: window.parent.postMessage({ jsonrpc: "2.0", id: 1, method: "ui/initialize", params: { … } }, "*")',
        seen: true,
      },
    ),
  ];
}

/** No error and no message. */
export function silence(sighting: Sighting, subject: Subject): Finding {
  const { elapsed, stage } = sighting;
  const name = nameOf(subject);
  const seconds = `${(elapsed / 1000).toFixed(0)} s`;
  const place = { ...subject.place, run: sighting.run };
  if (stage === "initialize") {
    const [half] = lintHandshake(subject.facts, subject.document, { place, isWhole: true });
    if (half) return { ...half, seen: true };
    return finding("half-handshake", "blank", place, {
      cause: `${name} sent ui/initialize, got the response, but did not send ui/notifications/initialized in ${seconds}; a view that first waits for its tool's result waits forever, because hosts send nothing before.`,
      remedy:
        'send it right after the response to ui/initialize: parent.postMessage({ jsonrpc: "2.0", method: "ui/notifications/initialized" }, "*"); recognise responses by "id" in message, since an id can be 0',
      seen: true,
    });
  }
  const [known] = lintHandshake(subject.facts, subject.document, { place, isWhole: true });
  if (known) return { ...known, seen: true };
  return finding("not-shown", "blank", place, {
    cause: `${name} loaded but did not send ui/initialize in ${seconds}: it has the code for it but doesn't run it (it waits for an event that never comes, or for something else before connect()).`,
    remedy: CONNECT,
    seen: true,
  });
}
