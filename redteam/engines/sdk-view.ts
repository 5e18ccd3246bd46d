import { bundlePage } from "../../packages/sandbox/test/relay/relay-bundles.ts";

/** The sandbox tests' tool View, with our SDK in the place of the official one its source names. */
export async function sdkView(): Promise<string> {
  const program = await bundlePage("tool-view", { "ext-apps-v2": "@vitrine/view" });
  return `<!doctype html><body><script>${program}</script>`;
}
