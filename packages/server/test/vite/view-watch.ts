import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { build, type Plugin } from "vite";
import { expect, vi } from "vitest";
import { type ViewReport, vitrineViews } from "../../src/vite/index.ts";
import { writeProject } from "./view-build.ts";

/** A View's page with one script. */
export const PAGE: string =
  '<!doctype html><html><title>v</title><script type="module" src="./main.js"></script></html>';

/** A View that is watched. */
export interface WatchedView extends AsyncDisposable {
  readonly reports: readonly ViewReport[];
  html(): Promise<string>;
  write(name: string, text: string): Promise<void>;
  /** Waits until the newest build came to this. */
  until(outcome: RegExp): Promise<void>;
}

/** Watches one, as `npm run dev` of a created project does it. */
export async function watchView(
  files: Record<string, string>,
  { mode = "development", plugins = [] }: { mode?: string; plugins?: Plugin[] } = {},
): Promise<WatchedView> {
  vi.stubEnv("NODE_ENV", mode);
  const project = await writeProject({ "views/v/index.html": PAGE, ...files });
  const reports: ViewReport[] = [];
  const watcher = await build({
    root: project.root,
    configFile: false,
    mode,
    logLevel: "silent",
    plugins: [plugins, vitrineViews({ onView: (report) => reports.push(report) })],
    build: { watch: { buildDelay: 10 } },
  });
  if (!("on" in watcher)) throw new Error("Vite does not watch.");
  const outcomes: string[] = [];
  watcher.on("event", (event) => {
    if (event.code === "ERROR") outcomes.push(event.error.message);
    if (event.code === "BUNDLE_END") outcomes.push("built");
  });
  return {
    reports,
    html: () => readFile(join(project.root, "dist/ui/v/index.html"), "utf8"),
    write: (name, text) => writeFile(join(project.root, name), text),
    until: (outcome) =>
      expect.poll(() => outcomes.splice(0).at(-1), { timeout: 30_000 }).toMatch(outcome),
    [Symbol.asyncDispose]: async () => {
      await watcher.close();
      await project[Symbol.asyncDispose]();
    },
  };
}
