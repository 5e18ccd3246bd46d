import { printable } from "@vitrine/protocol/printable";
import { connectionProblem } from "./connection-problem.ts";
import { type Exchange, frameHeaders, headerOf } from "./exchange.ts";
import { cacheProblem, EMBEDDABLE, headerProblems } from "./header-problems.ts";
import { policyProblems } from "./policy-problems.ts";
import { type Problem, problem } from "./problem.ts";
import type { Run } from "./run.ts";
import { readSandboxPage, type SandboxPage } from "./sandbox-page.ts";

/** What the first page showed. */
export interface EntranceCheck {
  problems: Problem[];
  /** Absent if no sandbox responds; then nothing else can be checked. */
  page?: SandboxPage;
}

/** The address of the page to open first. A sandbox on the host's own origin has no entrance. */
function firstAddress({ deployment: { tier, proxy, prefix } }: Run): string {
  return tier === "single-origin" ? `${proxy}${prefix}/egress` : `${proxy}/`;
}

/** Opens the entrance as a frame of the host, and tries what must not work. */
export async function checkEntrance(run: Run): Promise<EntranceCheck> {
  const { send, host, deployment } = run;
  const url = firstAddress(run);
  let exchange: Exchange;
  try {
    exchange = await send(url, { headers: frameHeaders(host) });
  } catch (error) {
    return { problems: [connectionProblem(url, error)] };
  }
  const page = exchange.status === 200 ? readSandboxPage(exchange.text) : undefined;
  if (!page) return { problems: [answerProblem(exchange)] };
  const isSingle = deployment.tier === "single-origin";
  const problems = [
    ...pageProblems(exchange, page),
    ...policyProblems(exchange, {
      "default-src": "'none'",
      "script-src": page.scriptHash,
      "connect-src": isSingle ? /^\S+$/ : `${deployment.proxy}/views`,
      "frame-ancestors": page.hosts.join(" "),
      "base-uri": "'none'",
      "form-action": "'none'",
    }),
    ...headerProblems(exchange, {
      required: [
        ["content-type", /^text\/html; ?charset=utf-8$/i, "browsers may not show the page"],
        ...EMBEDDABLE,
      ],
    }),
    ...addedPermissions(exchange),
    ...hostProblems(exchange, page, host),
    ...(await repeatedProblems(run, url, page)),
  ];
  return { problems, page };
}

/** A page that isn't the sandbox's. */
function answerProblem(exchange: Exchange): Problem {
  const { url, status, text } = exchange;
  const name = new URL(url).host;
  const isOurs = headerOf(exchange, "content-security-policy") === "default-src 'none'; sandbox";
  if (status >= 300 && status < 400) {
    const to = printable(headerOf(exchange, "location"));
    const cause = `${name} redirects to "${to}". The sandbox never redirects, so a proxy does.`;
    const remedy =
      "Remove the redirect, such as one to www, to a log-in page, or of a missing certificate, for the sandbox's names.";
    return problem("redirect", url, { cause, remedy });
  }
  if (isOurs && status === 403) {
    const cause =
      "The sandbox doesn't receive the headers Sec-Fetch-Dest and Sec-Fetch-Mode, so it rejects every frame.";
    const remedy = "Let the proxy or CDN pass on all request headers that begin with Sec-Fetch-.";
    return problem("sec-fetch-lost", url, { cause, remedy });
  }
  if (isOurs && status === 404) {
    const cause = `A sandbox answers, but not for the name ${name}. Its domain or port is another one, or a proxy changes the Host header.`;
    const remedy = `Set the domain (or port) in origins so that the entrance is ${new URL(url).origin}, and let the proxy pass on Host unchanged.`;
    return problem("unknown-host-name", url, { cause, remedy });
  }
  if (isOurs || status >= 500) {
    const cause = `${name} answers with status ${status}: ${shown(text)}.`;
    const remedy = "Read the log of the sandbox (onError) and of the proxy in front of it.";
    return problem("failing", url, { cause, remedy });
  }
  const cause = `${name} answers with status ${status}, but not with the entrance of a Vitrine sandbox.`;
  const remedy =
    "Check the address. It is the domain in origins, and the entrance is below its name proxy.";
  return problem("not-a-sandbox", url, { cause, remedy });
}

/** Changes that a page of the sandbox got on the way. */
export function pageProblems({ url, headers, text }: Exchange, page: SandboxPage): Problem[] {
  const isChanged = !page.isWhole || !policyNames(headers, page.scriptHash);
  if (!isChanged) return [];
  const scripts = text.match(/<script\b/gi)?.length ?? 0;
  const what = page.isWhole
    ? "The script doesn't have the hash in the policy"
    : scripts > 1
      ? `The page has ${scripts} scripts instead of one`
      : "The page's HTML differs from what the sandbox writes";
  const cause = `${what}: a proxy or CDN rewrites it. Browsers don't run a changed script, and an added one could read views' messages.`;
  const remedy =
    "Turn off everything that changes HTML for the sandbox's names: minifying, script loaders, e-mail obfuscation, analytics, live reload.";
  return [problem("page-rewritten", url, { cause, remedy })];
}

/** Whether a policy names the hash; a missing policy is another problem. */
function policyNames(headers: Exchange["headers"], hash: string): boolean {
  const policies = headers.get("content-security-policy") ?? [];
  return policies.length === 0 || policies.some((policy) => policy.includes(hash));
}

function hostProblems({ url }: Exchange, page: SandboxPage, host: string | undefined): Problem[] {
  if (host === undefined || page.hosts.includes(host)) return [];
  const cause = `The sandbox doesn't allow ${host} to embed views. It allows ${printable(page.hosts.join(", "))}.`;
  const remedy = `Add "${host}" to hosts in the sandbox's origins and restart it.`;
  return [problem("host-not-allowed", url, { cause, remedy })];
}

/** The entrance doesn't have the header, so one that arrives is the proxy's. */
function addedPermissions(exchange: Exchange): Problem[] {
  const value = headerOf(exchange, "permissions-policy");
  if (!value) return [];
  const cause = `A proxy adds "Permissions-Policy: ${printable(value.slice(0, 120))}". On the pages of views it replaces parts of the sandbox's own.`;
  const remedy = "Remove Permissions-Policy in the proxy or CDN for the sandbox's names.";
  return [problem("header-added", exchange.url, { cause, remedy })];
}

/** A second frame gets another page, and anything but a frame gets none. */
async function repeatedProblems(run: Run, url: string, page: SandboxPage): Promise<Problem[]> {
  const { send, host } = run;
  const frame = frameHeaders(host);
  try {
    const again = readSandboxPage((await send(url, { headers: frame })).text);
    if (page.token !== undefined && again?.token === page.token) {
      return [cacheProblem(url, "two requests got the same page")];
    }
    const script = { ...frame, "sec-fetch-dest": "empty", "sec-fetch-mode": "cors" };
    const read = await send(url, { headers: script });
    return read.status === 200
      ? [
          cacheProblem(
            url,
            "a request that isn't a frame's got the page, although the sandbox rejects it",
          ),
        ]
      : [];
  } catch (error) {
    return [connectionProblem(url, error)];
  }
}

function shown(text: string): string {
  const line = text.replace(/\s+/g, " ").trim();
  return `"${printable(line.length > 100 ? `${line.slice(0, 100)}…` : line)}"`;
}
