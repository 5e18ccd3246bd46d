import { readFile } from "node:fs/promises";
import { gzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { WEB_VIEW_SCRIPT } from "../src/react-native/web-view-script.ts";

const { bundleWebView, toWebViewModule } = await import(
  new URL("../../../scripts/build-relay.mjs", import.meta.url).href
);

test("the WebView's script in the sources is the one that its sources make; else run scripts/build-relay.mjs", async () => {
  const script = await bundleWebView();
  expect(WEB_VIEW_SCRIPT).toBe(script);
  const file = new URL("../src/react-native/web-view-script.ts", import.meta.url);
  expect(await readFile(file, "utf8")).toBe(toWebViewModule(script));
});

test("it is at most 4 KB over the wire, and can't end its own tag", () => {
  expect(gzipSync(WEB_VIEW_SCRIPT, { level: 9 }).length).toBeLessThanOrEqual(4096);
  expect(WEB_VIEW_SCRIPT).not.toMatch(/<\/script|<!--/i);
});
