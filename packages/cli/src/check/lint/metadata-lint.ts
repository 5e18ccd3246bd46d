// Checks `_meta.ui` of a view's resource for declarations that hosts ignore, most of them silently.

import { createHash } from "node:crypto";
import { buildPolicy } from "@vitrine/sandbox/policy";
import { nearest } from "../../nearest.ts";
import { type Finding, finding, type Place } from "../finding.ts";
import { asRecord, brief, isRecord, type Json } from "../json.ts";
import { metadataOf, type SurveyedView } from "../survey/survey.ts";

const LISTS = ["connectDomains", "resourceDomains", "frameDomains", "baseUriDomains"];
// Names of these lists in other products, and the correct names.
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

/** Problems in a view's metadata; `endpoint` is the server's address, if it has one. */
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
      cause: `The content of ${place.resource} has its metadata under "meta"; hosts read "_meta" and apply the strictest policy.`,
      remedy: `write in the contents of resources/read: _meta: { ui: ${brief(content?.meta.ui, 160)} }`,
    });
  }
}

/** The content's object replaces the list's, so a key that is only in the list is lost (SRV-07). */
function* lost({ content, entry }: SurveyedView, place: Place): Iterable<Finding> {
  const served = asRecord(content?._meta).ui;
  const listed = asRecord(asRecord(entry?._meta).ui);
  if (!isRecord(served)) return;
  for (const [key, value] of Object.entries(listed)) {
    if (key in served) continue;
    yield finding("metadata-lost", key === "csp" ? "blank" : "poor", place, {
      cause: `_meta.ui.${key} of ${place.resource} is only in resources/list, and the content's own _meta.ui replaces the list's as a whole.`,
      remedy: `repeat it in the contents of resources/read: _meta: { ui: { ${key}: ${brief(value, 160)}, … } }`,
    });
  }
}

// The operator of a host decides these; they aren't wrong in themselves.
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
        cause: `_meta.ui.permissions.${text} of ${place.resource} is not a permission of the specification.`,
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
    cause: `_meta.ui.csp.${text} of ${place.resource} is not a list of the specification, so hosts grant none of it.`,
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
      cause: `${rest}; hosts accept no keywords there, so running text as code (eval, new Function) stays forbidden.`,
      remedy: `remove the entry and the code that needs it: use a build without eval (for Vue the runtime-only build, for Ajv standalone code, for Handlebars precompiled templates)`,
    });
  }
  if (code === "scheme-only") {
    return finding("csp-source", "broken", place, {
      cause: `${rest}; a scheme alone names no server, and hosts remove it silently.`,
      remedy: /^(blob|data):?/.test(text)
        ? `remove the entry; for hosts without ${text}, inline the data (a data URL in <img>, code in the page)`
        : `name the servers: csp: { ${list}: ["https://api.example.com"] }`,
    });
  }
  const fixed = suggestion(text, code);
  return finding("csp-source", "broken", place, {
    cause: `${rest}, and hosts leave it out: it ${reason.replace(/^it /, "")}`,
    remedy: fixed
      ? `write: _meta: { ui: { csp: { ${list}: [${JSON.stringify(fixed)}] } } }`
      : `remove the entry, or write the origin alone: csp: { ${list}: ["https://api.example.com"] }`,
  });
}

/** The intended origin. */
function suggestion(text: string, code: string): string | undefined {
  if (code === "path" || code === "credentials") {
    const url = URL.parse(/^[a-z]+:/i.test(text) ? text : `https://${text}`);
    return url ? `${url.protocol}//${url.host}` : undefined;
  }
  return code === "insecure" ? text.replace(/^(http|ws):/, "$1s:") : undefined;
}

/** We add the scheme; some hosts drop the entry, and some the whole policy. */
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
      cause: `${place.resource} declares ${brief(bare[0])} in _meta.ui.csp.${list} without a scheme; hosts treat that differently, and some reject it.`,
      remedy: `write: _meta: { ui: { csp: { ${list}: ${brief(fixed, 200)} } } }`,
      severity: "warning",
    });
  }
}

const HOST_NAME = /^(?=.{1,253}$)[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)+$/;

function* domainFaults(domain: unknown, place: Place, endpoint?: string): Iterable<Finding> {
  if (domain === undefined) return;
  const remedy = `remove _meta.ui.domain from ${place.resource}, which is right everywhere. If one host needs it, set it for that host only (claudeDomain(endpoint) of @vitrine/server)`;
  const fault = (cause: string): Finding => finding("domain", "blank", place, { cause, remedy });
  if (typeof domain !== "string" || !HOST_NAME.test(domain)) {
    yield fault(
      `_meta.ui.domain of ${place.resource} is ${brief(domain)}, not a bare host name; Claude shows no frame for it.`,
    );
    return;
  }
  const claude = /^([^.]*)\.claudemcpcontent\.com$/.exec(domain)?.[1];
  if (claude !== undefined) {
    const expected = endpoint && createHash("sha256").update(endpoint).digest("hex").slice(0, 32);
    if (!/^[0-9a-f]{32}$/.test(claude) || (expected && expected !== claude)) {
      yield fault(
        `_meta.ui.domain of ${place.resource} is ${domain}, which doesn't belong to this server's address${expected ? ` (${expected}.claudemcpcontent.com does)` : ""}; Claude shows no frame for it.`,
      );
    }
    return;
  }
  if (/\.(?:web-sandbox\.)?oaiusercontent\.com$/.test(domain)) return;
  yield fault(
    `_meta.ui.domain of ${place.resource} is ${domain}; a host only accepts names of its own form, and Claude shows no frame for others.`,
  );
}

function* borderFaults({ prefersBorder }: Json, place: Place): Iterable<Finding> {
  if (typeof prefersBorder === "boolean") return;
  yield finding("border-unsaid", "note", place, {
    cause: `${place.resource} doesn't declare whether it wants a border, so each host decides.`,
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
