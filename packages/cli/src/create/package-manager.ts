import { spawn } from "node:child_process";
import { once } from "node:events";

const MANAGERS = ["npm", "pnpm", "yarn", "bun"] as const;

/** The package manager. */
export type PackageManager = (typeof MANAGERS)[number];

/** The one that started us, which each of them sets in the environment; otherwise npm. */
export function packageManager(environment: NodeJS.ProcessEnv = process.env): PackageManager {
  const [name] = (environment.npm_config_user_agent ?? "").split("/");
  return MANAGERS.find((manager) => manager === name) ?? "npm";
}

/** The outcome of an install. */
export interface Installed {
  ok: boolean;
  /** Its last output, if it failed. */
  words: string;
}

/** Installs the packages of a folder. */
export async function install(manager: PackageManager, folder: string): Promise<Installed> {
  // Through a shell, because on Windows these are scripts; the line contains no user input.
  const child = spawn(`${manager} install`, {
    cwd: folder,
    // The caller may have silenced npm (`npm test --silent`), and then a failure has no output.
    env: { ...process.env, npm_config_loglevel: "error" },
    shell: true,
    stdio: ["ignore", "pipe", "pipe"],
  });
  let said = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.on("data", (chunk) => {
      said = (said + chunk).slice(-4_000);
    });
  }
  const [code] = await once(child, "close");
  return { ok: code === 0, words: said.trim() };
}
