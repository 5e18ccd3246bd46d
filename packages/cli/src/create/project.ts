// Writes a project: a template's folders copied over each other, with the project's name and our
// version.

import { cp, mkdir, readdir, readFile, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { Failure } from "../failure.ts";
import { TEMPLATE_FOLDER, TEMPLATES, type TemplateName } from "./templates.ts";

/** A project to create. */
export interface ProjectOptions {
  /** Absolute. */
  folder: string;
  name: string;
  template: TemplateName;
  /** The version of `vitrine`, which all Vitrine packages share. */
  version: string;
}

interface Manifest {
  name: string;
  dependencies?: Record<string, string>;
  devDependencies?: Record<string, string>;
}

/** The placeholder for the project's name in templates. */
const PLACEHOLDER = "my-app";
// Files that people often have in a folder before anything else.
const HARMLESS = new Set([".git", ".DS_Store"]);

/** Throws if the folder contains other files. */
export async function checkFolder(folder: string): Promise<void> {
  const found = await readdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return [];
    throw new Failure(
      "folder-taken",
      `${folder} can't be used as a folder: ${error.message}. Choose another one.`,
      { cause: error },
    );
  });
  const others = found.filter((name) => !HARMLESS.has(name));
  if (others.length === 0) return;
  const some = others.slice(0, 3).join(", ");
  const more = others.length > 3 ? ` and ${others.length - 3} more` : "";
  throw new Failure(
    "folder-taken",
    `${folder} is not empty: it contains ${some}${more}. Nothing was written. Choose another folder.`,
  );
}

/** Writes the project. */
export async function writeProject(options: ProjectOptions): Promise<void> {
  const { folder, name, template, version } = options;
  await mkdir(folder, { recursive: true });
  for (const layer of TEMPLATES[template].layers) {
    await cp(join(TEMPLATE_FOLDER, layer), folder, { recursive: true });
  }
  // npm treats a .gitignore in a package as its own, and would leave files out.
  await rename(join(folder, "_gitignore"), join(folder, ".gitignore"));
  await rewrite(join(folder, "README.md"), (text) => text.replace(PLACEHOLDER, name));
  await rewrite(join(folder, "package.json"), (text) => stampManifest(text, { name, version }));
}

/** The dependencies of a template, whose names a project can't have. */
export async function dependenciesOf(template: TemplateName): Promise<string[]> {
  const text = await readFile(join(TEMPLATE_FOLDER, template, "package.json"), "utf8");
  const { dependencies, devDependencies } = JSON.parse(text) as Manifest;
  return Object.keys({ ...dependencies, ...devDependencies });
}

function stampManifest(text: string, { name, version }: { name: string; version: string }): string {
  const manifest = JSON.parse(text) as Manifest;
  manifest.name = name;
  for (const list of [manifest.dependencies ?? {}, manifest.devDependencies ?? {}]) {
    for (const dependency of Object.keys(list)) {
      const isOurs = dependency === "vitrine" || dependency.startsWith("@vitrine/");
      if (isOurs) list[dependency] = version;
    }
  }
  return `${JSON.stringify(manifest, null, 2)}\n`;
}

async function rewrite(file: string, change: (text: string) => string): Promise<void> {
  await writeFile(file, change(await readFile(file, "utf8")));
}
