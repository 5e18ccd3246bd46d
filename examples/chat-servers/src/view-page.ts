import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

/** The document of the view in one file, built from its sources. */
export async function buildViewPage(): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [fileURLToPath(new URL("view.ts", import.meta.url))],
    bundle: true,
    write: false,
    minify: true,
    format: "esm",
    target: "es2022",
    conditions: ["@vitrine/source", "module", "browser"],
    define: { "process.env.NODE_ENV": '"production"' },
  });
  // In a script element these would end it or open a comment; the escapes mean the same in a string.
  const script = (outputFiles[0]?.text ?? "")
    .replaceAll("</script", "<\\/script")
    .replaceAll("<!--", "\\x3C!--");
  const page = await readFile(new URL("view.html", import.meta.url), "utf8");
  return page.replace("/* script */", () => script);
}
