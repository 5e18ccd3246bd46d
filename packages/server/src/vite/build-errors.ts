// Errors of watched builds, where `vitrine dev` finds them: it shows them over the last good view.

import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { stripVTControlCharacters } from "node:util";
import { mapFolder } from "./view-maps.ts";

const LONGEST = 8_000;

/** Keeps the error of a view's build for `vitrine dev`, or removes it after a good one. */
export function noteBuild(root: string, view: string, error?: Error): void {
  const maps = mapFolder(root);
  if (!maps) return;
  const file = join(dirname(maps), "build-errors", `${view}.txt`);
  try {
    if (!error) {
      rmSync(file, { force: true });
      return;
    }
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, stripVTControlCharacters(error.message).slice(0, LONGEST));
  } catch {
    // A read-only folder, for example; the terminal has the error too.
  }
}
