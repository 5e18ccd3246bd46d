// Views in folders, by the convention of mcp-bash: `tools/<tool>/ui/` belongs to a tool, `ui/<name>/`
// is standalone; each has an index.html or a ui.meta.json. Problems are reported as messages: a
// broken folder must not prevent a server from starting.

import { readdirSync } from "node:fs";
import { join } from "node:path";
import type { DiscoveredView, DiscoveryOptions } from "./discovered-view.ts";
import { FolderReader } from "./folder-reader.ts";

/** Finds the views below a folder, sorted by name; never throws for what it finds. */
export function discoverViews(root: string, options: DiscoveryOptions = {}): DiscoveredView[] {
  const reader = new FolderReader(root, options);
  const tools = subfolders(root, "tools").map((name) => reader.toolView(name));
  const own = subfolders(root, "ui").map((name) => reader.ownView(name));
  const views = [...tools, ...own].filter((view) => view !== undefined);
  return withoutDuplicates(views);
}

/** Every folder in which a view could appear, including empty ones. */
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

/** One URI has one view; that of a tool comes first. */
function withoutDuplicates(views: readonly DiscoveredView[]): DiscoveredView[] {
  const first = new Map<string, DiscoveredView>();
  return views.map((view) => {
    const other = first.get(view.id);
    if (!other) {
      first.set(view.id, view);
      return view;
    }
    const message = `${view.folder} has the same name as ${other.folder}, but one URI has one view. Rename one of the folders.`;
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
