// Scenario files of the project: `scenarios/*.scenario.json`. The page chooses names, so nothing outside
// of that folder may be read or written, whatever name it sends and wherever a link leads.

import { constants } from "node:fs";
import { lstat, mkdir, open, readdir, realpath, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { formatScenarioFile, parseScenarioFile, parseStory, type Story } from "@vitrine/testing";
import type { ScenarioSummary } from "./page-protocol.ts";

/** The scenarios of a project. */
export interface ScenarioFiles {
  /** Those that can be read, by file name. */
  list(): Promise<ScenarioSummary[]>;
  read(file: string): Promise<Story>;
  /** Writes the scenario, in place of one with the same file name. Returns the file's name. */
  save(story: unknown): Promise<string>;
}

/** The folder of a project that has them. */
export const SCENARIO_FOLDER = "scenarios";

const SUFFIX = ".scenario.json";
const FILE = /^[a-z0-9][a-z0-9_-]{0,63}\.scenario\.json$/i;
const MOST_FILES = 200;
const LARGEST = 4 * 2 ** 20;

/** The scenarios in the folder `scenarios` of a project. */
export function createScenarioFiles(project: string): ScenarioFiles {
  const folder = join(project, SCENARIO_FOLDER);

  /** Throws if the folder is a link: it could lead out of the project. */
  const checkFolder = async (): Promise<boolean> => {
    const found = await lstat(folder).catch(() => undefined);
    if (!found) return false;
    const isInside = (await realpath(folder)) === join(await realpath(project), SCENARIO_FOLDER);
    if (found.isDirectory() && isInside) return true;
    throw new Error(`${SCENARIO_FOLDER} isn't a folder of the project. Rename it, and try again.`);
  };
  const read = async (file: string): Promise<Story> => {
    if (!FILE.test(file) || !(await checkFolder()))
      throw new Error(
        `The scenario "${file.slice(0, 80)}" doesn't exist. It may have been deleted.`,
      );
    // A link isn't followed, and a pipe doesn't block.
    const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants;
    const handle = await open(join(folder, file), O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
    try {
      const { size, isFile } = await handle.stat().then((found) => ({
        size: found.size,
        isFile: found.isFile(),
      }));
      if (!isFile || size > LARGEST) throw new Error(`${file} isn't a file, or it is too large.`);
      return parseScenarioFile(await handle.readFile("utf8"));
    } finally {
      await handle.close();
    }
  };

  return {
    read,
    list: async () => {
      if (!(await checkFolder())) return [];
      const files = (await readdir(folder)).filter((name) => FILE.test(name)).sort();
      const readings = files.slice(0, MOST_FILES).map(async (file): Promise<ScenarioSummary> => {
        const { name, tool } = await read(file);
        return { file, name, tool };
      });
      const settled = await Promise.allSettled(readings);
      return settled.flatMap((one) => (one.status === "fulfilled" ? [one.value] : []));
    },
    save: async (value) => {
      const story = parseStory(value);
      const file = fileName(story.name);
      const text = formatScenarioFile(story);
      if (text.length > LARGEST)
        throw new Error(`The scenario is larger than ${LARGEST / 2 ** 20} MB. Shorten its result.`);
      if (!(await checkFolder())) await mkdir(folder);
      const temporary = join(folder, `.${file}.${process.pid}.tmp`);
      // Exclusive, and renamed: a link with either name is replaced, never followed.
      await rm(temporary, { force: true });
      const handle = await open(temporary, "wx");
      try {
        await handle.writeFile(text);
      } finally {
        await handle.close();
      }
      await rename(temporary, join(folder, file));
      return file;
    },
  };
}

/** A file name of letters, digits and dashes, whatever the scenario is called. */
function fileName(name: string): string {
  const words = name
    .normalize("NFKD")
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^-+|-+$/g, "")
    .slice(0, 60);
  return `${words || "scenario"}${SUFFIX}`;
}
