const pages = new Map<string, string>();

/** A View's document; a new stamp makes new source text, which V8 compiles instead of remembering. */
export async function loadViewPage(url: string, stamp: string): Promise<string> {
  const page = pages.get(url) ?? (await (await fetch(url)).text());
  pages.set(url, page);
  return page.replace("/*stamp*/", () => `/*${stamp}*/`);
}
