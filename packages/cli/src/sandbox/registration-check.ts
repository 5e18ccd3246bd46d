import { printable } from "@vitrine/protocol/printable";
import { createSandbox } from "@vitrine/sandbox";
import { connectionProblem } from "./connection-problem.ts";
import { layoutOf } from "./deployment.ts";
import { type Exchange, frameHeaders, headerOf, registrationHeaders } from "./exchange.ts";
import { type Problem, problem } from "./problem.ts";
import type { Run } from "./run.ts";
import { readSandboxPage } from "./sandbox-page.ts";

/** What registering showed. */
export interface RegistrationCheck {
  problems: Problem[];
  /** Addresses of relay pages that wait to be opened. */
  pages: string[];
}

/** The document that is registered; a proxy that injects scripts changes it too. */
export const DOCUMENT =
  "<!doctype html><html><head><title>Vitrine</title></head><body><p>Vitrine</p></body></html>";
const IDENTITY = { server: "vitrine-sandbox-verify", resource: "ui://vitrine/verify" };
// Above the 1 MB that nginx accepts by default, and below the 5 MiB of the sandbox.
const LARGE = 2 * 2 ** 20;

/** Registers a view over several connections, as the entrance's script does. */
export async function checkRegistration(
  run: Run,
  hosts: readonly string[],
): Promise<RegistrationCheck> {
  const { deployment, connections } = run;
  if (deployment.tier === "single-origin") return { problems: [], pages: [] };
  const url = `${deployment.proxy}/views`;
  const credential = createCredentials(run, hosts);
  const problems = new Map<string, Problem>();
  const pages: string[] = [];
  for (let at = 0; at < connections; at += 1) {
    const { found, path } = await register(run, { url, credential: await credential?.() });
    if (found) problems.set(found.code, found);
    if (path) pages.push(`${deployment.proxy}${path}`);
    // These don't depend on the instance.
    if (found && found.code !== "keys-differ" && found.code !== "failing") break;
  }
  const mayRegister = pages.length > 0 && credential === undefined;
  if (mayRegister && deployment.tier === "domain") {
    const found = anonymousProblem(url);
    problems.set(found.code, found);
  }
  const answer = problems.size === 0 || pages.length > 0;
  const large = answer ? await largeProblem(run, { url, credential: await credential?.() }) : [];
  return { problems: [...problems.values(), ...large], pages };
}

interface Registration {
  url: string;
  credential: string | undefined;
}

async function post(
  { send, host, deployment }: Run,
  { url, credential }: Registration,
  html: string,
): Promise<Exchange> {
  const entrance = await send(`${deployment.proxy}/`, { headers: frameHeaders(host) });
  const token = readSandboxPage(entrance.text)?.token ?? "";
  return send(url, {
    method: "POST",
    headers: {
      ...registrationHeaders(deployment.proxy),
      "vitrine-token": token,
      ...(credential !== undefined && { "vitrine-credential": credential }),
    },
    body: JSON.stringify({ html, vitrine: IDENTITY }),
  });
}

async function register(
  run: Run,
  registration: Registration,
): Promise<{ found?: Problem; path?: string }> {
  try {
    const exchange = await post(run, registration, DOCUMENT);
    const path = exchange.status === 201 ? readPath(exchange.text) : undefined;
    return path ? { path } : { found: refusalProblem(exchange, registration) };
  } catch (error) {
    return { found: connectionProblem(registration.url, error) };
  }
}

function readPath(text: string): string | undefined {
  try {
    const { path } = Object(JSON.parse(text));
    return typeof path === "string" && /^\/p\/[a-z2-7]{32}$/.test(path) ? path : undefined;
  } catch {
    return undefined;
  }
}

/** Why a registration was refused. In a sandbox that needs credentials a refusal is expected. */
function refusalProblem(exchange: Exchange, { url, credential }: Registration): Problem {
  const { status, text } = exchange;
  const isOurs = headerOf(exchange, "content-security-policy") === "default-src 'none'; sandbox";
  const says = printable(text.slice(0, 120));
  if (isOurs && status === 403 && /credential/.test(text) && credential === undefined) {
    const cause =
      "The sandbox needs credentials, so no view could be registered. Relay pages, views and the shared store weren't checked.";
    const remedy =
      "Run it with --key and the file that contains the sandbox's key. The key isn't sent.";
    return problem("unchecked", url, { cause, remedy, severity: "note" });
  }
  if (isOurs && status === 401 && credential !== undefined) {
    const cause = `The sandbox rejects a credential of the key given: "${says}".`;
    const remedy =
      "Use the same key for --key and for every instance, check their clocks, and let the proxy pass on the header Vitrine-Credential.";
    return problem("keys-differ", url, { cause, remedy });
  }
  if (isOurs && status === 401) {
    const cause = `The sandbox rejects the token of an entrance that it served just before: "${says}". The instances have different keys or clocks, or a proxy removes the header Vitrine-Token.`;
    const remedy = "Give every instance the same key, and synchronise their clocks.";
    return problem("keys-differ", url, { cause, remedy });
  }
  if (isOurs && (status === 403 || status === 415)) {
    const cause = `The sandbox doesn't recognise its own page: "${says}". A proxy removes or changes Origin, Sec-Fetch-Site, Sec-Fetch-Dest or Content-Type, or authorize rejected the view.`;
    const remedy = "Let the proxy or CDN pass on these request headers unchanged.";
    return problem("registration-headers", url, { cause, remedy });
  }
  if (isOurs && status === 429) {
    const cause = `The sandbox rejects the registration: "${says}".`;
    const remedy =
      "Try again later. If it stays, the sandbox sees all users under the proxy's address: pass addressOf to the adapter.";
    return problem("no-registration", url, { cause, remedy });
  }
  if (status >= 500) {
    const cause = `Registering a view fails with status ${status}: "${says}".`;
    const remedy = "Read the sandbox's log (onError). Often its store can't be reached or is full.";
    return problem("failing", url, { cause, remedy });
  }
  const cause = `POST ${new URL(url).pathname} is answered with status ${status}, but not by the sandbox.`;
  const remedy =
    "Let the proxy, CDN or firewall pass on POST requests to the sandbox, not only GET requests.";
  return problem("no-registration", url, { cause, remedy });
}

function anonymousProblem(url: string): Problem {
  const cause =
    'Views can be registered without a credential: registration is "anonymous". Everybody who reaches the sandbox can use it, and views have no lasting storage.';
  const remedy =
    'Remove registration: "anonymous", and let your server or the gateway issue credentials.';
  return problem("anonymous", url, { cause, remedy, severity: "warning" });
}

async function largeProblem(run: Run, registration: Registration): Promise<Problem[]> {
  const answer = await post(run, registration, `${DOCUMENT}${" ".repeat(LARGE)}`).catch(
    () => undefined,
  );
  // Any answer of the sandbox shows that the request reached it.
  const isOurs =
    answer && /default-src 'none'; sandbox/.test(headerOf(answer, "content-security-policy"));
  if (isOurs && answer.status !== 413) return [];
  const what = answer ? `status ${answer.status}` : "a closed connection";
  const cause = `A view of 2 MiB is answered with ${what}, although the sandbox accepts 5 MiB by default.`;
  const remedy =
    "Raise the limit for request bodies in the proxy (nginx: client_max_body_size 12m), or in limits.html.";
  return [problem("body-limit", registration.url, { cause, remedy, severity: "warning" })];
}

/** Issues credentials here: the key never leaves this machine. */
function createCredentials(
  { deployment, key, host }: Run,
  hosts: readonly string[],
): (() => Promise<string>) | undefined {
  if (key === undefined) return undefined;
  // A wildcard isn't a page.
  const pages = hosts.filter((one) => !one.includes("*"));
  const [embedding = host] = host !== undefined && pages.includes(host) ? [host] : pages;
  const sandbox = createSandbox({ origins: layoutOf(deployment, { host: embedding, key }) });
  return () =>
    sandbox.issueCredential(IDENTITY, embedding === undefined ? {} : { host: embedding });
}
