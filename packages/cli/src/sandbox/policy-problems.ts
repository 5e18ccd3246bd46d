import { printable } from "@vitrine/protocol/printable";
import { type Exchange, headerOf } from "./exchange.ts";
import { type Problem, problem } from "./problem.ts";

/** Directives by name. */
export type Policy = ReadonlyMap<string, string>;

/** All policies of a response: every header, and every part of one that a proxy joined with a comma. */
export function readPolicies(exchange: Exchange): Policy[] {
  return headerOf(exchange, "content-security-policy")
    .split(",")
    .map(readPolicy)
    .filter(({ size }) => size > 0);
}

function readPolicy(text: string): Policy {
  const policy = new Map<string, string>();
  for (const part of text.split(";")) {
    const [name = "", ...values] = part.trim().split(/\s+/);
    // The first of two equal directives counts.
    if (name && !policy.has(name.toLowerCase())) policy.set(name.toLowerCase(), values.join(" "));
  }
  return policy;
}

const PROTECTION: Record<string, string> = {
  "default-src": "the page could load anything",
  "script-src": "another script could run in the page, or its own script can't",
  "connect-src": "the page can't register views, or can reach other servers",
  "frame-src": "the page can't show the view, or a view can navigate away",
  "frame-ancestors": "pages that aren't hosts could embed it, or a host can't",
  "base-uri": "addresses of the page could be redirected",
  "form-action": "the page could send forms",
  sandbox: "the view gets abilities that it must not have",
};

const REMEDY =
  "Remove the rule for Content-Security-Policy from the proxy or CDN for the sandbox's names: the sandbox sets its own.";

/** Compares a response's policy with what the sandbox sends; an expected value may be a pattern. */
export function policyProblems(
  exchange: Exchange,
  expected: Record<string, string | RegExp>,
): Problem[] {
  const { url } = exchange;
  const policies = readPolicies(exchange);
  const own = policies.find((policy) => isOurs(policy, expected)) ?? policies[0];
  if (!own) {
    const cause =
      "The response has no Content-Security-Policy. Any page could embed it, and nothing restricts views.";
    return [problem("policy-missing", url, { cause, remedy: `${REMEDY} Pass it on unchanged.` })];
  }
  const problems = policies
    .filter((policy) => policy !== own)
    .map((policy) => {
      const cause = `A second Content-Security-Policy applies in addition: "${shown(policy)}". Browsers enforce both, so views can stay blank.`;
      return problem("policy-added", url, { cause, remedy: REMEDY });
    });
  for (const [name, value] of Object.entries(expected)) {
    const found = own.get(name);
    const isSame = typeof value === "string" ? found === value : value.test(found ?? "\n");
    if (isSame) continue;
    const was = found === undefined ? "is missing" : `is "${printable(found)}"`;
    const wanted = typeof value === "string" ? `, not "${printable(value)}"` : "";
    const cause = `${name} of the Content-Security-Policy ${was}${wanted}: ${PROTECTION[name] ?? "it differs from what the sandbox sends"}.`;
    problems.push(problem("policy-changed", url, { cause, remedy: REMEDY }));
  }
  return problems;
}

/** The policy with most of the expected values. */
function isOurs(policy: Policy, expected: Record<string, string | RegExp>): boolean {
  const same = Object.entries(expected).filter(([name, value]) =>
    typeof value === "string" ? policy.get(name) === value : value.test(policy.get(name) ?? "\n"),
  );
  return same.length * 2 > Object.keys(expected).length;
}

function shown(policy: Policy): string {
  const text = [...policy].map(([name, value]) => `${name} ${value}`.trim()).join("; ");
  return printable(text.length > 200 ? `${text.slice(0, 200)}…` : text);
}
