// A project as `vitrine create` writes it, on the sources of this repository, and its own `npm run dev`.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmod, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";
import { stripVTControlCharacters } from "node:util";
import { writeProject } from "../../src/create/project.ts";
import type { TemplateName } from "../../src/create/templates.ts";

const MODULES = fileURLToPath(new URL("../../../../node_modules", import.meta.url));
const PROGRAM = fileURLToPath(new URL("../../src/main.ts", import.meta.url));
const ON_SOURCES = "--conditions=@vitrine/source --experimental-strip-types --no-warnings";
const PATIENCE = 60_000;

/** A folder that was created. */
export interface CreatedProject {
  readonly folder: string;
  /** Replaces words in a file, as an edit does. */
  edit(file: string, change: (text: string) => string): Promise<void>;
  /** The process ids of all servers that were started, in order. */
  serversStarted(): Promise<number[]>;
  /** `npm run dev`, until its page can be opened. */
  dev(): Promise<RunningProject>;
  remove(): Promise<void>;
}

/** A project at work. */
export interface RunningProject {
  readonly url: string;
  /** All that it has printed. */
  readonly said: string;
  /** Resolves when it has printed that after `from` characters. */
  untilSaid(words: string, from: number): Promise<void>;
  close(): Promise<void>;
}

/** Creates one. */
export async function createProject(template: TemplateName): Promise<CreatedProject> {
  const folder = await mkdtemp(join(tmpdir(), `vitrine-${template}-`));
  await writeProject({ folder, name: "first-app", template, version: "0.1.0" });
  await symlink(MODULES, join(folder, "node_modules"));
  const edit = async (file: string, change: (text: string) => string): Promise<void> =>
    writeFile(join(folder, file), change(await readFile(join(folder, file), "utf8")));
  if (template !== "template-only") await edit("vite.config.ts", withSources);
  // Each server adds a line to a file outside the watched folders.
  await edit(
    "server/main.ts",
    (text) =>
      `import { appendFileSync } from "node:fs";\nappendFileSync("servers", process.pid + "\\n");\n${text}`,
  );
  // In place of what npm would link from node_modules/.bin, which may not be built.
  await mkdir(join(folder, "bin"));
  const program = join(folder, "bin", "vitrine");
  await writeFile(program, `#!/bin/sh\nexec "${process.execPath}" "${PROGRAM}" "$@"\n`);
  await chmod(program, 0o755);
  return {
    folder,
    edit,
    serversStarted: async () =>
      (await readFile(join(folder, "servers"), "utf8")).trim().split("\n").map(Number),
    dev: () => runDev(folder),
    remove: () => rm(folder, { recursive: true, force: true, maxRetries: 5 }),
  };
}

async function runDev(folder: string): Promise<RunningProject> {
  const { scripts } = JSON.parse(await readFile(join(folder, "package.json"), "utf8")) as {
    scripts: { dev: string };
  };
  const env = {
    ...process.env,
    NODE_ENV: undefined,
    NODE_OPTIONS: ON_SOURCES,
    NO_COLOR: "1",
    PATH: [join(folder, "bin"), join(process.execPath, ".."), process.env.PATH].join(delimiter),
  };
  // A group of its own, because a shell, Vite and two more processes are to be ended.
  const child = spawn(`${scripts.dev} --port 0`, { cwd: folder, env, shell: true, detached: true });
  const listeners = new Set<() => void>();
  let said = "";
  for (const stream of [child.stdout, child.stderr])
    stream.on("data", (chunk) => {
      said += stripVTControlCharacters(String(chunk));
      for (const listener of listeners) listener();
    });
  const until = <Found>(look: () => Found | undefined | null): Promise<Found> =>
    new Promise((resolve, reject) => {
      const tell = (words: string): void => reject(new Error(`npm run dev ${words}\n${said}`));
      const timer = setTimeout(() => tell("did not get so far:"), PATIENCE);
      const listener = (): void => {
        const found = look();
        if (!found && child.exitCode === null) return;
        listeners.delete(listener);
        clearTimeout(timer);
        if (found) resolve(found);
        else tell("has ended:");
      };
      listeners.add(listener);
      child.once("close", listener);
      listener();
    });
  const close = async (): Promise<void> => {
    if (child.exitCode !== null || child.pid === undefined) return;
    const closed = once(child, "close");
    process.kill(-child.pid, "SIGINT");
    const patience = setTimeout(() => process.kill(-(child.pid as number), "SIGKILL"), 10_000);
    await closed.finally(() => clearTimeout(patience));
  };
  try {
    const [url] = await until(() => /http:\/\/vitrine\.localhost:\d+\/#\S+/.exec(said));
    return {
      url,
      get said() {
        return said;
      },
      untilSaid: async (words, from) => {
        await until(() => said.slice(from).includes(words));
      },
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

/** The View's imports from our sources too, which are there before anything is built. */
function withSources(config: string): string {
  return config
    .replace("{ defineConfig }", "{ defaultClientConditions, defineConfig }")
    .replace(
      "plugins:",
      'resolve: { conditions: ["@vitrine/source", ...defaultClientConditions] },\n  plugins:',
    );
}
