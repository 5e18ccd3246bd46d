import { realpathSync } from "node:fs";
import { dirname, join } from "node:path";
import type { McpUiResourceMeta } from "@vitrine/protocol/apps";
import { isHtmlDocument } from "../html-document.ts";
import { template } from "../templates/index.ts";
import { normaliseResourceMeta } from "../ui-metadata.ts";
import type { ViewSource } from "../view-source.ts";
import type { DiscoveredView, DiscoveryOptions } from "./discovered-view.ts";
import { isInside, readTextInside } from "./file-reading.ts";
import type { ProblemCode, ViewProblem } from "./problem.ts";
import { readToolMeta } from "./tool-meta.ts";
import { readUiMeta, type UiMeta } from "./ui-meta.ts";

const defaultBytes = 1_048_576;
const mostMetaBytes = 262_144;
const META_FILE = "ui.meta.json";
const PAGE_FILE = "index.html";
// Where hosts of MCP-UI look for it.
const FRAME_SIZE_KEY = "mcpui.dev/ui-preferred-frame-size";

type Say = (code: ProblemCode, at: string, message: string) => void;

/** Reads one folder after the other; what is wrong in one becomes its problems. */
export class FolderReader {
  readonly #root: string;
  readonly #options: DiscoveryOptions;
  readonly #maxBytes: number;

  constructor(root: string, options: DiscoveryOptions) {
    this.#root = root;
    this.#options = options;
    this.#maxBytes = options.maxBytes ?? defaultBytes;
  }

  toolView(name: string): DiscoveredView | undefined {
    const view = this.#view(`tools/${name}/ui`, name);
    if (!view) return undefined;
    const file = `tools/${name}/tool.meta.json`;
    const read = readTextInside(join(this.#root, "tools", name), "tool.meta.json", mostMetaBytes);
    const { toolName = name, ui, faults } = readToolMeta(read);
    const problems: ViewProblem[] = faults.map((fault) => ({ ...fault, file }));
    if (/^\.{0,2}$/.test(toolName)) {
      const message = `${file}: "${toolName}" cannot be the end of a URI; the View is not served.`;
      return {
        ...view,
        source: undefined,
        toolName,
        id: toolName,
        problems: [{ code: "wrong-value", file, message }],
      };
    }
    return {
      ...view,
      toolName,
      id: toolName,
      ...(ui && { toolMeta: ui }),
      problems: [...problems, ...view.problems],
    };
  }

  ownView(name: string): DiscoveredView | undefined {
    return this.#view(`ui/${name}`, name);
  }

  /** `undefined` where the folder has no View. */
  #view(folder: string, id: string): DiscoveredView | undefined {
    const view = { id, name: id, folder, pageFolder: folder };
    const refuse = (code: ProblemCode, message: string, file = folder): DiscoveredView => ({
      ...view,
      problems: [{ code, file, message: `${file} ${message}` }],
    });
    const path = join(this.#root, folder);
    const where = this.#place(path);
    if (where === "missing") return undefined;
    if (where === "outside")
      return refuse("outside", "leads out of the root, and is not followed.");
    const read = readTextInside(path, META_FILE, mostMetaBytes);
    if ("code" in read) return refuse(read.code, read.message, `${folder}/${META_FILE}`);
    const parsed = "text" in read ? parse(read.text) : { meta: {}, faults: [] };
    const file = `${folder}/${META_FILE}`;
    if (parsed.faults.length > 0) {
      const problems = parsed.faults.map(({ code, message }) => ({
        code,
        file,
        message: `${file}: ${message}`,
      }));
      return { ...view, problems };
    }
    const page = readTextInside(path, parsed.meta.entrypoint ?? PAGE_FILE, this.#maxBytes);
    if ("missing" in page && "missing" in read) return undefined;
    return { ...view, ...this.#made(folder, parsed.meta, page) };
  }

  #place(path: string): "inside" | "outside" | "missing" {
    try {
      return isInside(realpathSync(this.#root), realpathSync(path)) ? "inside" : "outside";
    } catch {
      return "missing";
    }
  }

  /** The View itself, of a page or of a template. */
  #made(
    folder: string,
    meta: UiMeta,
    page: ReturnType<typeof readTextInside>,
  ): Omit<DiscoveredView, "id" | "name" | "folder"> & { name?: string } {
    const file = `${folder}/${meta.entrypoint ?? PAGE_FILE}`;
    const problems: ViewProblem[] = [];
    const told = {
      ...(meta.name && { name: meta.name }),
      ...(meta.description && { description: meta.description }),
      pageFolder: dirname(file),
      problems,
    };
    const say: Say = (code, at, message) => {
      problems.push({ code, file: at, message: `${at} ${message}` });
    };
    if ("code" in page) {
      say(page.code, file, page.message);
      return told;
    }
    if ("missing" in page && (meta.entrypoint || !meta.template)) {
      say("no-page", file, `does not exist. Add it, or name a template in ${META_FILE}.`);
      return told;
    }
    const source = "text" in page ? pageView(page.text) : this.#templateView(meta, say, folder);
    if (!source) return told;
    if ("text" in page && !isHtmlDocument(page.text)) {
      say("no-doctype", file, 'is no HTML5 document; begin it with "<!doctype html>".');
      return told;
    }
    const declared = this.#declared(meta, say, folder);
    if (!declared) return told;
    const frameSize = meta.meta?.preferredFrameSize;
    return {
      ...told,
      source: { ...source, meta: { ...source.meta, ...declared } },
      ...(frameSize && { resourceMeta: { [FRAME_SIZE_KEY]: frameSize.map(toLength) } }),
    };
  }

  /** What the View declares, as Hosts want it; a declaration that none would grant refuses it. */
  #declared(meta: UiMeta, say: Say, folder: string): McpUiResourceMeta | undefined {
    try {
      return normaliseResourceMeta(folder, resourceMeta(meta), this.#options);
    } catch (error) {
      say(
        "csp",
        `${folder}/${META_FILE}`,
        `declares what no Host grants. ${(error as Error).message}`,
      );
      return undefined;
    }
  }

  #templateView(
    { template: name = "", config = {} }: UiMeta,
    say: Say,
    folder: string,
  ): ViewSource | undefined {
    try {
      const source = template(name, config);
      const bytes = Buffer.byteLength(source.html());
      if (bytes <= this.#maxBytes) return source;
      say(
        "too-large",
        `${folder}/${META_FILE}`,
        `makes a page of ${bytes} bytes, and at most ${this.#maxBytes} are served.`,
      );
    } catch (error) {
      say(
        "template",
        `${folder}/${META_FILE}`,
        `names a template that cannot be made: ${(error as Error).message}`,
      );
    }
    return undefined;
  }
}

function pageView(html: string): ViewSource {
  return { html: () => html };
}

function parse(text: string): ReturnType<typeof readUiMeta> {
  try {
    // Editors of Windows begin files with a mark that JSON has no word for.
    return readUiMeta(JSON.parse(text.replace(/^\uFEFF/, "")));
  } catch (error) {
    const message = `this is no JSON: ${(error as Error).message}`;
    return { meta: {}, faults: [{ code: "not-json", message }] };
  }
}

function resourceMeta({ meta = {} }: UiMeta): McpUiResourceMeta {
  const { csp, permissions, prefersBorder = true, domain, sandboxDomain } = meta;
  const origin = domain ?? sandboxDomain;
  return {
    ...(csp && { csp }),
    ...(permissions && { permissions }),
    ...(origin && { domain: origin }),
    prefersBorder,
  };
}

function toLength(size: number | string): string {
  return typeof size === "number" ? `${size}px` : size;
}
