import { createHash } from "node:crypto";
import { RELAY_SCRIPT } from "../../packages/sandbox/src/relay-script.ts";

/** What a mutation run takes away from the real sandbox; empty in every other run. */
export interface Weakening {
  /** A defence that the relay is built without. */
  readonly relay?: string;
  /** Edits the headers of the relay's page, of the view's document, or of every answer. */
  proxy?(headers: Headers): void;
  view?(headers: Headers): void;
  any?(headers: Headers): void;
  /** Edits what the server is told about a request. */
  request?(headers: Headers): void;
  /** Edits the data beside the relay's program. */
  settings?(settings: Record<string, unknown>): void;
  /** Documents are not used up when they are taken. */
  readonly reusable?: true;
  /** Flags of the host's own frame; `null` for none at all. */
  readonly outerSandbox?: string | null;
  /** Edits in the sources that the host's page is built from. */
  readonly host?: readonly SourceEdit[];
}

/** A piece of a source file, which must occur there once, and what stands in its place. */
export interface SourceEdit {
  /** The end of its path. */
  readonly file: string;
  readonly from: string;
  readonly to: string;
}

interface RelayBuild {
  bundleRelay(options: { without: string }): Promise<string>;
}

const build = new URL("../../scripts/build-relay.mjs", import.meta.url);

/** Wraps the real handler; without a weakening, requests and answers pass untouched. */
export async function weaken(
  handle: (request: Request) => Promise<Response>,
  weakening: Weakening,
): Promise<(request: Request) => Promise<Response>> {
  if (Object.keys(weakening).length === 0) return handle;
  const mutant = weakening.relay ? await mutantOf(weakening.relay) : undefined;
  return async (original) => {
    const answer = await handle(weakening.request ? retold(original, weakening.request) : original);
    if (!answer.ok) return answer;
    const { pathname } = new URL(original.url);
    const headers = new Headers(answer.headers);
    weakening.any?.(headers);
    if (/\/v\/[^/]+$/.test(pathname)) weakening.view?.(headers);
    if (!/\/p\/[^/]+$/.test(pathname)) return rewritten(answer, headers, await answer.text());
    weakening.proxy?.(headers);
    let page = await answer.text();
    if (mutant) page = swapRelay(page, headers, mutant);
    if (weakening.settings) page = swapSettings(page, weakening.settings);
    return rewritten(answer, headers, page);
  };
}

function retold(original: Request, edit: (headers: Headers) => void): Request {
  const headers = new Headers(original.headers);
  edit(headers);
  return new Request(original.url, { method: original.method, headers });
}

function rewritten({ status }: Response, headers: Headers, body: string): Response {
  return new Response(body || null, { status, headers });
}

async function mutantOf(without: string): Promise<string> {
  const { bundleRelay }: RelayBuild = await import(build.href);
  const mutant = await bundleRelay({ without });
  if (mutant === RELAY_SCRIPT) throw new Error(`The relay knows no defence "${without}".`);
  return mutant;
}

/** Puts the mutant into the page and into the policy that pins it by hash. */
function swapRelay(page: string, headers: Headers, mutant: string): string {
  const policy = headers.get("content-security-policy") ?? "";
  if (!page.includes(RELAY_SCRIPT) || !policy.includes(hash(RELAY_SCRIPT))) {
    throw new Error("The page or its policy does not hold the relay that was checked in.");
  }
  headers.set("content-security-policy", policy.replace(hash(RELAY_SCRIPT), hash(mutant)));
  return page.split(RELAY_SCRIPT).join(mutant);
}

function swapSettings(page: string, edit: (settings: Record<string, unknown>) => void): string {
  return page.replace(/data-vitrine="([^"]+)"/, (_, text: string) => {
    const settings = JSON.parse(text.replaceAll("&quot;", '"').replaceAll("&amp;", "&"));
    edit(settings);
    return `data-vitrine="${JSON.stringify(settings).replaceAll("&", "&amp;").replaceAll('"', "&quot;")}"`;
  });
}

function hash(text: string): string {
  return createHash("sha256").update(text).digest("base64");
}
