import { printable } from "@vitrine/protocol/printable";
import { type Exchange, headerOf } from "./exchange.ts";
import { type Problem, type ProblemSeverity, problem } from "./problem.ts";

const PASS_ON = "Let the proxy or CDN pass the sandbox's headers on unchanged.";

/** Headers of every response, what they have to be, and what happens otherwise. */
const ALWAYS: readonly [string, RegExp, string][] = [
  [
    "cache-control",
    /(?:^|[\s,])no-store(?:$|[\s,])/i,
    "caches may keep pages, although each works once",
  ],
  ["x-content-type-options", /^nosniff$/i, "browsers may read a response as another type"],
  ["referrer-policy", /^no-referrer$/i, "the secret addresses of views could leave in referrers"],
];

/** Headers with which an isolated page can show a page of the sandbox. */
export const EMBEDDABLE: typeof ALWAYS = [
  [
    "cross-origin-embedder-policy",
    /^require-corp$/i,
    "host pages that have this header themselves can't show views",
  ],
  [
    "cross-origin-resource-policy",
    /^cross-origin$/i,
    "host pages with Cross-Origin-Embedder-Policy can't show views",
  ],
];

interface Added {
  name: string;
  severity: ProblemSeverity;
  effect: string;
}

/** Headers that the sandbox's pages don't have, and that change how a browser treats them. */
const ADDED: readonly Added[] = [
  {
    name: "access-control-allow-origin",
    severity: "error",
    effect: "pages of other sites could read what the sandbox answers",
  },
  {
    name: "refresh",
    severity: "error",
    effect: "the browser leaves the page",
  },
  {
    name: "x-frame-options",
    severity: "warning",
    effect:
      "browsers ignore it next to frame-ancestors, but older ones and some web views show an empty frame",
  },
  {
    name: "content-security-policy-report-only",
    severity: "warning",
    effect: "browsers send reports about views to its address",
  },
  {
    name: "link",
    severity: "warning",
    effect: "browsers open connections that the policy doesn't cover",
  },
  {
    name: "nel",
    severity: "warning",
    effect: "browsers report every view's address, which is secret, to a third party",
  },
];

/** Problems of a response's headers other than its policy. */
export function headerProblems(
  exchange: Exchange,
  { required = [], allowed = [] }: { required?: typeof ALWAYS; allowed?: readonly string[] } = {},
): Problem[] {
  return [
    ...[...ALWAYS, ...required].flatMap((rule) => missing(exchange, rule)),
    ...ADDED.filter(({ name }) => !allowed.includes(name)).flatMap((rule) => added(exchange, rule)),
    ...cookies(exchange),
    ...cacheHits(exchange),
  ];
}

function missing(exchange: Exchange, [name, pattern, effect]: (typeof ALWAYS)[number]): Problem[] {
  const values = exchange.headers.get(name) ?? [];
  const value = headerOf(exchange, name);
  if (values.length > 0 && values.every((one) => pattern.test(one.trim()))) return [];
  const cause = `${titled(name)} ${value ? `is "${printable(value)}"` : "is missing"}: ${effect}.`;
  return [problem("header-missing", exchange.url, { cause, remedy: PASS_ON })];
}

function added(exchange: Exchange, { name, severity, effect }: Added): Problem[] {
  const value = headerOf(exchange, name);
  if (!exchange.headers.has(name)) return [];
  const cause = `A proxy adds "${titled(name)}: ${printable(value.slice(0, 200))}": ${effect}.`;
  const remedy = `Remove ${titled(name)} in the proxy or CDN for the sandbox's names.`;
  return [problem("header-added", exchange.url, { cause, remedy, severity })];
}

function cookies({ url, headers }: Exchange): Problem[] {
  return (headers.get("set-cookie") ?? []).map((cookie) => {
    const name = printable(cookie.split("=", 1)[0] ?? "");
    const isWide = /;\s*domain=/i.test(cookie);
    const effect = isWide ? "every view can read it" : "the sandbox makes browsers delete cookies";
    const cause = `A proxy sets the cookie "${name}" on the sandbox's domain: ${effect}.`;
    const remedy =
      "Turn off cookies for the sandbox's names, such as those of bot protection, sticky sessions and analytics.";
    return problem("header-added", url, { cause, remedy, severity: isWide ? "error" : "warning" });
  });
}

function cacheHits(exchange: Exchange): Problem[] {
  const hit = ["x-cache", "cf-cache-status", "x-vercel-cache", "x-proxy-cache"].find((name) =>
    /\bhit\b/i.test(headerOf(exchange, name)),
  );
  const age = Number(headerOf(exchange, "age") || 0);
  if (!hit && !(age > 0)) return [];
  const proof = hit ? `${hit}: ${headerOf(exchange, hit)}` : `age: ${age}`;
  return [cacheProblem(exchange.url, `the response has "${printable(proof)}"`)];
}

/** A cache in front of the sandbox. */
export function cacheProblem(url: string, proof: string): Problem {
  const cause = `A cache answers instead of the sandbox: ${proof}. Users would get a page that was used already.`;
  const remedy =
    "Turn off caching for the sandbox's names. Respect Cache-Control: no-store, and don't cache everything.";
  return problem("cached", url, { cause, remedy });
}

function titled(name: string): string {
  return name.replace(/(^|-)[a-z]/g, (start) => start.toUpperCase());
}
