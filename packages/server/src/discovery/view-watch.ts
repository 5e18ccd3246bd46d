// Watches folders, not files: an editor that saves by renaming leaves a watched file behind, and what
// a folder reports is only a reason to look again. What counts is what is found then.

import { createHash } from "node:crypto";
import { type FSWatcher, statSync, watch } from "node:fs";
import { join } from "node:path";
import type { DiscoveredView, DiscoveryOptions } from "./discovered-view.ts";
import { discoverViews, watchedFolders } from "./discovered-views.ts";

/** What has changed below a folder. */
export interface ViewsChange {
  /** All Views as they are now. */
  views: readonly DiscoveredView[];
  /** Ids of those that came, went or are other than before. */
  changed: readonly string[];
}

/** How a folder is watched. */
export interface WatchOptions extends DiscoveryOptions {
  /** Told of each change, after it is over. */
  onChange(change: ViewsChange): void;
  /** Milliseconds of quiet that end a change; 80. */
  quietMs?: number;
}

/** A folder that is watched; it keeps no process alive. */
export interface ViewWatch {
  readonly views: readonly DiscoveredView[];
  /** Idempotent. */
  close(): void;
}

const defaultQuiet = 80;
// A file that is written anew is away for a moment, and a build may empty its folder first.
const patience = 300;
// Where the system gives no watchers, or no more of them.
const lookEvery = 1_000;

/** Watches the Views below a folder. */
export function watchViews(root: string, options: WatchOptions): ViewWatch {
  const watchers = new Map<string, FSWatcher>();
  let views = discoverViews(root, options);
  let marks = marksOf(views);
  let timer: NodeJS.Timeout | undefined;
  let polling: NodeJS.Timeout | undefined;
  let isClosed = false;

  const later = (milliseconds: number, isPatient = false): void => {
    if (isClosed) return;
    clearTimeout(timer);
    timer = setTimeout(() => look(isPatient), milliseconds).unref();
  };
  const poll = (): void => {
    polling ??= setInterval(() => look(true), lookEvery).unref();
  };

  function look(isPatient: boolean): void {
    if (isClosed) return;
    const found = discoverViews(root, options);
    const hasNewFolders = follow(found);
    const foundMarks = marksOf(found);
    const other = [...new Set([...marks.keys(), ...foundMarks.keys()])].filter(
      (folder) => marks.get(folder) !== foundMarks.get(folder),
    );
    const isLost = other.some((folder) => isServed(views, folder) && !isServed(found, folder));
    const changed = new Set(
      [...views, ...found].filter(({ folder }) => other.includes(folder)).map(({ id }) => id),
    );
    if (isLost && !isPatient) {
      later(patience, true);
      return;
    }
    views = found;
    marks = foundMarks;
    // Something may have been put into a new folder before it was watched.
    if (hasNewFolders) later(options.quietMs ?? defaultQuiet, isPatient);
    if (changed.size > 0) options.onChange({ views, changed: [...changed] });
  }

  /** Watches every folder in which something could happen; true if there are new ones. */
  function follow(found: readonly DiscoveredView[]): boolean {
    const wanted = new Set(
      watchedFolders(root, found)
        .map((folder) => join(root, folder))
        .filter((folder) => statSync(folder, { throwIfNoEntry: false })?.isDirectory()),
    );
    for (const [folder, watcher] of watchers) {
      if (wanted.has(folder)) continue;
      watcher.close();
      watchers.delete(folder);
    }
    const fresh = [...wanted].filter((folder) => !watchers.has(folder));
    for (const folder of fresh) listen(folder);
    return fresh.length > 0;
  }

  function listen(folder: string): void {
    const lose = (): void => {
      watchers.get(folder)?.close();
      watchers.delete(folder);
    };
    try {
      const watcher = watch(folder, { persistent: false }, (event, name) => {
        // A folder that was replaced goes on under its name, but not in this watcher.
        if (event === "rename" && name && watchers.has(join(folder, name))) {
          watchers.get(join(folder, name))?.close();
          watchers.delete(join(folder, name));
        }
        later(options.quietMs ?? defaultQuiet);
      });
      watcher.on("error", () => {
        lose();
        later(options.quietMs ?? defaultQuiet);
      });
      watchers.set(folder, watcher);
    } catch {
      lose();
      poll();
    }
  }

  follow(views);
  return {
    get views() {
      return views;
    },
    close: () => {
      isClosed = true;
      clearTimeout(timer);
      clearInterval(polling);
      for (const watcher of watchers.values()) watcher.close();
      watchers.clear();
    },
  };
}

function isServed(views: readonly DiscoveredView[], folder: string): boolean {
  return views.some((view) => view.folder === folder && view.source !== undefined);
}

/** What tells one state of a View from another. */
function marksOf(views: readonly DiscoveredView[]): Map<string, string> {
  return new Map(
    views.map(({ source, ...rest }) => {
      const state = JSON.stringify([rest, source?.meta, source?.html()]);
      return [rest.folder, createHash("sha256").update(state).digest("base64")];
    }),
  );
}
