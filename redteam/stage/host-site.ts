import { basename } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import type { SandboxStage } from "./sandbox-stage.ts";
import { editSources } from "./source-edits.ts";

const PROGRAM = fileURLToPath(new URL("./host-program.ts", import.meta.url));

const sites = new WeakMap<SandboxStage, Promise<string>>();

/** The address of a page with the real host on a stage, built once for it. */
export function hostSite(stage: SandboxStage): Promise<string> {
  const site = sites.get(stage) ?? serveSite(stage);
  sites.set(stage, site);
  return site;
}

async function serveSite(stage: SandboxStage): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [PROGRAM],
    bundle: true,
    // Modules loaded on demand stay separate, as in a product.
    splitting: true,
    write: false,
    outdir: "/",
    format: "esm",
    target: "es2022",
    conditions: ["@vitrine/source", "module", "browser"],
    define: { "process.env.NODE_ENV": '"production"' },
    plugins: [editSources(stage.weakening.host ?? [])],
    logLevel: "silent",
  });
  for (const { path, text } of outputFiles) {
    const headers = { "content-type": "text/javascript", "cache-control": "no-store" };
    stage.serve(`/host/${basename(path)}`, text, headers);
  }
  return stage.serve("/host/", PAGE, {
    "content-type": "text/html; charset=utf-8",
    "cache-control": "no-store",
    "content-security-policy": hostPolicy(stage.entrance),
    "cross-origin-opener-policy": "same-origin",
  });
}

const PAGE = `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>host</title><script type="module" src="/host/host-program.js"></script></head><body></body></html>`;

/** As a product serves its page, but free to fetch: what the host does not do must not be the policy's merit. */
function hostPolicy(entrance: string): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    "connect-src *",
    "img-src *",
    `frame-src ${new URL(entrance).origin}`,
    "require-trusted-types-for 'script'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join("; ");
}
