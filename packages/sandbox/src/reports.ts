// Explains what browsers blocked to the author of the View: the directive, the origin, and the line
// to add, or why no line would help. Reports are untrusted: no decision depends on them, and only
// origins are kept, because a path or query may contain stolen data.

import { buildPolicy } from "./csp.ts";
import type { DomainList, OperatorPolicy } from "./operator-policy.ts";
import { ownItems, ownValue } from "./own-properties.ts";
import { showValue } from "./rejection.ts";

/** One thing that a browser blocked. */
export interface Violation {
  /** Of the policy, or `connection-allowlist`. */
  directive: string;
  /** An origin, or a word such as `eval` or `inline`. */
  blocked: string;
  /** Where in the document, if the browser said so. */
  line?: number;
}

/** An explained violation. */
export interface Explanation {
  message: string;
  /** The line for `_meta.ui.csp`, if that helps. */
  fix?: string;
}

const LIST_OF: Record<string, DomainList> = {
  "connect-src": "connectDomains",
  "script-src": "resourceDomains",
  "script-src-elem": "resourceDomains",
  "style-src": "resourceDomains",
  "style-src-elem": "resourceDomains",
  "img-src": "resourceDomains",
  "font-src": "resourceDomains",
  "media-src": "resourceDomains",
  "frame-src": "frameDomains",
  "child-src": "frameDomains",
  "base-uri": "baseUriDomains",
  "connection-allowlist": "connectDomains",
};

const NEVER: Record<string, string> = {
  "form-action":
    "Forms are never sent anywhere. Read the fields in a submit listener and call a tool with them.",
  "object-src": "Plugins are never loaded. Use <img>, <video>, <canvas> or inline SVG.",
  "worker-src":
    "Workers start from blob: or data: only. Put the worker's code into the document and start it from a Blob.",
  "manifest-src": "A View has no web app manifest. Remove the link.",
  "frame-ancestors": "A View is shown by its host only. Open it from there.",
};

const WORDS: Record<string, string> = {
  eval: "Code from strings is off in this host. Build without eval (most bundlers have a setting), or ask the operator for unsafeEval.",
  "wasm-eval": "WebAssembly needs a newer browser here. Offer a version without it.",
  webrtc:
    "WebRTC reaches any address, so no list of domains can allow it. Use fetch or a WebSocket, or ask the operator for webrtc.",
  inline:
    "Inline code is allowed here, so another policy blocked it. Search the page for a <meta> policy.",
  data: "data: is allowed for images, fonts, media and scripts, not for frames. Use srcdoc for a frame.",
  blob: "blob: is allowed for images, fonts, media and scripts, not for frames. Use srcdoc for a frame.",
};

/** Takes violations out of a body of the Reporting API or of `report-uri`; never throws. */
export function readReports(body: unknown, most: number): Violation[] {
  const reports = ownItems(body, most)?.items ?? [body];
  return reports.flatMap((report) => readReport(report) ?? []);
}

function readReport(report: unknown): Violation | undefined {
  const body = ownValue(report, "body") ?? ownValue(report, "csp-report");
  if (ownValue(report, "type") === "connection-allowlist") {
    const blocked = readBlocked(ownValue(body, "connection"));
    return blocked === undefined ? undefined : { directive: "connection-allowlist", blocked };
  }
  const directive =
    ownValue(body, "effectiveDirective") ??
    ownValue(body, "effective-directive") ??
    ownValue(body, "violated-directive");
  const blocked = readBlocked(ownValue(body, "blockedURL") ?? ownValue(body, "blocked-uri"));
  if (typeof directive !== "string" || blocked === undefined) return undefined;
  if (!/^[a-z-]{1,40}$/.test(directive)) return undefined;
  const line = ownValue(body, "lineNumber") ?? ownValue(body, "line-number");
  return { directive, blocked, ...(Number.isSafeInteger(line) && { line: line as number }) };
}

/** The origin of an address, or a keyword such as `inline`. */
function readBlocked(value: unknown): string | undefined {
  if (typeof value !== "string") return undefined;
  if (/^[a-z-]{1,40}$/.test(value)) return value;
  if (!URL.canParse(value)) return undefined;
  const { protocol, host } = new URL(value);
  return host === "" ? protocol.slice(0, -1) : `${protocol}//${host}`;
}

/** Explains a violation to the author of the View. */
export function explainViolation(
  { directive, blocked }: Violation,
  operator: OperatorPolicy = {},
): Explanation {
  const what = `${directive} blocked ${showValue(blocked)}.`;
  const never = Object.hasOwn(NEVER, directive) ? NEVER[directive] : undefined;
  if (never) return { message: `${what} ${never}` };
  const word = Object.hasOwn(WORDS, blocked) ? WORDS[blocked] : undefined;
  if (word) return { message: `${what} ${word}` };
  const list = Object.hasOwn(LIST_OF, directive) ? LIST_OF[directive] : undefined;
  if (!list) return { message: `${what} Nothing a View can declare allows it.` };
  return explainDomain(what, list, { blocked, operator });
}

function explainDomain(
  what: string,
  list: DomainList,
  { blocked, operator }: { blocked: string; operator: OperatorPolicy },
): Explanation {
  // The builder that will read the line also checks it here, so the advice works.
  const source = blocked.replace(/^http:/, "https:").replace(/^ws:/, "wss:");
  const wish = (origin: string): ReturnType<typeof buildPolicy> =>
    buildPolicy({ csp: { [list]: [origin] } }, operator);
  const asIs = wish(blocked);
  const secure = wish(source);
  const { policy, text } =
    asIs.rejected[0]?.code === "insecure"
      ? { policy: secure, text: source }
      : { policy: asIs, text: blocked };
  const fix = `"${list}": ["${text}"]`;
  const [refused] = policy.rejected;
  if (!refused) {
    const hint = text === blocked ? "" : " and load it encrypted";
    return { message: `${what} Add ${fix} to _meta.ui.csp of the resource${hint}.`, fix };
  }
  if (refused.code === "needs-consent") {
    const message = `${what} Add ${fix} to _meta.ui.csp of the resource. The operator or the user has to approve it too.`;
    return { message, fix };
  }
  return { message: `${what} It cannot be allowed. ${refused.reason}` };
}
