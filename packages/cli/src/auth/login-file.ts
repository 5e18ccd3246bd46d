// The stored log-ins of the user: one file for `dev`, `check`, `chat` and `login`. Only the user may
// read it, and each entry belongs to one server (the resource) and one issuer.

import {
  chmodSync,
  closeSync,
  fstatSync,
  lstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import type { StoredOAuthClientInformation, StoredOAuthTokens } from "@modelcontextprotocol/client";
import { Failure } from "../failure.ts";

/** One log-in. */
export interface SavedLogin {
  /** The server's address, without a fragment. */
  readonly resource: string;
  /** The authorization server that issued the tokens. */
  readonly issuer: string;
  readonly client?: StoredOAuthClientInformation | undefined;
  readonly tokens?: StoredOAuthTokens | undefined;
  /** When the access token ends, in milliseconds since 1970, if the issuer has said so. */
  readonly expires?: number | undefined;
}

/** The file. Every call reads it again: other commands use it at the same time. */
export interface LoginFile {
  readonly path: string;
  list(): SavedLogin[];
  /** The newest log-in for a server; with an issuer, only one of this issuer. */
  find(resource: string, issuer?: string): SavedLogin | undefined;
  save(login: SavedLogin): void;
  /** Removes the log-ins of a server. Returns how many. */
  remove(resource: string): number;
}

const LARGEST_FILE = 1024 * 1024;
const MOST_LOGINS = 500;

/** Where log-ins are kept. `VITRINE_CONFIG` names another folder. */
export function defaultLoginFile(
  env: Readonly<Record<string, string | undefined>> = process.env,
  platform: NodeJS.Platform = process.platform,
): string {
  const folder = (): string => {
    if (platform === "win32") return env.APPDATA || join(homedir(), "AppData", "Roaming");
    if (platform === "darwin") return join(homedir(), "Library", "Application Support");
    return env.XDG_CONFIG_HOME || join(homedir(), ".config");
  };
  return join(env.VITRINE_CONFIG || join(folder(), "vitrine"), "logins.json");
}

/** The name under which a server's log-ins are kept. */
export function resourceOf(url: URL): string {
  const resource = new URL(url);
  resource.hash = "";
  return resource.href;
}

/** Uses the file; it is created when something is saved. */
export function openLoginFile(path: string = defaultLoginFile()): LoginFile {
  const list = (): SavedLogin[] => readLogins(path);
  return {
    path,
    list,
    find: (resource, issuer) =>
      list().findLast(
        (one) => one.resource === resource && (issuer === undefined || one.issuer === issuer),
      ),
    save: (login) => {
      const others = list().filter(
        ({ resource, issuer }) => resource !== login.resource || issuer !== login.issuer,
      );
      writeLogins(path, [...others, login].slice(-MOST_LOGINS));
    },
    remove: (resource) => {
      const all = list();
      const others = all.filter((one) => one.resource !== resource);
      if (others.length < all.length) writeLogins(path, others);
      return all.length - others.length;
    },
  };
}

function readLogins(path: string): SavedLogin[] {
  let file: number;
  try {
    file = openSync(path, "r");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return [];
    throw unusable(path, `it can't be read (${(error as Error).message})`);
  }
  try {
    // The opened file is checked, so that it can't be replaced between the check and the reading.
    const { mode, uid, size } = fstatSync(file);
    refuseOpen(path, { mode, uid, mask: 0o077, remedy: `chmod 600 ${path}` });
    refuseFolder(path);
    if (size > LARGEST_FILE) throw unusable(path, "it is larger than 1 MB");
    return parseLogins(readFileSync(file, "utf8"));
  } finally {
    closeSync(file);
  }
}

/** A damaged file has no log-ins: the user logs in again. */
function parseLogins(text: string): SavedLogin[] {
  try {
    const { logins } = Object(JSON.parse(text)) as { logins?: unknown };
    return Array.isArray(logins) ? logins.filter(isLogin) : [];
  } catch {
    return [];
  }
}

function isLogin(value: unknown): value is SavedLogin {
  const { resource, issuer, tokens, client } = Object(value) as Record<string, unknown>;
  const isPart = (part: unknown, key: string): boolean =>
    part === undefined || typeof (Object(part) as Record<string, unknown>)[key] === "string";
  return (
    typeof resource === "string" &&
    typeof issuer === "string" &&
    isPart(tokens, "access_token") &&
    isPart(client, "client_id")
  );
}

function writeLogins(path: string, logins: readonly SavedLogin[]): void {
  // A name of its own: two commands may save at the same time.
  const next = `${path}.${process.pid}.new`;
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    refuseFolder(path);
    rmSync(next, { force: true });
    writeFileSync(next, `${JSON.stringify({ version: 1, logins }, null, 2)}\n`, {
      mode: 0o600,
      flag: "wx",
    });
    chmodSync(next, 0o600);
    renameSync(next, path);
  } catch (error) {
    if (error instanceof Failure) throw error;
    throw unusable(path, `it can't be written (${(error as Error).message})`);
  }
}

/** Others who may write to the folder could replace the file. */
function refuseFolder(path: string): void {
  const folder = dirname(path);
  const { mode, uid } = lstatSync(folder);
  refuseOpen(folder, { mode, uid, mask: 0o022, remedy: `chmod 700 ${folder}` });
}

function refuseOpen(
  path: string,
  { mode, uid, mask, remedy }: { mode: number; uid: number; mask: number; remedy: string },
): void {
  // Windows has access lists instead, and a user's folder is private by default.
  if (process.platform === "win32") return;
  const user = process.getuid?.();
  if (user !== undefined && uid !== user && uid !== 0)
    throw unusable(path, "it belongs to another user");
  if ((mode & mask) !== 0)
    throw unusable(path, `other users can access it. Run \`${remedy}\` and log in again`);
}

function unusable(path: string, reason: string): Failure {
  return new Failure(
    "unreadable",
    `The stored log-ins in ${path} can't be used: ${reason}. Set VITRINE_CONFIG to use another folder.`,
  );
}
