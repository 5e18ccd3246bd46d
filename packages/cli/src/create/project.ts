// What `create` writes: a template's folders laid over each other, with the project's name and our version.

import { cp, mkdir, readdir, readFile, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { Failure } from "../failure.ts";
import { TEMPLATE_FOLDER, TEMPLATES, type TemplateName } from "./templates.ts";

/** A project to be. */
export interface ProjectOptions {
  /** Absolute. */
  folder: string;
  name: string;
  template: TemplateName;
  /** The version of `vitrine`, which all packages of Vitrine share. */
  version: string;
}

interface Manifest {
  name: string;
  dependencies?: Record<string, string>;
  devDependencies?: Record<string, string>;
}

/** What stands for the project's name in the templates. */
const PLACEHOLDER = "my-app";
// What people have in a folder before anything else.
const HARMLESS = new Set([".git", ".DS_Store"]);

/** Refuses a folder that something else is in. */
export async function checkFolder(folder: string): Promise<void> {
  const found = await readdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return [];
    throw new Failure(
      "folder-taken",
      `${folder} cannot be used as a folder: ${error.message}. Name another.`,
      { cause: error },
    );
  });
  const others = found.filter((name) => !HARMLESS.has(name));
  if (others.length === 0) return;
  const some = others.slice(0, 3).join(", ");
  const more = others.length > 3 ? ` and ${others.length - 3} more` : "";
  throw new Failure(
    "folder-taken",
    `${folder} is not empty: it has ${some}${more}. Nothing was written. Name another folder.`,
  );
}

/** Writes the project. */
export async function writeProject(options: ProjectOptions): Promise<void> {
  const { folder, name, template, version } = options;
  await mkdir(folder, { recursive: true });
  for (const layer of TEMPLATES[template].layers) {
    await cp(join(TEMPLATE_FOLDER, layer), folder, { recursive: true });
  }
  // npm takes a .gitignore in a package for its own, and would leave files out.
  await rename(join(folder, "_gitignore"), join(folder, ".gitignore"));
  await rewrite(join(folder, "README.md"), (text) => text.replace(PLACEHOLDER, name));
  await rewrite(join(folder, "package.json"), (text) => stampManifest(text, { name, version }));
}

/** The dependencies of a template, to tell which names a project cannot have. */
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
