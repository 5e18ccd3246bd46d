// From a location in a view's page to the author's file: by the source map that `vitrineViews()` kept
// for this page, by one inside the page, or else the page itself.

import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { SourceMap } from "node:module";
import { dirname, join, relative, resolve } from "node:path";
import type { PagePlace, SourcePlace } from "./source-place.ts";

/** Finds locations in one page. */
export interface ViewSource {
  /** Whether a source map is known. */
  readonly isMapped: boolean;
  /** The location; `undefined` if it isn't in this page. */
  at(place: PagePlace): SourcePlace | undefined;
  /** Whether a location is in a file of the author's, by the source map. */
  isOwn(place: PagePlace): boolean;
  /** Whether a location is in a package that the author installed. */
  isPackage(place: PagePlace): boolean;
  /** The first place with one of these texts, the first one preferred, in the author's own files. */
  find(...patterns: readonly RegExp[]): SourcePlace | undefined;
}

/** What to name in places, and where to search. */
export interface ViewSourceOptions {
  /** The view's address. */
  resource: string;
  /** The folder of the command. */
  folder?: string;
}

interface KeptScript {
  line: number;
  column: number;
  map: { sources: (string | null)[]; sourcesContent?: (string | null)[] };
}
interface Kept {
  root: string;
  scripts: KeptScript[];
}
interface Section extends KeptScript {
  lookup: SourceMap;
  lines: number;
}

const INLINE =
  /\/\/[#@] sourceMappingURL=data:application\/json;(?:charset=[\w-]+;)?base64,([A-Za-z0-9+/=]+)/g;
const SHOWN = 2;
const WIDEST = 120;

/** Reads the source map of a page, if there is one. */
export async function readViewSource(
  html: string,
  { resource, folder = process.cwd() }: ViewSourceOptions,
): Promise<ViewSource> {
  const kept = (await readKept(html, folder)) ?? { root: folder, scripts: inlineMaps(html) };
  const sections = kept.scripts.flatMap((script): Section[] => {
    try {
      const lookup = new SourceMap(script.map as never);
      return [{ ...script, lookup, lines: (lookup.payload.mappings ?? "").split(";").length }];
    } catch {
      return [];
    }
  });
  const pageLines = html.split("\n");
  const nameOf = (source: string): string => relative(folder, resolve(kept.root, source)) || source;
  const contentOf = ({ map }: Section, source: string): string =>
    map.sourcesContent?.[map.sources.indexOf(source)] ?? "";
  const mapped = ({ line, column }: PagePlace) => {
    for (const section of sections) {
      const down = line - 1 - section.line;
      const right = down === 0 ? column - 1 - section.column : column - 1;
      if (down < 0 || down >= section.lines || right < 0) continue;
      const entry = section.lookup.findEntry(down, right);
      if (!("originalSource" in entry) || !entry.originalSource) continue;
      return { section, entry };
    }
    return undefined;
  };
  const own = sections.flatMap((section) =>
    section.map.sources
      .filter((source): source is string => !!source && !isOfPackage(source))
      .map((source) => ({
        file: nameOf(source),
        lines: contentOf(section, source).split("\n"),
      })),
  );
  const files = sections.length > 0 ? own : [{ file: resource, lines: pageLines }];
  return {
    isMapped: sections.length > 0,
    at: (place) => {
      const { section, entry } = mapped(place) ?? {};
      if (section && entry) {
        const { originalSource: source, originalLine, originalColumn } = entry;
        const lines = contentOf(section, source).split("\n");
        const found = { line: originalLine + 1, column: originalColumn + 1 };
        return { file: nameOf(source), ...found, frame: codeFrame(lines, found) };
      }
      if (place.line < 1 || place.line > pageLines.length) return undefined;
      if (place.column > (pageLines[place.line - 1]?.length ?? 0) + 1) return undefined;
      return { file: resource, ...place, frame: codeFrame(pageLines, place) };
    },
    isOwn: (place) => {
      const found = mapped(place);
      return found !== undefined && !isOfPackage(found.entry.originalSource);
    },
    isPackage: (place) => isOfPackage(mapped(place)?.entry.originalSource ?? ""),
    find: (...patterns) => {
      const tried = patterns.flatMap((pattern) => files.map((file) => ({ ...file, pattern })));
      for (const { file, lines, pattern } of tried) {
        const found = placeIn(lines, pattern);
        if (found) return { file, ...found, frame: codeFrame(lines, found) };
      }
      return undefined;
    },
  };
}

// Also the SDK in its own repository.
function isOfPackage(source: string): boolean {
  return /(?:^|\/)node_modules\/|^\0|^vite\/|\/packages\/(?:view|protocol)\/(?:src|dist)\//.test(
    source,
  );
}

function placeIn(lines: readonly string[], pattern: RegExp): PagePlace | undefined {
  for (const [at, text] of lines.entries()) {
    const column = text.search(pattern);
    if (column >= 0) return { line: at + 1, column: column + 1 };
  }
  return undefined;
}

/** The map of exactly this page, written by the build, in this folder's package or one above. */
async function readKept(html: string, folder: string): Promise<Kept | undefined> {
  const name = `${createHash("sha256").update(html).digest("hex")}.json`;
  for (let at = resolve(folder); ; at = dirname(at)) {
    const file = join(at, "node_modules", ".cache", "vitrine", "maps", name);
    const text = await readFile(file, "utf8").catch(() => undefined);
    if (text !== undefined) {
      try {
        return JSON.parse(text) as Kept;
      } catch {
        return undefined;
      }
    }
    if (dirname(at) === at) return undefined;
  }
}

/** Maps inside the page: each belongs to the script that it ends. */
function inlineMaps(html: string): KeptScript[] {
  return [...html.matchAll(INLINE)].flatMap(({ 1: data = "", index }) => {
    const open = html.lastIndexOf("<script", index);
    const start = html.indexOf(">", open) + 1;
    if (open < 0 || start < 1) return [];
    const before = html.slice(0, start).split("\n");
    try {
      const map = JSON.parse(Buffer.from(data, "base64").toString("utf8"));
      return [{ line: before.length - 1, column: before.at(-1)?.length ?? 0, map }];
    } catch {
      return [];
    }
  });
}

/** A few lines around a location. */
export function codeFrame(lines: readonly string[], { line, column }: PagePlace): string {
  const width = String(line + SHOWN).length;
  // Of a bundle's endless line only the part around the location.
  const start = column > WIDEST ? column - WIDEST / 2 : 0;
  const shown: string[] = [];
  for (let at = Math.max(1, line - SHOWN); at <= Math.min(lines.length, line + SHOWN); at++) {
    const text = (lines[at - 1] ?? "").replaceAll("\t", " ").slice(start, start + WIDEST);
    shown.push(`${at === line ? ">" : " "} ${String(at).padStart(width)} | ${text}`.trimEnd());
    if (at === line)
      shown.push(`  ${" ".repeat(width)} | ${" ".repeat(Math.max(0, column - 1 - start))}^`);
  }
  return shown.join("\n");
}
