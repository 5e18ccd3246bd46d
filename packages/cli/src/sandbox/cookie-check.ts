import { frameHeaders, headerOf } from "./exchange.ts";
import { type Problem, problem } from "./problem.ts";
import type { Run } from "./run.ts";

// A browser keeps up to 180 cookies of 4 KiB for a domain, and a view can set all of them.
const LARGEST = 180 * 4000;

/**
 * Views can set cookies for the whole domain. The sandbox clears those that arrive, so they have to
 * arrive, however large they are.
 */
export async function checkCookies({ deployment, host, send }: Run): Promise<Problem[]> {
  if (deployment.tier === "single-origin") return [];
  const url = `${deployment.proxy}/`;
  const open = (cookie: string) => send(url, { headers: { ...frameHeaders(host), cookie } });
  const problems: Problem[] = [];
  if (deployment.tier === "domain") {
    const small = await open("vitrine-verify=1").catch(() => undefined);
    if (!small || !headerOf(small, "clear-site-data").includes('"cookies"')) {
      const cause =
        'A request with a cookie isn\'t answered with Clear-Site-Data: "cookies", so cookies of one view stay for the next.';
      const remedy = "Let the proxy or CDN pass on Cookie to the sandbox and Clear-Site-Data back.";
      problems.push(problem("cookies-dropped", url, { cause, remedy }));
    }
  }
  const large = await open(`vitrine-verify=${"x".repeat(LARGEST)}`).catch(() => undefined);
  if (large?.status !== 200) {
    const answer = large ? `status ${large.status}` : "a closed connection";
    const cause = `A request with ${LARGEST / 1000} KB of cookies is answered with ${answer}. One view can set that many and so keep all others from opening.`;
    const remedy =
      "Use SANDBOX_SERVER_OPTIONS for Node's server and raise the limit of the proxy (nginx: large_client_header_buffers 4 1m). If that isn't possible, get the domain onto the Public Suffix List.";
    problems.push(problem("header-limit", url, { cause, remedy, severity: "warning" }));
  }
  return problems;
}
