// Views in folders, after the convention of mcp-bash: `tools/<tool>/ui/` belongs to a tool, `ui/<name>/`
// stands for itself; each holds an index.html or a ui.meta.json. Whatever is wrong becomes a sentence:
// a broken folder is no reason for a Server not to start.

import { readdirSync } from "node:fs";
import { join } from "node:path";
import type { DiscoveredView, DiscoveryOptions } from "./discovered-view.ts";
import { FolderReader } from "./folder-reader.ts";

/** Finds the Views below a folder, in the order of their names; never throws for what it finds. */
export function discoverViews(root: string, options: DiscoveryOptions = {}): DiscoveredView[] {
  const reader = new FolderReader(root, options);
  const tools = subfolders(root, "tools").map((name) => reader.toolView(name));
  const own = subfolders(root, "ui").map((name) => reader.ownView(name));
  const views = [...tools, ...own].filter((view) => view !== undefined);
  return withoutDuplicates(views);
}

/** Every folder in which something could happen to a View, those that have none yet included. */
export function watchedFolders(root: string, views: readonly DiscoveredView[]): string[] {
  const tools = subfolders(root, "tools");
  const own = subfolders(root, "ui");
  return [
    "",
    "tools",
    "ui",
    ...tools.flatMap((name) => [`tools/${name}`, `tools/${name}/ui`]),
    ...own.map((name) => `ui/${name}`),
    ...views.map(({ pageFolder }) => pageFolder),
  ];
}

/** One URI has one View; that of a tool comes first. */
function withoutDuplicates(views: readonly DiscoveredView[]): DiscoveredView[] {
  const first = new Map<string, DiscoveredView>();
  return views.map((view) => {
    const other = first.get(view.id);
    if (!other) {
      first.set(view.id, view);
      return view;
    }
    const message = `${view.folder} has the same name as ${other.folder}, and one URI has one View. Rename one of the folders.`;
    const { source: _, ...rest } = view;
    return {
      ...rest,
      problems: [...view.problems, { code: "duplicate", file: view.folder, message }],
    };
  });
}

function subfolders(root: string, folder: string): string[] {
  try {
    return readdirSync(join(root, folder))
      .filter((name) => !name.startsWith("."))
      .sort();
  } catch {
    return [];
  }
}
