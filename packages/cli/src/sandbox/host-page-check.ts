import { printable } from "@vitrine/protocol/printable";
import { readPolicies } from "./policy-problems.ts";
import { type Problem, problem } from "./problem.ts";
import type { Run } from "./run.ts";

/** What the host's own page must allow. Only its start page is read: other pages may differ. */
export async function checkHostPage({ host, deployment, send }: Run): Promise<Problem[]> {
  if (host === undefined || !/^https?:/.test(host)) return [];
  const url = `${host}/`;
  const page = await send(url, {
    headers: { accept: "text/html", "sec-fetch-dest": "document", "sec-fetch-mode": "navigate" },
  }).catch(() => undefined);
  if (!page) return [];
  const problems: Problem[] = [];
  for (const policy of readPolicies(page)) {
    const name = ["frame-src", "child-src", "default-src"].find((one) => policy.has(one));
    const sources = policy.get(name ?? "");
    if (sources === undefined || allowsFrame(sources, deployment.proxy, host)) continue;
    const cause = `${name} of the host's page is "${printable(sources.slice(0, 200))}", so the browser doesn't load the sandbox's frame.`;
    const remedy = `Add ${deployment.proxy} to frame-src of the host's Content-Security-Policy.`;
    problems.push(problem("host-policy", url, { cause, remedy }));
  }
  return problems;
}

/** Whether a source list of CSP matches an origin; paths are left aside, so it can err towards yes. */
export function allowsFrame(sources: string, origin: string, self: string): boolean {
  return sources.split(/\s+/).some((source) => {
    if (source === "'self'") return origin === self;
    return source === "*" || isScheme(source, origin) || isName(source, origin);
  });
}

function isScheme(source: string, origin: string): boolean {
  return source.toLowerCase() === new URL(origin).protocol;
}

function isName(source: string, origin: string): boolean {
  const { protocol, hostname, port } = new URL(origin);
  const usual = protocol === "https:" ? "443" : "80";
  const [, scheme = protocol.slice(0, -1), name = "", digits = usual] =
    /^(?:([a-z][a-z0-9+.-]*):\/\/)?([^:/]+)(?::(\d+|\*))?(?:\/.*)?$/i.exec(source) ?? [];
  if (`${scheme.toLowerCase()}:` !== protocol) return false;
  if (digits !== "*" && digits !== (port || usual)) return false;
  const wanted = name.toLowerCase();
  return wanted.startsWith("*.") ? hostname.endsWith(wanted.slice(1)) : hostname === wanted;
}
