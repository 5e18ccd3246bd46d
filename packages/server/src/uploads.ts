// Files that a view sends in parts with `useUpload`. The parts come from a page, so everything in them
// is checked, and the memory that unfinished files take is bounded.

// biome-ignore lint/correctness/noNodejsModules: every runtime of MCP servers has it.
import { Buffer } from "node:buffer";
import { serverError } from "./errors.ts";

/** One part of a file: the arguments of the tool that `useUpload` calls. */
export interface UploadPart {
  /** The same for all parts of a file. */
  id: string;
  name: string;
  mimeType: string;
  /** Bytes of the whole file. */
  size: number;
  /** Where the part begins. */
  offset: number;
  /** The part in base64. */
  data: string;
}

/** A file that arrived whole. */
export interface UploadedFile {
  /** As the view named it, without folders; don't use it as a path. */
  name: string;
  /** As the view named it; the bytes may be something else. */
  mimeType: string;
  bytes: Uint8Array;
}

/** Bounds of uploads. */
export interface UploadsOptions {
  /** Most bytes of a file; default 10 MB. */
  maxSize?: number;
  /** Most files that may be unfinished at a time; default 16. The oldest one makes room. */
  maxUnfinished?: number;
  /** Milliseconds after its last part when an unfinished file is dropped; default five minutes. */
  timeout?: number;
}

/** The uploads of a server process. */
export interface Uploads {
  /** Takes a part. Returns the file with its last one; throws if the part doesn't fit. */
  add(part: UploadPart): UploadedFile | undefined;
}

interface Unfinished {
  size: number;
  received: number;
  parts: Buffer[];
  at: number;
}

const MAX_SIZE = 10_000_000;
const MAX_UNFINISHED = 16;
const TIMEOUT = 5 * 60_000;
const LONGEST = 255;
const BASE64 = /^[A-Za-z0-9+/]*={0,2}$/;

/** Collects the parts of files in memory, so all parts of a file have to reach the same process. */
export function createUploads({
  maxSize = MAX_SIZE,
  maxUnfinished = MAX_UNFINISHED,
  timeout = TIMEOUT,
}: UploadsOptions = {}): Uploads {
  const unfinished = new Map<string, Unfinished>();
  const tidy = (now: number): void => {
    for (const [id, { at }] of unfinished) {
      if (now - at > timeout || unfinished.size > maxUnfinished) unfinished.delete(id);
    }
  };
  return {
    add: (part) => {
      checkPart(part, maxSize);
      const { id, name, mimeType, size, offset, data } = part;
      const now = Date.now();
      const known = offset === 0 ? { size, received: 0, parts: [], at: now } : unfinished.get(id);
      // A part of its file is lost, or this one was sent twice.
      if (!known || known.size !== size || known.received !== offset) {
        unfinished.delete(id);
        throw serverError("bad-upload", `A part at ${offset} that doesn't follow the one before`);
      }
      const bytes = Buffer.from(data, "base64");
      known.received += bytes.length;
      known.parts.push(bytes);
      known.at = now;
      // At the end of the order, as the newest.
      unfinished.delete(id);
      if (known.received > size || (bytes.length === 0 && size > 0)) {
        throw serverError("bad-upload", `${known.received} bytes of a file of ${size}`);
      }
      if (known.received < size) {
        unfinished.set(id, known);
        tidy(now);
        return undefined;
      }
      const plain = name.replace(/^.*[/\\]/, "");
      return { name: plain, mimeType, bytes: new Uint8Array(Buffer.concat(known.parts)) };
    },
  };
}

function checkPart({ id, name, mimeType, size, data }: UploadPart, maxSize: number): void {
  if ([id, name, mimeType].some((text) => typeof text !== "string" || text.length > LONGEST)) {
    throw serverError("bad-upload", `A name of more than ${LONGEST} characters`);
  }
  if (!Number.isInteger(size) || size < 0 || size > maxSize) {
    throw serverError("bad-upload", `A file of ${size} bytes (at most ${maxSize})`);
  }
  if (typeof data !== "string" || !BASE64.test(data)) {
    throw serverError("bad-upload", "A part that isn't base64");
  }
}
