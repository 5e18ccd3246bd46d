import { createOrigins, createSandbox, type OriginsConfig } from "@vitrine/sandbox";
import { Failure } from "../failure.ts";
import { type Problem, problem } from "./problem.ts";

/** Where a sandbox is supposed to be. */
export interface Deployment {
  tier: OriginsConfig["tier"];
  /** Origin of the entrance and of the relay pages. */
  proxy: string;
  /** Host and port below which views have their names; absent on a single origin. */
  domain?: string;
  /** Path in front of every address; empty except on a single origin. */
  prefix: string;
}

/** A host that a layout needs in order to be checked when no host is named. */
const ANY_HOST = "https://host.invalid";
// Only decides names of views, which aren't used here.
const ANY_KEY = "k".repeat(32);

/**
 * The deployment behind an address: the domain (`https://usercontent.example`), its entrance
 * (`https://proxy.usercontent.example`), or a path on the host's own origin.
 */
export function readDeployment(address: string): Deployment {
  const url = URL.canParse(address) ? new URL(address) : undefined;
  if (!url || !/^https?:$/.test(url.protocol) || url.username || url.search || url.hash) {
    throw new Failure(
      "usage",
      `"${address}" isn't the address of a sandbox. Write it as https://usercontent.example, https://proxy.usercontent.example or https://chat.example/sandbox.`,
    );
  }
  const prefix = url.pathname.replace(/\/+$/, "");
  if (prefix !== "") return { tier: "single-origin", proxy: url.origin, prefix };
  const name = url.hostname.replace(/^proxy\./, "");
  const domain = url.port ? `${name}:${url.port}` : name;
  const tier = name === "localhost" ? "localhost" : "domain";
  return { tier, proxy: `${url.protocol}//proxy.${domain}`, domain, prefix };
}

/** The settings of a sandbox that serves a deployment. */
export function layoutOf(
  { tier, proxy, domain = "", prefix }: Deployment,
  { host = ANY_HOST, key = ANY_KEY }: { host?: string | undefined; key?: string } = {},
): OriginsConfig {
  // Not parsed: the name of a proxy below an IP address isn't a valid one.
  const [protocol] = proxy.split("//");
  const [, port = 80] = domain.split(":");
  if (tier === "single-origin") return { tier, prefix, hosts: [proxy], key };
  if (tier === "localhost") return { tier, port: Number(port), hosts: [host], key };
  return { tier, domain: `${protocol}//${domain}`, hosts: [host], key };
}

/** Why a sandbox wouldn't start with these addresses, and what it would warn of. */
export function layoutProblems(deployment: Deployment, host: string | undefined): Problem[] {
  const { tier, proxy, prefix } = deployment;
  if (tier === "single-origin" && host !== undefined && host !== proxy) {
    const cause = `${proxy}${prefix} has a path, so it is a sandbox on the host's own origin, but the host is ${host}.`;
    const remedy = `Name the sandbox without a path, or use --host ${proxy}.`;
    return [problem("layout", proxy, { cause, remedy })];
  }
  try {
    const sandbox = createSandbox({ origins: layoutOf(deployment, { host }) });
    const { warnings } = sandbox;
    sandbox.close();
    return warnings.map(({ code, message }) =>
      problem(code, proxy, { ...splitMessage(message), severity: "warning" }),
    );
  } catch (error) {
    const { code, message } = error as Error & { code?: string };
    if (code === "bad-origin") throw new Failure("usage", message, { cause: error });
    const name = code === "insecure-origin" ? "insecure" : "layout";
    return [problem(name, proxy, splitMessage(message))];
  }
}

/** Whether a host is written as a host of a sandbox. */
export function checkHost(host: string): void {
  if (host.includes("*")) {
    throw new Failure("usage", `--host is "${host}". Name one page, without a wildcard.`);
  }
  try {
    createOrigins({ tier: "domain", domain: "https://views.invalid", hosts: [host], key: ANY_KEY });
  } catch (error) {
    const { code, message } = error as Error & { code?: string };
    if (code === "bad-origin") throw new Failure("usage", `--host: ${message}`, { cause: error });
  }
}

/** A sandbox's messages end with the remedy. */
function splitMessage(message: string): { cause: string; remedy: string } {
  const at = message.search(/ (?:Use|Configure|Serve|Write|Request|Name|Remove) [^.]*/);
  const middle = at > 0 && message[at - 1] === "." ? at : message.length;
  const remedy = message.slice(middle).trim();
  return { cause: message.slice(0, middle), remedy: remedy || "Change the addresses." };
}
