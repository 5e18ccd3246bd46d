// A View's document for the bench: its own HTML, its script between two marks, then the probe.

import { readFile } from "node:fs/promises";
import { bundle, bundleScript } from "../bundles.mjs";

/** Builds the document of one View. `stamp` in it is a comment that the Host page replaces. */
export async function buildViewPage(name) {
  const html = await readFile(new URL(`../views/${name}.html`, import.meta.url), "utf8");
  // Vite's bundle of all variants: it is the smallest that the official SDK comes in.
  const script = await bundleScript(name, "view");
  const probe = await bundle('import "./view/pages/probe.ts"', { format: "iife" });
  const scripts = [
    "marks = [performance.now()]",
    "/*nothing*/",
    "marks.push(performance.now())",
    `/*stamp*/${script}`,
    "marks.push(performance.now())",
    probe,
  ];
  const tags = scripts.map((code) => `<script>${escapeScript(code)}</script>`).join("");
  return html.replace(/<script type="module".*<\/script>/, () => tags);
}

function escapeScript(code) {
  return code.replaceAll("</script", "<\\/script");
}
