import { resolve } from "node:path";
import { build } from "esbuild";

const MARK = "?script";

/** Which SDK a page is bundled with, whatever specifier its source names. */
const SDKS: Record<string, Record<string, string>> = {
  official: { "@vitrine/view": "ext-apps-v2" },
};

/** The part of a Vite plugin this one uses; Vite's own types would make every test compile them. */
interface ScriptPlugin {
  name: string;
  enforce: "pre";
  resolveId(this: Resolver, source: string, importer?: string): Promise<string | undefined>;
  load(this: Watcher, id: string): Promise<string | undefined>;
}

interface Resolver {
  resolve(source: string, importer?: string): Promise<{ id: string } | null>;
}

interface Watcher {
  addWatchFile(path: string): void;
}

/**
 * `import text from "./page.ts?script"` gives a page's whole program as one module script. A frame
 * with an opaque origin can fetch nothing from the test server, so its script has to come as text.
 * `?script&official` bundles the same source with the official SDK.
 */
export function bundledScript(): ScriptPlugin {
  return {
    name: "vitrine:bundled-script",
    enforce: "pre",
    async resolveId(source, importer) {
      const at = source.indexOf(MARK);
      if (at < 0) return undefined;
      const entry = await this.resolve(source.slice(0, at), importer);
      // The null byte keeps other plugins from treating the text as a module of that path.
      return entry ? `\0${entry.id}${source.slice(at)}` : undefined;
    },
    async load(id) {
      const at = id.indexOf(MARK);
      if (at < 0 || !id.startsWith("\0")) return undefined;
      const sdk = id.slice(at + MARK.length + 1);
      const { text, inputs } = await bundleScript(id.slice(1, at), SDKS[sdk] ?? {});
      for (const input of inputs) this.addWatchFile(input);
      return `export default ${JSON.stringify(text)};`;
    },
  };
}

/** Bundles one entry, replacing the specifiers named in `alias`. */
async function bundleScript(
  entry: string,
  alias: Record<string, string>,
): Promise<{ text: string; inputs: string[] }> {
  const result = await build({
    entryPoints: [entry],
    alias,
    bundle: true,
    write: false,
    metafile: true,
    format: "esm",
    target: "es2022",
    jsx: "automatic",
    conditions: ["@vitrine/source", "module", "browser"],
    // React mounts twice under StrictMode in development only, and that is what we must survive.
    define: { "process.env.NODE_ENV": '"development"' },
    logLevel: "silent",
  });
  const text = result.outputFiles[0]?.text ?? "";
  return {
    // Inside a script element this would open a comment; the escape means the same in a string.
    text: text.replaceAll("<!--", "\\x3C!--"),
    inputs: Object.keys(result.metafile.inputs).map((input) => resolve(input)),
  };
}
