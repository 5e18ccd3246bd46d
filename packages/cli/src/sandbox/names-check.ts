import { randomBytes } from "node:crypto";
import { connectionProblem } from "./connection-problem.ts";
import { type Exchange, frameHeaders, headerOf } from "./exchange.ts";
import { type Problem, problem } from "./problem.ts";
import type { Run } from "./run.ts";

const ALPHABET = "abcdefghijklmnopqrstuvwxyz234567";

/** A name like those of views, which no view has. */
function randomLabel(): string {
  return [...randomBytes(32)].map((byte) => ALPHABET[byte % 32]).join("");
}

/** Every view has its own name, so any name below the domain has to reach the sandbox. */
export async function checkNames({ deployment, host, send }: Run): Promise<Problem[]> {
  const { domain, proxy } = deployment;
  if (domain === undefined) return [];
  const { protocol } = new URL(proxy);
  const url = `${protocol}//${randomLabel()}.${domain}/v/${randomLabel()}`;
  const [name = ""] = domain.split(":");
  let exchange: Exchange;
  try {
    exchange = await send(url, { headers: frameHeaders(host) });
  } catch (error) {
    return [wildcardProblem(connectionProblem(url, error), name)];
  }
  const { status } = exchange;
  const isOurs = headerOf(exchange, "content-security-policy") === "default-src 'none'; sandbox";
  if (isOurs && status === 410) return [];
  const what = isOurs
    ? `the sandbox answers with status ${status} instead of 410, so it sees another name`
    : `something else than the sandbox answers with status ${status}`;
  const cause = `Views have names such as ${new URL(url).host}, but there ${what}.`;
  const remedy = `Route *.${name} to the sandbox, and let the proxy pass on Host unchanged.`;
  return [problem("wildcard", url, { cause, remedy })];
}

function wildcardProblem({ code, where, cause }: Problem, name: string): Problem {
  const remedies: Partial<Record<Problem["code"], string>> = {
    "unknown-name": `Add a wildcard record for *.${name} to the DNS.`,
    certificate: `Install a certificate for *.${name}. Authorities issue it after a challenge in the DNS (DNS-01).`,
  };
  const remedy = remedies[code] ?? `Let the server or proxy also listen for *.${name}.`;
  return problem("wildcard", where, {
    cause: `Views can't be opened. Each has its own name: ${cause}`,
    remedy,
  });
}
