// A bundler's output before it is written, by its shape: Rolldown's and Rollup's alike.

import type { BundledScript, RenderedModule } from "./finished-view.ts";
import type { MappedScript } from "./view-maps.ts";

/** The files of a View, by name. */
export type Bundle = Record<string, BundleFile>;

/** A script, a style, the page. */
export interface BundleFile {
  type: "chunk" | "asset";
  fileName: string;
  code?: string;
  map?: MappedScript["map"] | null;
  source?: string | Uint8Array;
  imports?: string[];
  modules?: Record<string, { code: string | null }>;
}

/** The document so far. */
export function onlyPage(bundle: Bundle): string {
  return String(Object.values(bundle).find(isPage)?.source ?? "");
}

/** The script, if there is only one. */
export function onlyScript(bundle: Bundle): BundledScript | undefined {
  const [script, ...more] = Object.values(bundle).filter(({ code }) => code !== undefined);
  if (script?.code === undefined || more.length > 0) return undefined;
  return { code: script.code, imports: script.imports ?? [] };
}

/** The scripts with their source maps; the files of the maps leave the bundle. */
export function takeMaps(bundle: Bundle): MappedScript[] {
  for (const name of Object.keys(bundle)) if (/\.js\.map$/.test(name)) delete bundle[name];
  return Object.values(bundle).flatMap(({ fileName, code, map }) =>
    code !== undefined && map ? [{ fileName, code, map }] : [],
  );
}

/** Files that would have to be served next to the page. */
export function filesBeside(bundle: Bundle): string[] {
  const files = Object.values(bundle).filter((file) => !isPage(file));
  return files.map(
    ({ fileName }) =>
      `needs ${fileName}, but no other files are served. Inline a worker with \`?worker&inline\`, any other file with \`?inline\` or \`?raw\`.`,
  );
}

/** The modules that went into the scripts. */
export function modulesOf(bundle: Bundle, root: string): RenderedModule[] {
  return Object.values(bundle).flatMap((file) =>
    Object.entries(file.modules ?? {}).map(([id, { code }]) => ({
      module: nameOf(id, root),
      code: code ?? "",
    })),
  );
}

function isPage({ fileName }: BundleFile): boolean {
  return fileName.endsWith(".html");
}

/** A module's name for people: a path in the project, or one in a package. */
function nameOf(id: string, root: string): string {
  const path = id.replace(/^\0/, "").split("node_modules/").at(-1) ?? id;
  return path.startsWith(`${root}/`) ? path.slice(root.length + 1) : path;
}
