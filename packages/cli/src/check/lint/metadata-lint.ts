// `_meta.ui` of a View's resource: what is declared in a form that Hosts leave out, most of them in
// silence.

import { createHash } from "node:crypto";
import { buildPolicy } from "@vitrine/sandbox/policy";
import { type Finding, finding, type Place } from "../finding.ts";
import { asRecord, brief, isRecord, type Json } from "../json.ts";
import { metadataOf, type SurveyedView } from "../survey/survey.ts";
import { nearest } from "./nearest.ts";

const LISTS = ["connectDomains", "resourceDomains", "frameDomains", "baseUriDomains"];
// How others call the lists, and what they are here.
const OTHER_NAMES: Record<string, string> = {
  connect_domains: "connectDomains",
  resource_domains: "resourceDomains",
  frame_domains: "frameDomains",
  "connect-src": "connectDomains",
  connectSrc: "connectDomains",
  "script-src": "resourceDomains",
  scriptSrc: "resourceDomains",
  scriptDomains: "resourceDomains",
  styleDomains: "resourceDomains",
  imgDomains: "resourceDomains",
  imageDomains: "resourceDomains",
  fontDomains: "resourceDomains",
  "img-src": "resourceDomains",
  "frame-src": "frameDomains",
  redirect_domains: "connectDomains",
};

/** What is wrong with a View's metadata; `endpoint` is the server's address, if it has one. */
export function lintMetadata(view: SurveyedView, endpoint?: string): Finding[] {
  const meta = metadataOf(view);
  const place = { resource: view.uri, tool: view.tools[0] };
  return [
    ...spelling(view, place),
    ...lost(view, place),
    ...cspFaults(meta, place),
    ...domainFaults(meta.domain, place, endpoint),
    ...borderFaults(meta, place),
  ];
}

function* spelling({ content }: SurveyedView, place: Place): Iterable<Finding> {
  if (content?._meta !== undefined) return;
  if (isRecord(asRecord(content?.meta).ui)) {
    yield finding("misspelt-meta", "broken", place, {
      cause: `The content of ${place.resource} has its metadata under "meta"; Hosts read "_meta" and apply the strictest policy.`,
      remedy: `write in the contents of resources/read: _meta: { ui: ${brief(content?.meta.ui, 160)} }`,
    });
  }
}

/** The content's object replaces the list's, so a key that only the list has is lost (SRV-07). */
function* lost({ content, entry }: SurveyedView, place: Place): Iterable<Finding> {
  const served = asRecord(content?._meta).ui;
  const listed = asRecord(asRecord(entry?._meta).ui);
  if (!isRecord(served)) return;
  for (const [key, value] of Object.entries(listed)) {
    if (key in served) continue;
    yield finding("metadata-lost", key === "csp" ? "blank" : "poor", place, {
      cause: `_meta.ui.${key} of ${place.resource} stands in resources/list alone, and the content's own _meta.ui replaces the list's as a whole.`,
      remedy: `repeat it in the contents of resources/read: _meta: { ui: { ${key}: ${brief(value, 160)}, … } }`,
    });
  }
}

// Decided by who runs a Host, and not wrong in themselves.
const DECIDED = ["not-granted", "needs-own-origin", "needs-consent"];
const MISSHAPEN = ["not-an-object", "not-a-list", "not-a-string"];

function* cspFaults(meta: Json, place: Place): Iterable<Finding> {
  for (const { list, value, code, reason } of buildPolicy(meta).rejected) {
    if (list === "domain" || DECIDED.includes(code)) continue;
    const text = unquoted(value);
    if (code === "unknown-list") yield unknownList(text, meta, place);
    else if (MISSHAPEN.includes(code)) yield misshapen({ list, value, reason }, place);
    else if (code === "unknown-permission") {
      yield finding("permission-shape", "broken", place, {
        cause: `_meta.ui.permissions.${text} of ${place.resource} is no permission of the specification.`,
        remedy:
          "use camera, microphone, geolocation or clipboardWrite: _meta: { ui: { permissions: { clipboardWrite: {} } } }",
      });
    } else yield sourceFault({ list, text, code, reason }, place);
  }
  yield* bareHosts(meta, place);
}

function unknownList(text: string, meta: Json, place: Place): Finding {
  const name = OTHER_NAMES[text] ?? nearest(text, LISTS) ?? "resourceDomains";
  const entries = asRecord(meta.csp)[text];
  return finding("csp-shape", "blank", place, {
    cause: `_meta.ui.csp.${text} of ${place.resource} is no list of the specification, so Hosts grant nothing of it.`,
    remedy: `rename it: _meta: { ui: { csp: { ${name}: ${brief(Array.isArray(entries) ? entries : ["https://…"], 160)} } } }`,
  });
}

function misshapen(
  { list, value, reason }: { list: string; value: string; reason: string },
  place: Place,
): Finding {
  const key = list === "csp" || list === "ui" ? list : `csp.${list}`;
  return finding("csp-shape", "blank", place, {
    cause: `_meta.ui.${key} of ${place.resource} is ${value}: it ${reason}`,
    remedy: `write: _meta: { ui: { csp: { resourceDomains: ["https://cdn.example.com"], connectDomains: ["https://api.example.com"] } } }`,
  });
}

function sourceFault(
  { list, text, code, reason }: { list: string; text: string; code: string; reason: string },
  place: Place,
): Finding {
  const rest = `${place.resource} declares ${JSON.stringify(text)} in _meta.ui.csp.${list}`;
  if (code === "keyword" && /unsafe-eval/.test(text)) {
    return finding("csp-source", "blank", place, {
      cause: `${rest}; Hosts take no keywords there, so code made of text (eval, new Function) stays forbidden.`,
      remedy: `remove the entry, and what needs it: use a build without eval (for Vue the runtime-only build, for Ajv standalone code, for Handlebars precompiled templates)`,
    });
  }
  if (code === "scheme-only") {
    return finding("csp-source", "broken", place, {
      cause: `${rest}; a scheme alone names no server and Hosts strip it in silence.`,
      remedy: /^(blob|data):?/.test(text)
        ? `remove the entry; where a Host must have no ${text} at all, inline what you make of it (a data URL in <img>, code in the page)`
        : `name the servers: csp: { ${list}: ["https://api.example.com"] }`,
    });
  }
  const fixed = suggestion(text, code);
  return finding("csp-source", "broken", place, {
    cause: `${rest}, and Hosts leave it out: it ${reason.replace(/^it /, "")}`,
    remedy: fixed
      ? `write: _meta: { ui: { csp: { ${list}: [${JSON.stringify(fixed)}] } } }`
      : `remove the entry, or write the origin alone: csp: { ${list}: ["https://api.example.com"] }`,
  });
}

/** The origin that was meant. */
function suggestion(text: string, code: string): string | undefined {
  if (code === "path" || code === "credentials") {
    const url = URL.parse(/^[a-z]+:/i.test(text) ? text : `https://${text}`);
    return url ? `${url.protocol}//${url.host}` : undefined;
  }
  return code === "insecure" ? text.replace(/^(http|ws):/, "$1s:") : undefined;
}

/** We add the scheme ourselves; some Hosts drop the entry, and some the whole policy. */
function* bareHosts(meta: Json, place: Place): Iterable<Finding> {
  const csp = asRecord(meta.csp);
  for (const list of LISTS) {
    const entries: unknown[] = Array.isArray(csp[list]) ? csp[list] : [];
    const bare = entries.filter(
      (entry): entry is string =>
        typeof entry === "string" && /^[\w*][\w*.-]*\.[a-z]{2,}\/?$/i.test(entry),
    );
    if (bare.length === 0) continue;
    const fixed = entries.map((entry) => (bare.includes(`${entry}`) ? `https://${entry}` : entry));
    yield finding("csp-source", "broken", place, {
      cause: `${place.resource} declares ${brief(bare[0])} in _meta.ui.csp.${list} without a scheme; Hosts differ in what they make of it, and some refuse it.`,
      remedy: `write: _meta: { ui: { csp: { ${list}: ${brief(fixed, 200)} } } }`,
      severity: "warning",
    });
  }
}

const HOST_NAME = /^(?=.{1,253}$)[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)+$/;

function* domainFaults(domain: unknown, place: Place, endpoint?: string): Iterable<Finding> {
  if (domain === undefined) return;
  const remedy = `remove _meta.ui.domain from ${place.resource}: left out it is right everywhere. Where one Host needs it, make it for that Host alone (claudeDomain(endpoint) of @vitrine/server)`;
  const fault = (cause: string): Finding => finding("domain", "blank", place, { cause, remedy });
  if (typeof domain !== "string" || !HOST_NAME.test(domain)) {
    yield fault(
      `_meta.ui.domain of ${place.resource} is ${brief(domain)}, not the bare name of a host; Claude shows no frame for it.`,
    );
    return;
  }
  const claude = /^([^.]*)\.claudemcpcontent\.com$/.exec(domain)?.[1];
  if (claude !== undefined) {
    const expected = endpoint && createHash("sha256").update(endpoint).digest("hex").slice(0, 32);
    if (!/^[0-9a-f]{32}$/.test(claude) || (expected && expected !== claude)) {
      yield fault(
        `_meta.ui.domain of ${place.resource} is ${domain}, which is not made of this server's address${expected ? ` (${expected}.claudemcpcontent.com is)` : ""}; Claude shows no frame for it.`,
      );
    }
    return;
  }
  if (/\.(?:web-sandbox\.)?oaiusercontent\.com$/.test(domain)) return;
  yield fault(
    `_meta.ui.domain of ${place.resource} is ${domain}; a Host takes only names of its own form, and Claude shows no frame at all for another one.`,
  );
}

function* borderFaults({ prefersBorder }: Json, place: Place): Iterable<Finding> {
  if (typeof prefersBorder === "boolean") return;
  yield finding("border-unsaid", "note", place, {
    cause: `${place.resource} does not say whether it wants a border, so each Host decides by itself.`,
    remedy: "add to the contents of resources/read: _meta: { ui: { prefersBorder: true } }",
  });
}

function unquoted(value: string): string {
  try {
    return String(JSON.parse(value));
  } catch {
    return value;
  }
}
