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
// Where MCP-UI hosts expect it.
const FRAME_SIZE_KEY = "mcpui.dev/ui-preferred-frame-size";

type Say = (code: ProblemCode, at: string, message: string) => void;

/** Reads the folders one by one; each collects its own problems. */
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
    // A link to a folder outside the root is untrusted, including its tool's name.
    if (!view || this.#place(`tools/${name}`) !== "inside") return view;
    const file = `tools/${name}/tool.meta.json`;
    const read = readTextInside(join(this.#root, "tools", name), "tool.meta.json", mostMetaBytes);
    const { toolName = name, ui, faults } = readToolMeta(read);
    const problems: ViewProblem[] = faults.map((fault) => ({ ...fault, file }));
    if (/^\.{0,2}$/.test(toolName)) {
      const message = `${file}: "${toolName}" can't be the end of a URI, so the view is not served.`;
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

  /** `undefined` if the folder has no view. */
  #view(folder: string, id: string): DiscoveredView | undefined {
    const view = { id, name: id, folder, pageFolder: folder };
    const refuse = (code: ProblemCode, message: string, file = folder): DiscoveredView => ({
      ...view,
      problems: [{ code, file, message: `${file} ${message}` }],
    });
    const path = join(this.#root, folder);
    const where = this.#place(folder);
    if (where === "missing") return undefined;
    if (where === "outside")
      return refuse("outside", "leads out of the root, so it is not followed.");
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

  /**
   * The real path of a folder. A link out of the root on the way counts, even if another leads back.
   */
  #place(folder: string): "inside" | "outside" | "missing" {
    const names = folder.split("/");
    const way = names.map((_, at) => join(this.#root, ...names.slice(0, at + 1)));
    try {
      const root = realpathSync(this.#root);
      const paths = way.map((path) => realpathSync(path));
      return paths.every((path) => isInside(root, path)) ? "inside" : "outside";
    } catch {
      return "missing";
    }
  }

  /** The view itself, from a page or a template. */
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
      say("no-doctype", file, 'is not an HTML5 document. Start it with "<!doctype html>".');
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

  /** The view's declarations in the form of hosts; one that no host would grant rejects the view. */
  #declared(meta: UiMeta, say: Say, folder: string): McpUiResourceMeta | undefined {
    try {
      return normaliseResourceMeta(folder, resourceMeta(meta), this.#options);
    } catch (error) {
      say(
        "csp",
        `${folder}/${META_FILE}`,
        `has a declaration that no host grants. ${(error as Error).message}`,
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
        `generates a page of ${bytes} bytes, but the limit is ${this.#maxBytes}.`,
      );
    } catch (error) {
      say(
        "template",
        `${folder}/${META_FILE}`,
        `names a template that can't be created: ${(error as Error).message}`,
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
    // Windows editors start files with a byte order mark, which isn't valid JSON.
    return readUiMeta(JSON.parse(text.replace(/^\uFEFF/, "")));
  } catch (error) {
    const message = `invalid JSON: ${(error as Error).message}`;
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
