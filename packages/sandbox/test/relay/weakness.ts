import type { Defence } from "../../src/relay/defence.ts";
import { swapRelay } from "./relay-bundles.ts";

/** Which of the Sandbox's documents a response is. */
export type Part = "entrance" | "relay" | "view";

/** What a test changes in what the Sandbox serves, to take a wall away and look at the next. */
export interface Weakness {
  /** A defence of the relay left out. */
  without?: Defence;
  /** Another policy for one of the documents. */
  policy?: (part: Part, policy: string) => string;
  /** Another document in the place of one of them. */
  bodies?: Partial<Record<Part, string>>;
  /** Response headers that a document goes without. */
  headers?: Partial<Record<Part, string[]>>;
  /** Settings next to the relay, as a faulty server would write them. */
  settings?: Record<string, unknown>;
}

/** Adds a source to one directive of one document, and leaves the rest as it is. */
export function allow(
  at: Part,
  directive: string,
  source: string,
): NonNullable<Weakness["policy"]> {
  const pattern = new RegExp(`${directive} ('none')?`);
  return (part, policy) =>
    part === at ? policy.replace(pattern, `${directive} ${source} `) : policy;
}

/** An answer of the Sandbox that can be changed. */
export interface Served {
  headers: Record<string, string>;
  body: string;
}

const POLICY = "content-security-policy";

/** The answer as the Sandbox gave it, but for what a test takes away. */
export async function applyWeakness(
  path: string,
  answer: Response,
  { without, policy, bodies, headers: left, settings }: Weakness,
): Promise<Served> {
  // Not by `text()`, which would take a byte order mark off.
  const body = new TextDecoder("utf-8", { ignoreBOM: true }).decode(await answer.arrayBuffer());
  const served: Served = { headers: Object.fromEntries(answer.headers), body };
  const part = partOf(path);
  if (!answer.ok || !part) return served;
  if (settings && part === "relay") served.body = changeSettings(served.body, settings);
  if (without && (part === "entrance" || part === "relay")) await swapRelay(without, served);
  served.body = bodies?.[part] ?? served.body;
  for (const header of left?.[part] ?? []) delete served.headers[header];
  if (policy) served.headers[POLICY] = policy(part, served.headers[POLICY] ?? "");
  delete served.headers["content-length"];
  return served;
}

function partOf(path: string): Part | undefined {
  if (path === "/") return "entrance";
  const [, folder = ""] = /\/(p|v)\/[^/]+$/.exec(path) ?? [];
  return { p: "relay", v: "view" }[folder] as Part | undefined;
}

function changeSettings(html: string, change: Record<string, unknown>): string {
  return html.replace(/data-vitrine="([^"]*)"/, (_all, text: string) => {
    const settings = { ...JSON.parse(text.replaceAll("&quot;", '"')), ...change };
    return `data-vitrine="${JSON.stringify(settings).replaceAll('"', "&quot;")}"`;
  });
}
