import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";

/** How node runs `vitrine` from its sources. */
export const VITRINE: readonly string[] = [
  "--experimental-strip-types",
  "--no-warnings",
  "--conditions=@vitrine/source",
  fileURLToPath(new URL("../../src/main.ts", import.meta.url)),
];

/** What a command came to. */
export interface Ended {
  code: number | null;
  out: string;
  err: string;
}

/** Types `vitrine …` in a folder, with nobody at the terminal. */
export async function vitrine(
  line: readonly string[],
  { cwd, env = {} }: { cwd: string; env?: Record<string, string> },
): Promise<Ended> {
  const child = spawn(process.execPath, [...VITRINE, ...line], {
    cwd,
    env: { ...process.env, ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let out = "";
  let err = "";
  child.stdout.on("data", (chunk) => {
    out += chunk;
  });
  child.stderr.on("data", (chunk) => {
    err += chunk;
  });
  const [code] = await once(child, "close");
  return { code, out, err };
}
