import { createHash } from "node:crypto";
import type { Sandbox } from "@vitrine/sandbox";
import { GUARD_SCRIPT } from "../../packages/sandbox/src/guard-script.ts";
import { RELAY_SCRIPT } from "../../packages/sandbox/src/relay-script.ts";
import type { SourceEdit } from "./source-edits.ts";

/** What a mutation run takes away from the real sandbox; empty in every other run. */
export interface Weakening {
  /** A defence that the relay is built without. */
  readonly relay?: string;
  /** A defence that the guard in front of each view is built without. */
  readonly guard?: string;
  /** Edits the headers of the relay's page, of the view's document, or of every answer. */
  proxy?(headers: Headers): void;
  view?(headers: Headers): void;
  any?(headers: Headers): void;
  /** Edits a request before the server receives it. */
  request?(headers: Headers): void;
  /** Edits the data next to the relay's script. */
  settings?(settings: Record<string, unknown>): void;
  /** Documents are not used up when they are taken. */
  readonly reusable?: true;
  /** Flags of the host's own frame; `null` for none at all. */
  readonly outerSandbox?: string | null;
  /** Edits in the sources that the host's page is built from. */
  readonly host?: readonly SourceEdit[];
  /** Edits in the sources of the sandbox's server; the relay's program has its own builds. */
  readonly sandbox?: readonly SourceEdit[];
}

interface RelayBuild {
  bundleRelay(options: { without: string }): Promise<string>;
  bundleGuard(options: { without: string }): Promise<string>;
}

const build = new URL("../../scripts/build-relay.mjs", import.meta.url);

/** Wraps the real handler; without a weakening, requests and answers pass untouched. */
export async function weaken(
  handle: Sandbox["fetch"],
  weakening: Weakening,
): Promise<Sandbox["fetch"]> {
  if (Object.keys(weakening).length === 0) return handle;
  const mutant = weakening.relay ? await mutantOf(weakening.relay) : undefined;
  const guard = weakening.guard ? await guardWithout(weakening.guard) : GUARD_SCRIPT;
  return async (original, client) => {
    const request = weakening.request ? retold(original, weakening.request) : original;
    const answer = await handle(request, client);
    if (!answer.ok) return answer;
    const { pathname } = new URL(original.url);
    const headers = new Headers(answer.headers);
    weakening.any?.(headers);
    if (/\/v\/[^/]+$/.test(pathname)) weakening.view?.(headers);
    if (!/\/p\/[^/]+$/.test(pathname)) {
      return rewritten(
        answer,
        headers,
        (await answer.text()).replace(GUARD_SCRIPT, () => guard),
      );
    }
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

async function guardWithout(without: string): Promise<string> {
  const { bundleGuard }: RelayBuild = await import(build.href);
  const mutant = await bundleGuard({ without });
  if (mutant === GUARD_SCRIPT) throw new Error(`The guard knows no defence "${without}".`);
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
