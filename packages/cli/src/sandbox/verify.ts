import { checkCookies } from "./cookie-check.ts";
import { checkHost, layoutProblems, readDeployment } from "./deployment.ts";
import { checkEntrance } from "./entrance-check.ts";
import { type Connecting, createSend } from "./exchange.ts";
import { checkHostPage } from "./host-page-check.ts";
import { checkNames } from "./names-check.ts";
import type { Problem } from "./problem.ts";
import { checkRegistration } from "./registration-check.ts";
import type { Run } from "./run.ts";
import { checkViews } from "./view-check.ts";

/** What to verify besides the address. */
export interface VerifyOptions extends Connecting {
  /** The page that embeds views; without one, whatever the sandbox allows. */
  host?: string | undefined;
  /** The deployment's key. */
  key?: string | undefined;
  connections?: number | undefined;
}

/** The result of a verification. */
export interface VerifyReport {
  /** Origin of the entrance. */
  sandbox: string;
  host: string | undefined;
  /** Hosts that the sandbox allows; unknown if it could not be opened. */
  hosts: string[] | undefined;
  /** How many views were registered and opened. */
  views: number;
  problems: Problem[];
}

const CONNECTIONS = 6;

/** Tests a deployment from the outside, as a browser would use it. */
export async function verifySandbox(
  address: string,
  options: VerifyOptions = {},
): Promise<VerifyReport> {
  const { host, key, connections = CONNECTIONS } = options;
  const deployment = readDeployment(address);
  if (host !== undefined) checkHost(host);
  const run: Run = { deployment, host, key, connections, send: createSend(options) };
  const report: VerifyReport = {
    sandbox: `${deployment.proxy}${deployment.prefix}`,
    host,
    hosts: undefined,
    views: 0,
    problems: layoutProblems(deployment, host),
  };
  // Over an unencrypted connection anything could answer, and an IP address has no names below it.
  const isInsecure = report.problems.some(({ code }) => code === "insecure");
  if (isInsecure || !URL.canParse(deployment.proxy)) return report;
  const entrance = await checkEntrance(run);
  report.problems.push(...entrance.problems);
  if (!entrance.page) return report;
  report.hosts = entrance.page.hosts;
  const registration = await checkRegistration(run, entrance.page.hosts);
  report.views = registration.pages.length;
  report.problems.push(
    ...(await checkNames(run)),
    ...(await checkCookies(run)),
    ...registration.problems,
    ...(await checkViews(run, registration.pages)),
    ...(await checkHostPage(run)),
  );
  report.problems = distinct(report.problems);
  return report;
}

/** A proxy that changes every response is one problem, and the first address shows it. */
function distinct(problems: readonly Problem[]): Problem[] {
  const known = new Map(problems.toReversed().map((one) => [`${one.code} ${one.cause}`, one]));
  return problems.filter((one) => known.get(`${one.code} ${one.cause}`) === one);
}
