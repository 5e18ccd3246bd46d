import { fileURLToPath } from "node:url";
import { build } from "esbuild";

/** The view of `sdk-view.ts` as one document, with our SDK or with the official one. */
export async function buildSdkView(sdk: "@vitrine/view" | "ext-apps-v2"): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [fileURLToPath(new URL("sdk-view.ts", import.meta.url))],
    bundle: true,
    minify: true,
    write: false,
    format: "esm",
    target: "es2022",
    conditions: ["@vitrine/source"],
    logLevel: "warning",
    ...(sdk !== "@vitrine/view" && { alias: { "@vitrine/view": sdk } }),
  });
  const code = (outputFiles[0]?.text ?? "").replaceAll("</script", "<\\/script");
  const names = ["mode", "sample", "sample-tools", "tell", "close", "tools", "call", "locate"];
  // So small that it fits everywhere, whichever fonts a machine has.
  const font = "body, button { font: 10px/12px sans-serif; padding: 0 }";
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>Everything</title>
<style>${font} body { margin: 0; color: var(--color-text-primary, black) } html { overflow: auto }</style></head>
<body><output></output>${names.map((name) => `<button id="${name}">${name}</button>`).join("")}
<script type="module">${code}</script></body></html>`;
}
