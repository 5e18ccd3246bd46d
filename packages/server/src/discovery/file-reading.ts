// Reads untrusted files: a link may lead out of the folder, a pipe never ends, and a file may be
// replaced between the check and the read.

import { closeSync, constants, fstatSync, openSync, readSync, realpathSync } from "node:fs";
import { isAbsolute, join, relative } from "node:path";
import type { ProblemCode } from "./problem.ts";

/** The text of a file, that there is none, or why it isn't read. */
export type FileReading =
  | { text: string }
  | { missing: true }
  | { code: ProblemCode; message: string };

/** Reads a text file below `folder`; both may be unresolved. */
export function readTextInside(folder: string, file: string, maxBytes: number): FileReading {
  let path: string;
  try {
    path = realpathSync(join(folder, file));
    if (!isInside(realpathSync(folder), path)) {
      return { code: "outside", message: "leads out of its folder, so it is not followed." };
    }
  } catch (error) {
    return failure(error);
  }
  return readText(path, maxBytes);
}

/** Whether a resolved path is a resolved folder or below it. */
export function isInside(folder: string, path: string): boolean {
  const way = relative(folder, path);
  return way !== ".." && !way.startsWith("../") && !way.startsWith("..\\") && !isAbsolute(way);
}

function readText(path: string, maxBytes: number): FileReading {
  let file: number | undefined;
  try {
    // Neither waits for the other end of a pipe nor follows a link that was created since.
    file = openSync(
      path,
      constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0),
    );
    const { size } = statOf(file);
    if (size > maxBytes) return tooLarge(size, maxBytes);
    const bytes = Buffer.alloc(maxBytes + 1);
    let length = 0;
    for (let read = 1; read > 0 && length <= maxBytes; length += read) {
      read = readSync(file, bytes, length, bytes.length - length, null);
    }
    if (length > maxBytes) return tooLarge(length, maxBytes);
    return { text: new TextDecoder("utf-8", { fatal: true }).decode(bytes.subarray(0, length)) };
  } catch (error) {
    return error instanceof TypeError
      ? { code: "not-utf8", message: "is not UTF-8. Save it in that encoding." }
      : failure(error);
  } finally {
    if (file !== undefined) closeSync(file);
  }
}

function statOf(file: number): { size: number } {
  const stat = fstatSync(file);
  if (!stat.isFile())
    throw Object.assign(new Error("is not a regular file."), { code: "NOTAFILE" });
  return stat;
}

function tooLarge(size: number, maxBytes: number): FileReading {
  const message = `has ${size.toLocaleString("en")} bytes or more, but the limit is ${maxBytes.toLocaleString("en")}. Raise \`maxBytes\` or build it smaller.`;
  return { code: "too-large", message };
}

function failure(error: unknown): FileReading {
  const { code, message } = error as NodeJS.ErrnoException;
  if (code === "ENOENT" || code === "ENOTDIR") return { missing: true };
  return {
    code: "unreadable",
    message: code === "NOTAFILE" ? message : `can't be read (${code}).`,
  };
}
