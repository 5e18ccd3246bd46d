import { mkdtempSync, rmSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { build, type Plugin } from "esbuild";

/** A piece of a source file, which must occur there once, and its replacement. */
export interface SourceEdit {
  /** The end of the file's path. */
  readonly file: string;
  readonly from: string;
  readonly to: string;
}

/**
 * An esbuild plugin that edits sources while they are bundled. The build fails unless each edit is
 * applied: a mutation that changes nothing proves nothing.
 */
export function editSources(edits: readonly SourceEdit[]): Plugin {
  return {
    name: "source-edits",
    setup(bundle) {
      const missing = new Set(edits);
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
      bundle.onEnd(() => ({
        errors: [...missing].map(({ file }) => ({ text: `${file} is not part of the bundle.` })),
      }));
    },
  };
}

type SandboxModule = typeof import("@vitrine/sandbox");

const SANDBOX = fileURLToPath(new URL("../../packages/sandbox/src/index.ts", import.meta.url));

/** The sandbox's package with edited sources, or the package itself when there are no edits. */
export async function loadSandbox(edits: readonly SourceEdit[] = []): Promise<SandboxModule> {
  if (edits.length === 0) return import("@vitrine/sandbox");
  const folder = mkdtempSync(join(tmpdir(), "vitrine-redteam-sandbox-"));
  // A new path for each mutation, so that no module cache returns the sandbox of another one.
  const outfile = join(folder, "sandbox.mjs");
  try {
    await build({
      entryPoints: [SANDBOX],
      bundle: true,
      outfile,
      platform: "node",
      format: "esm",
      target: "node24",
      conditions: ["@vitrine/source"],
      plugins: [editSources(edits)],
      logLevel: "silent",
    });
    return await import(pathToFileURL(outfile).href);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
