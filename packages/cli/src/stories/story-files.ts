// Finds and reads the `*.stories.ts` files of a project. They are programs of the author, as the server is,
// and are run as one: in a process of their own, which starts again for each reading, so that nothing old
// stays, and a file that doesn't end is stopped.

import { spawn } from "node:child_process";
import { readdir } from "node:fs/promises";
import { join, relative, sep } from "node:path";
import { pathToFileURL } from "node:url";
import { parseStories } from "@vitrine/testing";
import type { StoryFile } from "./story-file.ts";

/** How files are read. */
export interface StoryOptions {
  /** Options of the process; by default those of this one. */
  execArgv?: readonly string[];
  /** Milliseconds for all files; 20,000 by default. */
  timeout?: number;
}

const STORIES = /\.stories\.[cm]?[jt]s$/;
const SKIPPED = new Set(["node_modules", "dist", "build", "coverage"]);
const DEEPEST = 8;
const MOST_FOLDERS = 2_000;
const MOST_FILES = 50;
const LONGEST_MESSAGE = 2_000;

// Sent as text: the process loads none of our files.
const READER = `
import { pathToFileURL } from "node:url";
for (const file of process.argv.slice(1)) {
  let answer;
  try {
    const module = await import(pathToFileURL(file).href);
    answer = { file, value: JSON.stringify(module.default ?? null) };
  } catch (error) {
    answer = { file, message: String(error?.message ?? error), stack: String(error?.stack ?? "") };
  }
  await new Promise((sent) => process.send(answer, sent));
}
process.exit(0);
`;

interface Answer {
  file: string;
  value?: string;
  message?: string;
  stack?: string;
}

/** The paths of all stories files of a project, in order. */
export async function findStoryFiles(folder: string): Promise<string[]> {
  const found: string[] = [];
  let folders = 0;
  const visit = async (path: string, depth: number): Promise<void> => {
    if (depth > DEEPEST || ++folders > MOST_FOLDERS) return;
    // A folder that can't be read has no stories.
    const entries = await readdir(path, { withFileTypes: true }).catch(() => []);
    for (const entry of entries) {
      const inside = join(path, entry.name);
      if (entry.isFile() && STORIES.test(entry.name)) found.push(inside);
      const isFolder = entry.isDirectory() && !entry.name.startsWith(".");
      if (isFolder && !SKIPPED.has(entry.name)) await visit(inside, depth + 1);
    }
  };
  await visit(folder, 0);
  return found.sort().slice(0, MOST_FILES);
}

/** The stories of a project, by file. A file that fails is listed with the reason. */
export async function loadStories(
  folder: string,
  options: StoryOptions = {},
): Promise<StoryFile[]> {
  const files = await findStoryFiles(folder);
  if (files.length === 0) return [];
  const answers = await readFiles(folder, files, options);
  return files.map((path) => {
    const file = relative(folder, path).split(sep).join("/");
    const answer = answers.get(path);
    if (!answer) return failed(file, "It did not finish. Stories must not start anything.");
    if (answer.value === undefined) return failed(file, answer.message ?? "", lineIn(answer, path));
    try {
      return { file, stories: [...parseStories(JSON.parse(answer.value)).stories] };
    } catch (error) {
      return failed(file, error instanceof Error ? error.message : String(error));
    }
  });
}

function failed(file: string, message: string, line?: number): StoryFile {
  const error = { message: message.slice(0, LONGEST_MESSAGE), ...(line !== undefined && { line }) };
  return { file, stories: [], error };
}

/** The first line of the stack that is in the file. Errors of syntax start with it. */
function lineIn({ stack = "" }: Answer, path: string): number | undefined {
  for (const name of [pathToFileURL(path).href, path]) {
    const at = stack.indexOf(`${name}:`);
    const line = at < 0 ? Number.NaN : Number.parseInt(stack.slice(at + name.length + 1), 10);
    if (Number.isSafeInteger(line)) return line;
  }
  return undefined;
}

async function readFiles(
  folder: string,
  files: readonly string[],
  { execArgv = process.execArgv, timeout = 20_000 }: StoryOptions,
): Promise<Map<string, Answer>> {
  const answers = new Map<string, Answer>();
  const args = [...execArgv, "--input-type=module", "--eval", READER, ...files];
  const child = spawn(process.execPath, args, {
    cwd: folder,
    stdio: ["ignore", "ignore", "ignore", "ipc"],
  });
  child.on("message", (answer: Answer) => {
    if (files.includes(answer.file)) answers.set(answer.file, answer);
  });
  const timer = setTimeout(() => child.kill("SIGKILL"), timeout);
  await new Promise<void>((resolve) => {
    child.on("close", () => resolve());
    child.on("error", () => resolve());
  });
  clearTimeout(timer);
  return answers;
}
