// Watches folders, not files: an editor that saves by renaming leaves a watched file behind. A
// folder's event only triggers another scan, whose result counts.

import { createHash } from "node:crypto";
import { type FSWatcher, realpathSync, statSync, watch } from "node:fs";
import { join } from "node:path";
import type { DiscoveredView, DiscoveryOptions } from "./discovered-view.ts";
import { discoverViews, watchedFolders } from "./discovered-views.ts";
import { isInside } from "./file-reading.ts";

/** A change below a folder. */
export interface ViewsChange {
  /** All views as they are now. */
  views: readonly DiscoveredView[];
  /** Ids of added, removed and changed views. */
  changed: readonly string[];
}

/** How a folder is watched. */
export interface WatchOptions extends DiscoveryOptions {
  /** Called after each change. */
  onChange(change: ViewsChange): void;
  /** Milliseconds without events that end a change; 80. */
  quietMs?: number;
}

/** A watched folder; it doesn't keep the process alive. */
export interface ViewWatch {
  readonly views: readonly DiscoveredView[];
  /** Idempotent. */
  close(): void;
}

const defaultQuiet = 80;
// A file that is being replaced is missing for a moment, and a build may empty its folder first.
const patience = 300;
// If the system provides no watchers, or no more of them.
const lookEvery = 1_000;

/** Watches the views below a folder. */
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
    // A file may have been added to a new folder before it was watched.
    if (hasNewFolders) later(options.quietMs ?? defaultQuiet, isPatient);
    if (changed.size > 0) options.onChange({ views, changed: [...changed] });
  }

  /** Watches every folder in which a view could change; true if there are new ones. */
  function follow(found: readonly DiscoveredView[]): boolean {
    const wanted = new Set(
      watchedFolders(root, found)
        .map((folder) => join(root, folder))
        .filter((folder) => statSync(folder, { throwIfNoEntry: false })?.isDirectory())
        .filter((folder) => isInside(realpathSync(root), realpathSync(folder))),
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
        // A replaced folder keeps its name, but this watcher doesn't see it.
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

/** Identifies the state of a view. */
function marksOf(views: readonly DiscoveredView[]): Map<string, string> {
  return new Map(
    views.map(({ source, ...rest }) => {
      const state = JSON.stringify([rest, source?.meta, source?.html()]);
      return [rest.folder, createHash("sha256").update(state).digest("base64")];
    }),
  );
}
