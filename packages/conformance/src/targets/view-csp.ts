import { asRecord, type Json } from "../json.ts";

// Characters that a source may not contain, or one entry could write the rest of the policy.
const SOURCE = /^[^\s;,'"]+$/;

/**
 * The policy that a strict host gives a view with this metadata: the declared origins, and no more.
 */
export function policyOf(csp: unknown): string {
  const lists = asRecord(csp);
  const sources = (name: string): string => listOf(lists, name).join(" ");
  const resources = sources("resourceDomains");
  return [
    "default-src 'none'",
    `script-src 'self' 'unsafe-inline' ${resources}`,
    `style-src 'self' 'unsafe-inline' ${resources}`,
    `img-src 'self' data: ${resources}`,
    `media-src 'self' data: ${resources}`,
    `font-src 'self' ${resources}`,
    `connect-src ${sources("connectDomains") || "'none'"}`,
    `frame-src ${sources("frameDomains") || "'none'"}`,
    "object-src 'none'",
    `base-uri ${sources("baseUriDomains") || "'self'"}`,
  ]
    .map((directive) => directive.trim())
    .join("; ");
}

function listOf(lists: Json, name: string): string[] {
  const list: unknown[] = Array.isArray(lists[name]) ? lists[name] : [];
  return list.filter(
    (source): source is string => typeof source === "string" && SOURCE.test(source),
  );
}
