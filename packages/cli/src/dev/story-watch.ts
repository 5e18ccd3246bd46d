// The stories of a project for the dev page. Nothing is searched or run before the author opens them; then
// their folders are watched.

import { dirname } from "node:path";
import type { StoryFile } from "../stories/story-file.ts";
import { findStoryFiles, loadStories, type StoryOptions } from "../stories/story-files.ts";
import { type FileWatch, watchFiles } from "./file-watch.ts";

/** Reads stories. */
export interface StoryWatch {
  list(): Promise<StoryFile[]>;
  close(): Promise<void>;
}

/** The stories of a folder. `onChange` is called after a change of a file that was read. */
export function watchStories(
  folder: string,
  { onChange, ...options }: StoryOptions & { onChange(): void },
): StoryWatch {
  let watch: Promise<FileWatch | undefined> | undefined;
  let reading: Promise<StoryFile[]> | undefined;
  const startWatch = async (): Promise<FileWatch | undefined> => {
    const folders = [...new Set((await findStoryFiles(folder)).map((file) => dirname(file)))];
    if (folders.length === 0) return undefined;
    return watchFiles(folders, {
      onChange: (paths) => {
        if (paths.some((path) => path.includes(".stories."))) onChange();
      },
    });
  };
  return {
    list: () => {
      watch ??= startWatch();
      // Several pages ask at once after a change.
      reading ??= loadStories(folder, options).finally(() => {
        reading = undefined;
      });
      return reading;
    },
    close: async () => (await watch)?.close(),
  };
}
