/** Every problem's code, which never changes, and its title. */
export const PROBLEMS = {
  // The addresses
  layout: "The addresses of host and sandbox aren't safe together",
  insecure: "The connection isn't encrypted",
  "unknown-name": "The name doesn't resolve",
  certificate: "The certificate isn't valid",
  unreachable: "Nothing answers",
  // The answer
  redirect: "A proxy redirects",
  "not-a-sandbox": "It isn't a Vitrine sandbox",
  "unknown-host-name": "The sandbox doesn't serve this name",
  failing: "The sandbox or a proxy fails",
  "sec-fetch-lost": "A proxy removes Sec-Fetch headers",
  "page-rewritten": "A proxy rewrites pages",
  "host-not-allowed": "The host isn't configured",
  // Headers
  "policy-missing": "The policy is missing",
  "policy-added": "A proxy adds a policy",
  "policy-changed": "The policy was changed",
  "header-missing": "A header is missing or was changed",
  "header-added": "A proxy adds a header",
  cached: "A cache keeps pages",
  "cookies-dropped": "A proxy drops cookies",
  "header-limit": "Large cookies block the sandbox",
  // Views
  wildcard: "The names of views don't work",
  "no-registration": "Views can't be registered",
  "registration-headers": "A proxy changes registrations",
  "keys-differ": "Instances have different keys",
  "store-not-shared": "Instances don't share a store",
  "opened-twice": "A view can be opened twice",
  "body-limit": "A proxy limits the size of views",
  "no-reports": "Reports of browsers don't arrive",
  anonymous: "Everybody can register views",
  "not-a-public-suffix": "Browsers treat all views as one site",
  // The host's page
  "host-policy": "The host's page doesn't allow the sandbox's frame",
  // What this run could not see
  unchecked: "A part wasn't checked",
} as const;

/** Code of a problem. */
export type ProblemCode = keyof typeof PROBLEMS;

/** Errors make the exit code 1. Notes say what wasn't checked. */
export type ProblemSeverity = "error" | "warning" | "note";

/** One problem of a deployment, its cause and the fix. */
export interface Problem {
  code: ProblemCode;
  severity: ProblemSeverity;
  /** The address that showed it. */
  where: string;
  cause: string;
  remedy: string;
}

/** A problem, which is an error unless stated otherwise. */
export function problem(
  code: ProblemCode,
  where: string,
  words: { cause: string; remedy: string; severity?: ProblemSeverity },
): Problem {
  const { cause, remedy, severity = "error" } = words;
  return { code, severity, where, cause, remedy };
}
