import { createHash } from "node:crypto";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import type { Defence } from "../../src/relay/defence.ts";
import { RELAY_SCRIPT } from "../../src/relay-script.ts";

interface RelayBuild {
  bundleRelay(options?: { without?: string }): Promise<string>;
  toRelayModule(script: string): string;
}

// By URL: the build is a script without types.
export const { bundleRelay, toRelayModule }: RelayBuild = await import(
  new URL("../../../../scripts/build-relay.mjs", import.meta.url).href
);

const mutants = new Map<Defence, Promise<string>>();

/** The relay without one of its defences. */
export function mutantOf(without: Defence): Promise<string> {
  const known = mutants.get(without) ?? bundleRelay({ without });
  mutants.set(without, known);
  return known;
}

/** Puts a mutant in the place of the relay in a page and in the policy that pins it. */
export async function swapRelay(
  without: Defence,
  page: { headers: Record<string, string>; body: string },
): Promise<void> {
  const policy = page.headers["content-security-policy"] ?? "";
  const mutant = await mutantOf(without);
  if (!page.body.includes(RELAY_SCRIPT) || !policy.includes(sha256(RELAY_SCRIPT))) {
    throw new Error("The page does not contain the relay, or its policy not the relay's hash.");
  }
  page.body = page.body.split(RELAY_SCRIPT).join(mutant);
  page.headers["content-security-policy"] = policy.replace(sha256(RELAY_SCRIPT), sha256(mutant));
}

function sha256(text: string): string {
  return createHash("sha256").update(text).digest("base64");
}

const PAGES = {
  "hand-host": new URL("./pages/hand-host.ts", import.meta.url),
  "official-host": new URL("./pages/official-host.ts", import.meta.url),
  "tool-view": new URL("./pages/tool-view.ts", import.meta.url),
};

/** A program for a page of the tests. */
export type Program = keyof typeof PAGES;

const pages = new Map<string, Promise<string>>();

/** One page's program as a classic script; `alias` swaps the SDK that its source names. */
export function bundlePage(name: Program, alias: Record<string, string> = {}): Promise<string> {
  const key = JSON.stringify([name, alias]);
  const known = pages.get(key) ?? bundle(name, alias);
  pages.set(key, known);
  return known;
}

async function bundle(name: Program, alias: Record<string, string>): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [fileURLToPath(PAGES[name])],
    alias,
    bundle: true,
    write: false,
    format: "iife",
    target: "es2022",
    conditions: ["@vitrine/source", "module", "browser"],
    define: { "process.env.NODE_ENV": '"production"' },
    logLevel: "silent",
  });
  // Inside a script element either would end or hide it; the escape means the same in a string.
  return (outputFiles[0]?.text ?? "")
    .replaceAll("<!--", "\\x3C!--")
    .replaceAll("</script", "<\\/script");
}
