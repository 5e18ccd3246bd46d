import { execFileSync } from "node:child_process";
import { mkdir, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { discoverViews } from "../../src/discovery/index.ts";
import { page, viewRoot } from "./view-root.ts";

describe("Views in folders", () => {
  test("belong to a tool below tools/, and to themselves below ui/", async () => {
    await using files = await viewRoot({
      "tools/weather/ui/index.html": page("weather"),
      "tools/weather/tool.meta.json": { name: "get-weather", description: "…" },
      "tools/plain/tool.sh": "echo",
      "tools/empty/ui/readme.md": "nothing here",
      "ui/dashboard/index.html": page("dashboard"),
      "ui/dashboard/ui.meta.json": { name: "Dash", description: "All at once" },
      "ui/table/ui.meta.json": { template: "data-table", config: { title: "Rows" } },
      "ui/.hidden/index.html": page("hidden"),
    });
    const views = discoverViews(files.root);
    expect(views.flatMap(({ problems }) => problems)).toEqual([]);
    expect(
      views.map(({ toolName, id, name, description }) => [toolName, id, name, description]),
    ).toEqual([
      ["get-weather", "get-weather", "weather", undefined],
      [undefined, "dashboard", "Dash", "All at once"],
      [undefined, "table", "table", undefined],
    ]);
    expect(views[0]?.source?.html()).toBe(page("weather"));
    expect(views[2]?.source?.html()).toContain("<title>Rows</title>");
    expect(views[2]?.source?.describe?.({ rows: [{ a: 1 }] })).toContain("| 1 |");
  });

  test("declare the metadata of their ui.meta.json, with a border by default", async () => {
    await using files = await viewRoot({
      "ui/a/index.html": page("a"),
      "ui/b/pages/b.html": page("b"),
      "ui/b/ui.meta.json": {
        entrypoint: "pages/b.html",
        meta: {
          csp: { connectDomains: ["https://B.example.com/"] },
          permissions: { camera: {} },
          prefersBorder: false,
          sandboxDomain: "old.example.com",
          preferredFrameSize: [800, "50%"],
        },
      },
      "ui/c/index.html": page("c"),
      "ui/c/ui.meta.json": {
        meta: { sandboxDomain: "old.example.com", domain: "new.example.com" },
      },
      "ui/d/index.html": page("d"),
      "ui/d/ui.meta.json": { meta: { sandboxDomain: null } },
    });
    const [a, b, c, d] = discoverViews(files.root);
    expect(a?.source?.meta).toEqual({ prefersBorder: true });
    expect(b?.source?.html()).toBe(page("b"));
    expect(b?.source?.meta).toEqual({
      csp: { connectDomains: ["https://b.example.com"] },
      permissions: { camera: {} },
      prefersBorder: false,
      domain: "old.example.com",
    });
    expect(b?.resourceMeta).toEqual({ "mcpui.dev/ui-preferred-frame-size": ["800px", "50%"] });
    expect(c?.source?.meta?.domain).toBe("new.example.com");
    expect(d?.source?.meta).toEqual({ prefersBorder: true });
  });

  test("prefer a page of their own to a template", async () => {
    await using files = await viewRoot({
      "ui/a/index.html": page("mine"),
      "ui/a/ui.meta.json": { template: "data-table" },
    });
    expect(discoverViews(files.root)[0]?.source?.html()).toBe(page("mine"));
  });

  test("keep the tool's metadata of tool.meta.json, and report invalid values", async () => {
    await using files = await viewRoot({
      "tools/a/ui/index.html": page("a"),
      "tools/a/tool.meta.json": {
        _meta: { ui: { resourceUri: "ui://elsewhere/a", visibility: ["app"] } },
      },
      "tools/b/ui/index.html": page("b"),
      "tools/b/tool.meta.json": { _meta: { ui: { resourceUri: "https://x", visibility: "app" } } },
      "tools/c/ui/index.html": page("c"),
      "tools/c/tool.meta.json": "{",
    });
    const [a, b, c] = discoverViews(files.root);
    expect(a?.toolMeta).toEqual({ resourceUri: "ui://elsewhere/a", visibility: ["app"] });
    expect(a?.problems).toEqual([]);
    expect(b?.toolMeta).toEqual({});
    expect(b?.problems.map(({ message }) => message)).toEqual([
      expect.stringMatching(/resourceUri is "https:\/\/x" instead of a ui:\/\/ URI/),
      expect.stringMatching(/visibility must be a list/),
    ]);
    expect(c?.problems).toMatchObject([{ code: "not-json", file: "tools/c/tool.meta.json" }]);
    expect([a, b, c].every((view) => view?.source)).toBe(true);
  });
});

describe("a View that cannot be served is refused in words", () => {
  const refusal = async (
    files: Record<string, string | Uint8Array | object>,
    prepare?: (root: string, outside: string) => Promise<unknown>,
    options = {},
  ): Promise<string> => {
    await using made = await viewRoot(files);
    await prepare?.(made.root, made.outside);
    const [view, ...more] = discoverViews(made.root, options);
    expect(more).toEqual([]);
    expect(view?.source).toBeUndefined();
    expect(view?.problems).toHaveLength(1);
    const { code, file, message } = view?.problems[0] ?? {};
    expect(message).toContain(file);
    return `${code}: ${message}`;
  };

  test.each<[string, Record<string, string | Uint8Array | object>, RegExp]>([
    [
      "JSON that is none",
      { "ui/a/ui.meta.json": "{ name: 1 }" },
      /^not-json: ui\/a\/ui\.meta\.json: invalid JSON/,
    ],
    [
      "an unknown key",
      { "ui/a/index.html": page("a"), "ui/a/ui.meta.json": { nmae: "a" } },
      /^unknown-key: .*Did you mean "name"\?/,
    ],
    [
      "neither page nor template",
      { "ui/a/ui.meta.json": {} },
      /^no-page: ui\/a\/index\.html does not exist/,
    ],
    [
      "an entrypoint that is missing",
      { "ui/a/ui.meta.json": { entrypoint: "x.html", template: "data-table" } },
      /^no-page: ui\/a\/x\.html/,
    ],
    [
      "an option the template has not",
      { "ui/a/ui.meta.json": { template: "data-table", config: { colums: [] } } },
      /^unknown-key: .*colums/,
    ],
    [
      "a page that isn't UTF-8",
      { "ui/a/index.html": new Uint8Array([0x3c, 0xff, 0xfe]) },
      /^not-utf8: /,
    ],
    [
      "a fragment",
      { "ui/a/index.html": "<p>Hello" },
      /^no-doctype: ui\/a\/index\.html is not an HTML5 document/,
    ],
    [
      "a domain that no Host grants",
      {
        "ui/a/index.html": page("a"),
        "ui/a/ui.meta.json": { meta: { csp: { connectDomains: ["https://192.168.0.1"] } } },
      },
      /^csp: .*no host grants/,
    ],
    [
      "a page above the limit",
      { "ui/a/index.html": page("x".repeat(1_048_576)) },
      /^too-large: ui\/a\/index\.html has 1,048,\d{3} bytes or more, but the limit is 1,048,576/,
    ],
    [
      "a folder in place of the page",
      { "ui/a/index.html/x": "" },
      /^unreadable: ui\/a\/index\.html is not a regular file/,
    ],
  ])("%s", async (_, files, message) => {
    expect(await refusal(files)).toMatch(message);
  });

  test("a limit of one's own counts", async () => {
    const files = { "ui/a/index.html": page("hello") };
    expect(await refusal(files, undefined, { maxBytes: 10 })).toMatch(
      /^too-large: .* the limit is 10\./,
    );
    const template = { "ui/a/ui.meta.json": { template: "data-table" } };
    expect(await refusal(template, undefined, { maxBytes: 10 })).toMatch(/^too-large: /);
  });

  test("a link out of the folder is not followed, wherever it stands", async () => {
    const secret = async (_: string, outside: string): Promise<void> => {
      await mkdir(join(outside, "secret"));
      await writeFile(join(outside, "secret/index.html"), page("secret"));
      await writeFile(join(outside, "secret/ui.meta.json"), "{}");
    };
    expect(
      await refusal({ "ui/a/x": "" }, async (root, outside) => {
        await secret(root, outside);
        await symlink(join(outside, "secret/index.html"), join(root, "ui/a/index.html"));
      }),
    ).toMatch(/^outside: ui\/a\/index\.html leads out of its folder/);
    expect(
      await refusal({ "ui/a/index.html": page("a") }, async (root, outside) => {
        await secret(root, outside);
        await symlink(join(outside, "secret/ui.meta.json"), join(root, "ui/a/ui.meta.json"));
      }),
    ).toMatch(/^outside: ui\/a\/ui\.meta\.json/);
    expect(
      await refusal({ "ui/x": "" }, async (root, outside) => {
        await secret(root, outside);
        await symlink(join(outside, "secret"), join(root, "ui/a"));
      }),
    ).toMatch(/^outside: ui\/a leads out of the root/);
    // Within the root, but out of the View's own folder.
    expect(
      await refusal({ "ui/a/x": "", "other.html": page("other") }, (root) =>
        symlink("../../other.html", join(root, "ui/a/index.html")),
      ),
    ).toMatch(/^outside: /);
  });

  test("S33: nothing is read through a tool's folder that is a link out of the root", async () => {
    const meta = JSON.stringify({ name: "secret-name" });
    // The whole tool; or the tool alone, with a page that lies in the root after all.
    for (const back of [false, true]) {
      await using files = await viewRoot({ "ui/a/index.html": page("a"), "tools/x": "" });
      const { root, outside } = files;
      await mkdir(join(outside, "tool"));
      await writeFile(join(outside, "tool/tool.meta.json"), meta);
      if (back) await symlink(join(root, "ui/a"), join(outside, "tool/ui"));
      else {
        await mkdir(join(outside, "tool/ui"));
        await writeFile(join(outside, "tool/ui/index.html"), page("secret"));
      }
      await symlink(join(outside, "tool"), join(root, "tools/linked"));
      const views = discoverViews(root);
      expect(JSON.stringify(views)).not.toContain("secret");
      const linked = views.find(({ folder }) => folder === "tools/linked/ui");
      expect(linked?.source).toBeUndefined();
      expect(linked?.problems).toMatchObject([{ code: "outside", file: "tools/linked/ui" }]);
    }
  });

  test("a link in a circle and a pipe without an end hold nobody up", async () => {
    expect(
      await refusal({ "ui/a/x": "" }, (root) =>
        symlink("index.html", join(root, "ui/a/index.html")),
      ),
    ).toMatch(/^unreadable: ui\/a\/index\.html can't be read \(ELOOP\)/);
    expect(
      await refusal({ "ui/a/x": "" }, async (root) => {
        execFileSync("sh", ["-c", 'mkfifo "$0"', join(root, "ui/a/index.html")]);
      }),
    ).toMatch(/^unreadable: ui\/a\/index\.html is not a regular file/);
  });

  test("two Views for one URI: that of the tool stays", async () => {
    await using files = await viewRoot({
      "tools/a/ui/index.html": page("tool"),
      "ui/a/index.html": page("own"),
    });
    const [tool, own] = discoverViews(files.root);
    expect(tool?.source?.html()).toBe(page("tool"));
    expect(own?.source).toBeUndefined();
    expect(own?.problems).toMatchObject([{ code: "duplicate", file: "ui/a" }]);
  });
});

describe("discovery never throws", () => {
  test("for a root that is not there, or is a file", async () => {
    await using files = await viewRoot({ file: "x", tools: "x", ui: "x" });
    expect(discoverViews(join(files.root, "gone"))).toEqual([]);
    expect(discoverViews(join(files.root, "file"))).toEqual([]);
    expect(discoverViews(files.root)).toEqual([]);
  });

  test("whatever the files say", async () => {
    await using files = await viewRoot();
    const json = fc.oneof(
      fc.json(),
      fc.string(),
      fc.constantFrom(
        "[".repeat(100_000),
        '{"config":'.repeat(5_000),
        '{"__proto__":{"template":"form"}}',
        '{"template":"toString"}',
        '{"template":"data-table","config":{"__proto__":{"title":"x"}}}',
        '{"template":"data-table","config":{"title":"</script><script>alert(1)</script>"}}',
        '{"entrypoint":"\u0000"}',
        '{"name":""}',
      ),
      fc
        .record({ template: fc.string(), config: fc.object(), entrypoint: fc.string() })
        .map((v) => JSON.stringify(v)),
    );
    const run = fc.asyncProperty(json, json, fc.option(fc.string()), async (meta, tool, html) => {
      await files.write({ "tools/a/ui/ui.meta.json": meta, "tools/a/tool.meta.json": tool });
      if (html) await files.write({ "tools/a/ui/index.html": html });
      for (const { source, problems } of discoverViews(files.root)) {
        expect(source !== undefined || problems.length > 0).toBe(true);
        expect(source?.html() ?? "").not.toContain("</script><script>alert");
      }
    });
    await fc.assert(run, { numRuns: 200 });
    expect(({} as { template?: string }).template).toBeUndefined();
  });
});
