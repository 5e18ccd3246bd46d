import { existsSync, readdirSync } from "node:fs";
import { basename, dirname, isAbsolute, join, relative, resolve } from "node:path";

/** Where views are: a folder with one subfolder for each, or their entries, by name or not. */
export type ViewEntries = string | readonly string[] | Readonly<Record<string, string>>;

/** One View to build. */
export interface ViewInput {
  name: string;
  /** The page's absolute path; for a script entry it only exists for the build. */
  page: string;
  /** The script entry for which a page is generated, as the page names it. */
  script?: string;
  /** The author's folder. */
  folder: string;
}

const SCRIPTS = ["tsx", "ts", "jsx", "js", "mjs"].flatMap((ext) => [`main.${ext}`, `index.${ext}`]);
const IS_SCRIPT = /\.(?:[cm]?[jt]s|[jt]sx)$/;
const NAME = /^[a-z0-9][\w.-]*$/i;

/** Finds the views; throws if there are none, or one can't be named. */
export function findInputs(root: string, entries: ViewEntries): ViewInput[] {
  const inputs = [...named(root, entries)].map(([name, entry]) => inputOf(root, name, entry));
  if (inputs.length === 0) {
    throw new Error(
      `No view found in ${JSON.stringify(entries)}. Expected subfolders with an index.html, main.ts or main.tsx, or entries by name, such as { weather: "src/weather.tsx" }.`,
    );
  }
  const twice = inputs.find(({ name }, at) => inputs.some((o, i) => i < at && o.name === name));
  if (twice) {
    throw new Error(
      `Two views are called "${twice.name}". Pass entries by name, { ${twice.name}: …, other: … }.`,
    );
  }
  return inputs;
}

/** The page around a script entry. */
export function pageFor({ name, script }: ViewInput): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${name}</title>
</head>
<body>
<div id="app"></div>
<script type="module" src="${script}"></script>
</body>
</html>
`;
}

function* named(root: string, entries: ViewEntries): Iterable<[string, string]> {
  if (typeof entries === "string" && !/\.\w+$/.test(entries))
    yield* inFolder(resolve(root, entries));
  else if (typeof entries === "string") yield [nameOf(resolve(root, entries)), entries];
  else if (Array.isArray(entries))
    for (const entry of entries) yield [nameOf(resolve(root, entry)), entry];
  else yield* Object.entries(entries as Record<string, string>);
}

function* inFolder(folder: string): Iterable<[string, string]> {
  if (!existsSync(folder)) return;
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    if (!entry.isDirectory() || !NAME.test(entry.name)) continue;
    const files = ["index.html", ...SCRIPTS].map((file) => join(folder, entry.name, file));
    const found = files.find((file) => existsSync(file));
    if (found) yield [entry.name, found];
  }
}

function inputOf(root: string, name: string, entry: string): ViewInput {
  if (!NAME.test(name)) {
    throw new Error(
      `"${name}" can't be a view's name. It becomes a folder, so use letters, digits, ".", "_" and "-" only.`,
    );
  }
  const path = isAbsolute(entry) ? entry : resolve(root, entry);
  if (!existsSync(path)) throw new Error(`The view "${name}" has no file ${relative(root, path)}.`);
  const folder = dirname(path);
  if (!IS_SCRIPT.test(path)) return { name, page: path, folder };
  return { name, page: join(folder, `${name}.view.html`), script: `./${basename(path)}`, folder };
}

/** `views/weather/index.html` is weather, and so is `src/weather.tsx`. */
function nameOf(path: string): string {
  const file = basename(path).replace(/\.\w+$/, "");
  return file === "index" || file === "main" ? basename(dirname(path)) : file;
}

const PREFIX = "view_";

/** The name of Vite's environment for a View, by its place. */
export function environmentOf(place: number): string {
  return `${PREFIX}${place}`;
}

/** Whether an environment of Vite's is that of a View. */
export function isOfView(environment: string): boolean {
  return environment.startsWith(PREFIX);
}
