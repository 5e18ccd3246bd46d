import { runInNewContext } from "node:vm";
import { ScriptedHost } from "@vitrine/internal/scripted-host";
import type { App } from "@vitrine/view";
import { describe, expect, test } from "vitest";

interface Build {
  bundleGlobal(): Promise<string>;
  toInlineModule(script: string): string;
}

// By URL: the build is a script without types.
const { bundleGlobal, toInlineModule }: Build = await import(
  new URL("../../../scripts/build.mjs", import.meta.url).href
);
const script = await bundleGlobal();

/** What the script needs of a page before it touches the document. */
const PAGE = { AbortController, clearTimeout, queueMicrotask, setTimeout };

/** Runs the script as a page would. */
function runInPage(): { Vitrine: { App: typeof App; [name: string]: unknown } } {
  const page = { ...PAGE };
  runInNewContext(script, page);
  return page as never;
}

describe("the script-tag build", () => {
  test("defines Vitrine and nothing else", () => {
    const page = runInPage();
    expect(Object.keys(page).filter((name) => !(name in PAGE))).toEqual(["Vitrine"]);
    expect(Object.keys(page.Vitrine).sort()).toEqual([
      "App",
      "PostMessageTransport",
      "applyContainerDimensions",
      "applyDocumentTheme",
      "applyHostFonts",
      "applyHostStyleVariables",
      "getDocumentTheme",
      "grantedPermissions",
    ]);
  });

  test("connects and calls a tool", async () => {
    const { Vitrine } = runInPage();
    const host = new ScriptedHost({ answers: { "tools/call": { content: [] } } });
    const app = new Vitrine.App({ name: "page", version: "1" }, {}, { autoResize: false });
    await app.connect(host.view);
    expect(await app.callServerTool({ name: "search" })).toEqual({ content: [] });
    expect(host.methods).toEqual(["ui/initialize", "ui/notifications/initialized", "tools/call"]);
  });

  test.each([
    ["eval", /\beval\b/],
    ["new Function", /\bFunction\b\s*\(/],
    ["blob:", /blob:/],
    ["an import", /\bimport\b/],
    ["an end of its tag", /<\/script/i],
    ["a comment that hides the end", /<!--/],
  ])("contains no %s", (_what, pattern) => {
    expect(script).not.toMatch(pattern);
  });
});

describe("the inline build", () => {
  const load = async (text: string): Promise<{ script: string }> =>
    import(/* @vite-ignore */ `data:text/javascript,${encodeURIComponent(toInlineModule(text))}`);

  test("is the very same script as text", async () => {
    expect((await load(script)).script).toBe(script);
  });

  test("can stand in a script tag itself, whatever the text", async () => {
    const text = 'a("</script><!--<script>\u2028`\\")';
    const module = toInlineModule(text);
    expect(module).not.toContain("<");
    expect((await load(text)).script).toBe(text);
  });
});
