// Secrets come from files or descriptors. The environment isn't safe: every process of the same user can read
// it in /proc for as long as the gateway runs, and a value can't be removed from there.

import { closeSync, constants, fstatSync, openSync, readSync, type Stats } from "node:fs";
import { CodedError } from "../errors/coded-error.ts";

/** Why a secret can't be read. */
export type SecretFileErrorCode = "missing" | "unreadable" | "exposed" | "too-large" | "empty";

/** Thrown when a secret can't be read. The message names the path and what to do, never the content. */
export class SecretFileError extends CodedError<SecretFileErrorCode> {}

const LARGEST = 65_536;
const DESCRIPTOR = /^\/dev\/fd\/(\d{1,4})$/;

/** A descriptor can be read once, but a configuration is read again at each reload. */
const descriptors = new Map<string, string>();

/** The text of a secret file without white space around it. A descriptor (`/dev/fd/3`) is closed once read. */
export function readSecretFile(path: string): string {
  const text = isDescriptor(path) ? readDescriptor(path) : readFile(path);
  if (text === "") throw new SecretFileError("empty", `${path} is empty. Write the secret to it.`);
  return text;
}

/** Whether a path is a descriptor, which can be read once only. */
export function isDescriptor(path: string): boolean {
  return DESCRIPTOR.test(path);
}

/** Throws if other users of this machine can read or change the file. */
export function checkSecretFile(path: string): void {
  closeSync(openChecked(path));
}

function readDescriptor(path: string): string {
  const known = descriptors.get(path);
  if (known !== undefined) return known;
  const descriptor = Number(DESCRIPTOR.exec(path)?.[1]);
  if (descriptor < 3) {
    throw new SecretFileError(
      "unreadable",
      `${path} is a standard stream. Use descriptor 3 or above for secrets.`,
    );
  }
  const text = readAll(descriptor, path);
  descriptors.set(path, text);
  return text;
}

function readFile(path: string): string {
  return readAll(openChecked(path), path);
}

/** Reads to the end and closes. */
function readAll(descriptor: number, path: string): string {
  const bytes = Buffer.alloc(LARGEST + 1);
  let size = 0;
  try {
    for (let read = -1; read !== 0 && size < bytes.length; size += read) {
      read = readSync(descriptor, bytes, size, bytes.length - size, null);
    }
    closeSync(descriptor);
    if (size > LARGEST) {
      const message = `${path} has more than ${LARGEST} bytes. Is this the right file?`;
      throw new SecretFileError("too-large", message);
    }
    return bytes.toString("utf8", 0, size).trim();
  } catch (cause) {
    if (cause instanceof SecretFileError) throw cause;
    throw new SecretFileError("unreadable", `${path} can't be read (${codeOf(cause)}).`, { cause });
  } finally {
    bytes.fill(0);
  }
}

/** Checks and reads the file through one descriptor, so that it can't be replaced in between. */
function openChecked(path: string): number {
  let descriptor: number;
  try {
    // Opening a pipe without a writer would block the start.
    descriptor = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  } catch (cause) {
    const code = codeOf(cause);
    if (code === "ENOENT") {
      throw new SecretFileError("missing", `${path} doesn't exist. Create it.`, { cause });
    }
    const user = process.geteuid?.();
    const message = `${path} can't be read (${code}). Make user ${user} its owner, with mode 600.`;
    throw new SecretFileError("unreadable", message, { cause });
  }
  const problem = exposure(fstatSync(descriptor), path);
  if (problem === undefined) return descriptor;
  closeSync(descriptor);
  throw problem;
}

function exposure(stats: Stats, path: string): SecretFileError | undefined {
  if (!stats.isFile())
    return new SecretFileError(
      "unreadable",
      `${path} isn't a regular file. Use a file that holds the secret.`,
    );
  const [user, group] = [process.geteuid?.(), process.getegid?.()];
  // Windows has neither user nor group ids; its access lists aren't checked.
  if (user === undefined || group === undefined) return undefined;
  const mode = (stats.mode & 0o777).toString(8).padStart(4, "0");
  const exposed = (who: string): SecretFileError =>
    new SecretFileError("exposed", `${path} has mode ${mode}: ${who}. Run: chmod 600 ${path}`);
  if ((stats.mode & 0o007) !== 0)
    return exposed("every user of this machine can read or change it");
  if ((stats.mode & 0o020) !== 0) return exposed(`group ${stats.gid} can change it`);
  // Kubernetes mounts secrets for a group. Servers never run with the gateway's group.
  if ((stats.mode & 0o040) !== 0 && stats.gid !== group) {
    return exposed(`group ${stats.gid} can read it`);
  }
  if (stats.uid !== user && stats.uid !== 0 && user !== 0) {
    const message = `${path} belongs to user ${stats.uid}, who can change it. Run: chown ${user} ${path}`;
    return new SecretFileError("exposed", message);
  }
  return undefined;
}

function codeOf(cause: unknown): string {
  return (cause as NodeJS.ErrnoException).code ?? "unknown";
}
