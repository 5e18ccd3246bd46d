import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { Script } from "node:vm";
import { build, createBuilder, type InlineConfig, type Plugin } from "vite";
import { describe, expect, test } from "vitest";
import { scanTags } from "../../src/vite/html-scan.ts";
import {
  buildViews,
  type ViewReport,
  type VitrineViewsOptions,
  vitrineViews,
} from "../../src/vite/index.ts";
import { toInlineScript, toInlineStyle } from "../../src/vite/inline-text.ts";
import { buildFolder, viteConfig, writeProject } from "./view-build.ts";

const page = (body: string, head = ""): string =>
  `<!doctype html><html><head><title>v</title>${head}</head><body>${body}</body></html>`;

/** Builds the one View of a project that exists for this. */
async function buildView(
  files: Record<string, string>,
  options: VitrineViewsOptions = {},
): Promise<{ html: string; report: ViewReport }> {
  await using project = await writeProject(files);
  const built = await buildFolder({ views: "view", ...options }, project.root);
  try {
    const [report] = built.reports;
    if (!report) throw new Error("nothing was built");
    return { html: await built.html(report.name), report };
  } finally {
    await built.remove();
  }
}

const withScript = (script: string): Record<string, string> => ({
  "view/v/index.html": page('<script type="module" src="./main.js"></script>'),
  "view/v/main.js": script,
});

describe("a View that a locked policy would break is not written", () => {
  test.each([
    ["eval", "const run = (text) => eval(text); document.title = run('1');"],
    ["indirect eval", "document.title = (0, eval)('1');"],
    ["Function", "document.title = new Function('return 1')();"],
    ["Function by another name", "const F = Function; document.title = new F('return 1')();"],
    ["a timer with text", "setTimeout('document.title = 1', 10);"],
    [
      "a blob that is imported",
      "const blob = new Blob(['1']); document.title = await import(/* @vite-ignore */ URL.createObjectURL(blob));",
    ],
  ])("because of %s", async (_, script) => {
    await expect(buildView(withScript(script))).rejects.toThrow(
      /The view "v" runs text as code \([^)]+\) in view\/v\/main\.js/,
    );
  });

  test("because of eval in an inline script of the page", async () => {
    const files = { "view/v/index.html": page("<script>eval('1')</script>") };
    await expect(buildView(files)).rejects.toThrow(/runs text as code \(eval\) in a script of/);
  });

  test("but text that only looks like eval is accepted", async () => {
    const { report } = await buildView(
      withScript(
        "const o = { eval: 1 }; document.title = 'eval(x) new Function(y)' + o.eval + (o instanceof Function);",
      ),
    );
    expect(report.warnings).toEqual([]);
  });

  test("and zod is accepted, which tries eval and works without", async () => {
    const { report } = await buildView(
      withScript(
        "import { z } from 'zod'; document.title = z.object({ a: z.string() }).parse({ a: 'x' }).a;",
      ),
    );
    expect(report.warnings).toEqual([expect.stringMatching(/\(Function\) in zod\//)]);
  });

  test.each([
    [
      "a script of another origin",
      page('<script src="https://cdn.example.com/x.js"></script>'),
      /still loads the script https:\/\/cdn\.example\.com\/x\.js/,
    ],
    [
      "a style sheet of another origin",
      page("", '<link rel="stylesheet" href="https://cdn.example.com/x.css">'),
      /still loads https:\/\/cdn\.example\.com\/x\.css \(stylesheet\)/,
    ],
    [
      "a file of the public folder",
      page('<img src="/logo.svg" alt="">'),
      /refers to the file .*logo\.svg, but a view has no other files/,
    ],
    ["no doctype", "<p>Hello</p>", /has no "<!doctype html>"/],
  ])("because of %s", async (_, html, message) => {
    const files = { "view/v/index.html": html, "public/logo.svg": "<svg></svg>" };
    await expect(buildView(files)).rejects.toThrow(message);
  });

  test("because of a module that stayed outside", async () => {
    await expect(
      buildView(withScript("import x from 'https://esm.example.com/x.js'; document.title = x;")),
    ).rejects.toThrow(/still imports https:\/\/esm\.example\.com\/x\.js/);
  });

  test("because of a worker in a file of its own", async () => {
    const files = {
      ...withScript("new Worker(new URL('./worker.js', import.meta.url), { type: 'module' });"),
      "view/v/worker.js": "postMessage(1);",
    };
    await expect(buildView(files)).rejects.toThrow(/needs worker-.*\.js, but/);
  });
});

test("an end tag that came in after the minifier ends no script", async () => {
  await using project = await writeProject(withScript("document.title = 'made';"));
  const banner: Plugin = {
    name: "banner",
    generateBundle(_, bundle) {
      for (const file of Object.values(bundle)) {
        if (file.type === "chunk") file.code = `/* </SCRIPT > <!-- */${file.code}`;
      }
    },
  };
  const config = viteConfig(join(project.root, "out"), project.root);
  await buildViews({ views: "view" }, { ...config, plugins: [banner] });
  const html = await readFile(join(project.root, "out/ui/v/index.html"), "utf8");
  expect(html).toContain("made");
  expect(scanTags(html).filter((tag) => tag.name === "script")).toHaveLength(1);
  expect(html.match(/<\/script|<!--/gi)).toHaveLength(1);
});

test("an end tag outside of text is an error and not another program", () => {
  const parse = (code: string): unknown => new Script(code);
  expect(() => toInlineScript("x = a</script/.test(b)", parse)).toThrow(SyntaxError);
  expect(toInlineScript("x = '</script>'", parse)).toBe("x = '\\x3C/script>'");
  expect(toInlineStyle("a{content:'</STYLE>'}")).toBe("a{content:'<\\/STYLE>'}");
});

describe("the size budget", () => {
  // No compressor makes this small.
  const noise = (length: number): string =>
    Array.from({ length }, (_, at) =>
      Math.sin(at + 1)
        .toString(36)
        .slice(2, 12),
    ).join("");
  const files = {
    ...withScript("import { noise } from './noise.js'; document.title = noise;"),
    "view/v/noise.js": `export const noise = ${JSON.stringify(noise(2000))};`,
  };

  test("refuses a View with the figure, the limit and the largest modules", async () => {
    await expect(buildView(files, { budget: { gzip: 10_000 } })).rejects.toThrow(
      /is 1\d,\d{3} bytes after gzip, but its budget is 10,000\.[\s\S]*\n +\d\d,\d{3} {2}view\/v\/noise\.js/,
    );
    await expect(buildView(files, { budget: { raw: 15_000 } })).rejects.toThrow(
      /is \d\d,\d{3} bytes, but its budget is 15,000/,
    );
  });

  test("lets it pass where it fits, or where there is none", async () => {
    const { report } = await buildView(files, { budget: { gzip: 20_000 } });
    expect(report.weight.gzip).toBeGreaterThan(10_000);
    await expect(buildView(files, { budget: false })).resolves.toBeDefined();
  });
});

describe("the origins that a View names", () => {
  const files = {
    "view/v/index.html": page(
      '<img src="https://images.example.com/a.png" alt=""><iframe src="https://frames.example.com/"></iframe><script type="module" src="./main.js"></script>',
      '<style>@font-face { font-family: x; src: url("https://fonts.example.com/x.woff2") }</style>',
    ),
    "view/v/main.js": `
      const id = location.hash;
      fetch("https://api.example.com/v1/" + id);
      fetch(\`https://api.example.com/v2/\${id}\`);
      new WebSocket("wss://live.example.com:8443/feed");
      fetch("http://192.168.0.1/");
      document.title = "see https://docs.example.com/" + document.createElementNS("http://www.w3.org/2000/svg", "a");
      console.error("https://help.example.com/why");
    `,
  };

  test("are offered as what to declare, by the list they belong to (SRV-18)", async () => {
    const { report } = await buildView(files);
    expect(report.csp).toEqual({
      connectDomains: ["https://api.example.com", "wss://live.example.com:8443"],
      frameDomains: ["https://frames.example.com"],
      resourceDomains: ["https://fonts.example.com", "https://images.example.com"],
    });
    expect(report.mentioned).toEqual(["https://help.example.com"]);
    expect(report.warnings).toEqual([
      expect.stringMatching(/uses http:\/\/192\.168\.0\.1, which no host grants/),
    ]);
  });

  test("are compared with what is declared, wildcards understood (SRV-18)", async () => {
    const csp = {
      v: {
        connectDomains: ["https://*.example.com"],
        resourceDomains: ["https://images.example.com"],
        frameDomains: ["https://frames.example.com"],
      },
    };
    const { report } = await buildView(files, { csp });
    expect(report.warnings.filter((warning) => warning.includes("declaring"))).toEqual([
      "uses wss://live.example.com:8443 in connectDomains without declaring it.",
      "uses https://fonts.example.com in resourceDomains without declaring it.",
    ]);
  });
});

describe("entries", () => {
  const script = "document.title = 'made';";

  test("are folders, files or names; a script gets a page", async () => {
    await using project = await writeProject({
      "src/weather.js": script,
      "pages/other/main.js": script,
    });
    const views = { weather: "src/weather.js", "my-other": "pages/other/main.js" };
    const built = await buildFolder({ views }, project.root);
    expect(built.reports.map(({ name }) => name)).toEqual(["weather", "my-other"]);
    for (const name of Object.keys(views)) {
      expect(scanTags(await built.html(name)).map((tag) => tag.name)).toContain("title");
    }
    await built.remove();
    const listed = await buildFolder({ views: ["pages/other/main.js"] }, project.root);
    expect(listed.reports.map(({ name }) => name)).toEqual(["other"]);
    await listed.remove();
  });

  test.each([
    ["nothing", "none", /No view found in "none"/],
    ["a file that is not there", { a: "gone.html" }, /The view "a" has no file gone\.html/],
    ["a name that is a path", { "../a": "src/a.js" }, /"\.\.\/a" can't be a view's name/],
    ["two of one name", ["src/a.js", "src/a/index.js"], /Two views are called "a"/],
  ])("%s: said in words", async (_, views, message) => {
    await using project = await writeProject({ "src/a.js": script, "src/a/index.js": script });
    await expect(buildFolder({ views }, project.root)).rejects.toThrow(message);
  });

  test("are built by `vite build` too, each to its own folder; by vite.build() if there is one", async () => {
    await using project = await writeProject({
      "views/a/main.js": script,
      "views/b/main.js": script,
    });
    const config = (views: VitrineViewsOptions["views"]): InlineConfig => ({
      root: project.root,
      configFile: false,
      logLevel: "silent",
      plugins: [vitrineViews({ views: views ?? "views" })],
    });
    await (await createBuilder(config("views"), null)).buildApp();
    for (const name of ["a", "b"]) {
      const html = await readFile(join(project.root, `dist/ui/${name}/index.html`), "utf8");
      expect(html).toContain("made");
    }
    await expect(build(config("views"))).rejects.toThrow(/There are 2 views, but vite\.build\(\)/);
    await build(config({ c: "views/a/main.js" }));
    expect(await readFile(join(project.root, "dist/ui/c/index.html"), "utf8")).toContain("made");
  });
});
