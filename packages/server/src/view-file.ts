// A View in a file. It is read once: what is served stays the same as long as the server runs. Where
// `vitrine dev` started the server, each read checks the file, so that an edit needs no restart.

import { serverError } from "./errors.ts";
import { isHtmlDocument } from "./html-document.ts";
import type { ViewSource } from "./view-source.ts";

interface ProcessLike {
  env?: Record<string, string | undefined>;
  getBuiltinModule?(name: "node:fs"): { readFileSync(file: URL, encoding: "utf8"): string };
}

// A build that rewrites a file leaves it empty or incomplete for a moment.
const PAUSE = 15;
const QUIET = 150;
const LONGEST = 2_000;

/** The source of a View that is a file. */
export class ViewFile implements ViewSource {
  /** Whether each read checks the file: only if the environment asks for it, and never in production. */
  readonly isLive: boolean;
  readonly #file: URL;

  constructor(file: URL) {
    if (file.protocol !== "file:") throw serverError("bad-view-file", file.href);
    const { env } = platform();
    this.isLive = env?.VITRINE_DEV === "1" && env.NODE_ENV !== "production";
    this.#file = file;
  }

  html(): string {
    try {
      return this.#read();
    } catch (cause) {
      throw serverError("bad-view-file", `${this.#file.href} (${(cause as Error).message})`);
    }
  }

  /** The document as it is now; `undefined` if there is none, also after a build's time. */
  async current(known: string): Promise<string | undefined> {
    let text = this.#tryRead();
    const until = Date.now() + LONGEST;
    for (let quiet = 0; text !== known && !isWhole(text); ) {
      if (quiet >= QUIET || Date.now() > until) return isHtmlDocument(text) ? text : undefined;
      await new Promise((resolve) => setTimeout(resolve, PAUSE));
      const now = this.#tryRead();
      quiet = now === text ? quiet + PAUSE : 0;
      text = now;
    }
    return text;
  }

  #tryRead(): string {
    try {
      return this.#read();
    } catch {
      return "";
    }
  }

  #read(): string {
    // Asked for here and not imported: a server whose View is a text may run where there are no files.
    const fs = platform().getBuiltinModule?.("node:fs");
    if (!fs) throw new Error("This runtime has no files: give the text of the document.");
    return fs.readFileSync(this.#file, "utf8");
  }
}

/** Whether a document has its end; one without may be meant so, or be half written. */
function isWhole(html: string): boolean {
  return isHtmlDocument(html) && /<\/html\s*>\s*$/i.test(html.slice(-64));
}

function platform(): ProcessLike {
  return (globalThis as { process?: ProcessLike }).process ?? {};
}
