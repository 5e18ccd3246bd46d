import { spawn } from "node:child_process";
import { once } from "node:events";

const MANAGERS = ["npm", "pnpm", "yarn", "bun"] as const;

/** What installs packages. */
export type PackageManager = (typeof MANAGERS)[number];

/** The one that started us, as all of them say in the environment; else npm. */
export function packageManager(environment: NodeJS.ProcessEnv = process.env): PackageManager {
  const [name] = (environment.npm_config_user_agent ?? "").split("/");
  return MANAGERS.find((manager) => manager === name) ?? "npm";
}

/** How an install ended. */
export interface Installed {
  ok: boolean;
  /** What it said last, where it failed. */
  words: string;
}

/** Installs the packages of a folder. */
export async function install(manager: PackageManager, folder: string): Promise<Installed> {
  // By a shell, because on Windows these are scripts; nothing of the user's is in the line.
  const child = spawn(`${manager} install`, {
    cwd: folder,
    // Whoever started us may have asked npm for silence (`npm test --silent`), and then a failure has no words.
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
