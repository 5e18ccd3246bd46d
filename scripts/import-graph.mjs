// Finds import cycles, upward imports between folders and repeated file names inside a package.

import { posix } from "node:path";

const SOURCE = /^packages\/([^/]+)\/src\/(.+)$/;
// Type imports count: a reader has to follow them too.
const relativeImport = /(?:from\s+|import\s*\(\s*|import\s+)["'](\.[^"']+)["']/g;

/** The relative imports of each file. `files` maps paths to source text. */
export function importGraph(files) {
  const graph = new Map();
  for (const [path, source] of files) {
    const targets = [...source.matchAll(relativeImport)]
      .map(([, specifier]) => posix.join(posix.dirname(path), specifier))
      .filter((target) => files.has(target));
    graph.set(path, [...new Set(targets)]);
  }
  return graph;
}

/** The groups of files that import each other, directly or through others (Tarjan's algorithm). */
export function importCycles(graph) {
  const cycles = [];
  const order = new Map();
  const lowest = new Map();
  const stack = [];
  const visit = (path) => {
    order.set(path, order.size);
    lowest.set(path, order.get(path));
    stack.push(path);
    for (const target of graph.get(path)) {
      if (!order.has(target)) visit(target);
      else if (!stack.includes(target)) continue;
      lowest.set(path, Math.min(lowest.get(path), lowest.get(target)));
    }
    if (lowest.get(path) !== order.get(path)) return;
    const group = stack.splice(stack.indexOf(path));
    if (group.length > 1 || graph.get(path).includes(path)) cycles.push(group.sort());
  };
  for (const path of graph.keys()) if (!order.has(path)) visit(path);
  return cycles;
}

/**
 * The imports between top-level folders of a package that its layers don't allow. `layers` maps a
 * folder to the folders it may import; files directly in `src` are the folder ".", and "*" allows all.
 */
export function upwardImports(graph, packageName, layers) {
  const folderOf = (path) => {
    const [, owner, rest] = SOURCE.exec(path) ?? [];
    if (owner !== packageName) return undefined;
    return rest.includes("/") ? rest.slice(0, rest.indexOf("/")) : ".";
  };
  const complaints = [];
  for (const [path, targets] of graph) {
    const from = folderOf(path);
    if (from === undefined) continue;
    if (!(from in layers)) {
      complaints.push(`${path}: the folder "${from}" is missing from LAYERS.${packageName}.`);
      continue;
    }
    for (const target of targets) {
      const to = folderOf(target);
      const allowed = layers[from];
      if (to === from || allowed.includes("*") || allowed.includes(to)) continue;
      complaints.push(`${path} imports ${target}: "${from}" may not import "${to}".`);
    }
  }
  return complaints;
}

/** The file names that occur more than once in one package's `src`. Every folder may have an index. */
export function repeatedNames(paths) {
  const byName = new Map();
  for (const path of paths) {
    const owner = SOURCE.exec(path)?.[1];
    const name = posix.basename(path);
    if (owner === undefined || name === "index.ts") continue;
    const key = `${owner}/${name}`;
    byName.set(key, [...(byName.get(key) ?? []), path]);
  }
  return [...byName.values()].filter((group) => group.length > 1);
}
