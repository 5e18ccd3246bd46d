import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { svelte } from "@sveltejs/vite-plugin-svelte";
import react from "@vitejs/plugin-react";
import vue from "@vitejs/plugin-vue";
import { defaultClientConditions, type InlineConfig } from "vite";
import { buildViews, type ViewReport, type VitrineViewsOptions } from "../../src/vite/index.ts";

/** Views that were built into a folder of their own. */
export interface BuiltFolder {
  folder: string;
  reports: readonly ViewReport[];
  /** The document of one of them. */
  html(name: string): Promise<string>;
  remove(): Promise<void>;
}

const MODULES = fileURLToPath(new URL("../../../../node_modules", import.meta.url));

/** The project with a View in each framework. */
export const PROJECT: string = fileURLToPath(new URL(".", import.meta.url));

/** Vite as an author of all four frameworks configures it, on our sources. */
export function viteConfig(outDir: string, root: string = PROJECT): InlineConfig {
  return {
    root,
    logLevel: "silent",
    plugins: [react(), vue(), svelte({ configFile: false })],
    resolve: { conditions: ["@vitrine/source", ...defaultClientConditions] },
    build: { outDir, emptyOutDir: true },
  };
}

/** Builds Views into a temporary folder. */
export async function buildFolder(
  options: VitrineViewsOptions = {},
  root: string = PROJECT,
): Promise<BuiltFolder> {
  const folder = await mkdtemp(join(tmpdir(), "vitrine-views-"));
  const remove = (): Promise<void> => rm(folder, { recursive: true, force: true });
  // Vite takes the test runner's word for what kind of build it is.
  const before = process.env.NODE_ENV;
  process.env.NODE_ENV = "production";
  try {
    const { reports } = await buildViews(options, viteConfig(folder, root));
    const html = (name: string): Promise<string> =>
      readFile(join(folder, "ui", name, "index.html"), "utf8");
    return { folder, reports, html, remove };
  } catch (error) {
    await remove();
    throw error;
  } finally {
    process.env.NODE_ENV = before;
  }
}

/** A project of these files, removed by `await using`; with our packages, unless it brings its own. */
export async function writeProject(
  files: Record<string, string>,
): Promise<{ root: string } & AsyncDisposable> {
  const root = await mkdtemp(join(tmpdir(), "vitrine-project-"));
  for (const [name, text] of Object.entries(files)) {
    await mkdir(dirname(join(root, name)), { recursive: true });
    await writeFile(join(root, name), text);
  }
  const hasPackages = Object.keys(files).some((name) => name.startsWith("node_modules/"));
  if (!hasPackages) await symlink(MODULES, join(root, "node_modules"));
  return { root, [Symbol.asyncDispose]: () => rm(root, { recursive: true, force: true }) };
}
