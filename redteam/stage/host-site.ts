import { readFile } from "node:fs/promises";
import { basename } from "node:path";
import { fileURLToPath } from "node:url";
import { build, type Plugin } from "esbuild";
import type { SandboxStage } from "./sandbox-stage.ts";
import type { SourceEdit } from "./weakening.ts";

const PROGRAM = fileURLToPath(new URL("./host-program.ts", import.meta.url));

const sites = new WeakMap<SandboxStage, Promise<string>>();

/** The address of a page with the real host on a stage, built once for it. */
export function hostSite(stage: SandboxStage): Promise<string> {
  const site = sites.get(stage) ?? serveSite(stage);
  sites.set(stage, site);
  return site;
}

async function serveSite(stage: SandboxStage): Promise<string> {
  const edits = stage.weakening.host ?? [];
  const missing = new Set(edits);
  const { outputFiles } = await build({
    entryPoints: [PROGRAM],
    bundle: true,
    // What is loaded on demand stays apart, as in a product.
    splitting: true,
    write: false,
    outdir: "/",
    format: "esm",
    target: "es2022",
    conditions: ["@vitrine/source", "module", "browser"],
    define: { "process.env.NODE_ENV": '"production"' },
    plugins: [editing(edits, missing)],
    logLevel: "silent",
  });
  // A mutation that hits nothing would prove nothing.
  for (const { file } of missing) throw new Error(`${file} is not part of the host's page.`);
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

/** Changes sources on their way into the bundle. */
function editing(edits: readonly SourceEdit[], missing: Set<SourceEdit>): Plugin {
  return {
    name: "weakening",
    setup(bundle) {
      bundle.onLoad({ filter: /\.ts$/ }, async ({ path }) => {
        const here = edits.filter(({ file }) => path.endsWith(`/${file}`));
        if (here.length === 0) return undefined;
        let contents = await readFile(path, "utf8");
        for (const edit of here) {
          const parts = contents.split(edit.from);
          if (parts.length !== 2) {
            throw new Error(`${edit.file} has "${edit.from}" ${parts.length - 1} times, not once.`);
          }
          contents = parts.join(edit.to);
          missing.delete(edit);
        }
        return { contents, loader: "ts" };
      });
    },
  };
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
