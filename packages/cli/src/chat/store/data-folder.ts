// The folder of the chat on this machine, which only the user can read.

import { randomBytes } from "node:crypto";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { Failure } from "../../failure.ts";

/** Where conversations are kept unless `--data` names another folder. */
export function defaultDataFolder(
  env: Readonly<Record<string, string | undefined>> = process.env,
  platform: NodeJS.Platform = process.platform,
): string {
  if (platform === "win32")
    return join(env.LOCALAPPDATA || join(homedir(), "AppData", "Local"), "vitrine", "chat");
  if (platform === "darwin")
    return join(homedir(), "Library", "Application Support", "vitrine", "chat");
  return join(env.XDG_STATE_HOME || join(homedir(), ".local", "state"), "vitrine", "chat");
}

/**
 * The secret of the page, created once: a bookmark and an open page still work when the chat is
 * started again.
 */
export function pageKey(folder: string): string {
  const file = join(folder, "page.key");
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    try {
      const key = readFileSync(file, "utf8").trim();
      if (/^[\w-]{43}$/.test(key)) return key;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
    }
    const key = randomBytes(32).toString("base64url");
    writeFileSync(file, `${key}\n`, { mode: 0o600 });
    return key;
  } catch (error) {
    throw new Failure(
      "unreadable",
      `The folder ${folder} can't be used: ${(error as Error).message}. Choose another one with --data.`,
      { cause: error },
    );
  }
}
