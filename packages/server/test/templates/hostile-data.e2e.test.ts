// Data of a tool is anybody's: each template gets the worst of it, and shows it as text.

import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { dataTable, detail, form, gallery, progress } from "../../src/templates/index.ts";
import type { ViewSource } from "../../src/view-source.ts";
import { openTemplateStage, type Shown, type TemplateStage } from "./template-stage.ts";

vi.setConfig({ hookTimeout: 60_000 });

let stage: TemplateStage;
beforeAll(async () => {
  stage = await openTemplateStage();
});
afterAll(() => stage.close());

const RUN = "window.pwned = (window.pwned ?? 0) + 1";
const MARKUP = `<img src=x onerror="${RUN}"><svg onload="${RUN}"><script>${RUN}</script><iframe srcdoc="<script>parent.pwned=1</script>"></iframe>`;
// In a heading or a control text is cut after a while.
const START = MARKUP.slice(0, 60);
const ENDING = `</script><script>${RUN}</script><!--<script>`;
const STYLE = "</style><style>*{display:none}</style>";
// Without isolation the override would turn round everything that stands behind it.
const BIDI = "\u202Egnp.exe\u2067 \u061C‏";
/** `__proto__` as an own property, as only `JSON.parse` makes it. */
const PROTO = JSON.parse(
  '{"__proto__": {"polluted": "yes"}, "constructor": {"prototype": {"polluted": "yes"}}}',
);

const WORDS = { [MARKUP]: MARKUP, ending: ENDING, style: STYLE, bidi: BIDI };
const ROW = { ...WORDS, proto: PROTO, link: "javascript:alert(1)", nested: { deep: [MARKUP] } };

/** Checks that hold for any data. */
async function expectHarmless(shown: Shown, seen: readonly string[]): Promise<void> {
  // Time for what would run a moment later.
  await shown.page.waitForTimeout(200);
  const state = await shown.frame.evaluate(() => ({
    pwned: (window as never as { pwned?: number }).pwned,
    parent: "pwned" in window,
    polluted: ({} as { polluted?: string }).polluted,
    foreign: document.querySelectorAll(
      "main img, main script, main iframe, main style, main [onerror]",
    ).length,
    links: [...document.querySelectorAll("a")].filter(({ protocol }) => !/^https?:$/.test(protocol))
      .length,
    scripts: document.scripts.length,
  }));
  expect(state).toEqual({
    pwned: undefined,
    parent: false,
    polluted: undefined,
    foreign: 0,
    links: 0,
    scripts: 2,
  });
  const text = await shown.frame.locator("main").evaluate((main) => {
    const values = [...main.querySelectorAll<HTMLInputElement>("input, textarea")];
    return `${main.textContent} ${values.map(({ value }) => value).join(" ")}`;
  });
  for (const words of seen) expect(text).toContain(words);
  expect(shown.errors).toEqual([]);
}

const TEMPLATES: [string, ViewSource, object, readonly string[]][] = [
  ["data-table", dataTable(), { rows: [ROW, PROTO, ROW] }, [START, ENDING, STYLE, "polluted"]],
  ["detail", detail({ expandLevel: 9 }), ROW, [START, ENDING, STYLE, "Polluted"]],
  [
    "progress",
    progress(),
    { percent: "50", step: MARKUP, steps: [ENDING, { label: STYLE, status: MARKUP }, PROTO, 7] },
    [START, ENDING, STYLE],
  ],
  [
    "form",
    form({ fields: [{ name: "a", label: MARKUP, help: ENDING }, { name: "__proto__" }] }),
    { a: STYLE, ...PROTO },
    [START, ENDING, STYLE],
  ],
  [
    "gallery",
    gallery(),
    {
      images: [
        { src: "javascript:alert(1)", alt: MARKUP, caption: ENDING },
        { src: `" onerror="${RUN}`, caption: STYLE },
        PROTO,
      ],
    },
    [START, ENDING, STYLE],
  ],
];

test.each(TEMPLATES)(
  "%s shows markup, script ends and __proto__ as text",
  async (_, view, data, seen) => {
    const shown = await stage.show(view, { result: { structuredContent: data as never } });
    await expectHarmless(shown, seen);
    expect(await shown.violations()).toEqual([]);
  },
);

test.each(TEMPLATES)(
  "%s shows the same from input that is still written",
  async (name, view, data) => {
    const shown = await stage.show(view, { partialInput: data as never });
    await expectHarmless(shown, name === "progress" ? [] : [ENDING]);
  },
);

test.each(TEMPLATES)("%s shows a hostile error and a hostile reason as text", async (_, view) => {
  const content = [{ type: "text" as const, text: `${MARKUP}${ENDING}` }];
  const shown = await stage.show(view, { result: { isError: true, content } });
  await expectHarmless(shown, [MARKUP]);
  const cancelled = await stage.show(view, { input: {}, cancelled: MARKUP });
  await expectHarmless(cancelled, [MARKUP]);
});

test("values of a config are text too, and can't end the script", async () => {
  const columns = [{ key: "a", label: MARKUP }, { key: "__proto__" }];
  const view = dataTable({
    title: `${ENDING}${STYLE}`,
    description: MARKUP,
    columns,
    lang: '"><b>',
  });
  const shown = await stage.show(view, {
    result: { structuredContent: { rows: [{ a: 1 }, PROTO] } },
  });
  await expectHarmless(shown, [ENDING, STYLE, START]);
});

describe("a direction mark in a value", () => {
  test("doesn't reorder the text next to it", async () => {
    const rows = [{ file: BIDI, size: "before", owner: "after" }];
    const shown = await stage.show(dataTable(), { result: { structuredContent: { rows } } });
    const places = await shown.frame.evaluate(() =>
      [...document.querySelectorAll("tbody tr > *")].map((cell) => {
        const range = document.createRange();
        range.selectNodeContents(cell.querySelector("bdi") as Node);
        return {
          isolate: getComputedStyle(cell.querySelector("bdi") as Element).unicodeBidi,
          x: range.getBoundingClientRect().x,
        };
      }),
    );
    expect(places.map(({ isolate }) => isolate)).toEqual(["isolate", "isolate", "isolate"]);
    expect(places.map(({ x }) => x)).toEqual(places.map(({ x }) => x).sort((a, b) => a - b));
  });

  test("is isolated in every text of the data", async () => {
    for (const [, view, data] of TEMPLATES) {
      const shown = await stage.show(view, { result: { structuredContent: data as never } });
      const bare = await shown.frame.evaluate(
        (mark) => {
          const texts = document.createTreeWalker(
            document.querySelector("main") as Node,
            NodeFilter.SHOW_TEXT,
          );
          const found: string[] = [];
          while (texts.nextNode()) {
            const { parentElement, nodeValue } = texts.currentNode;
            const isHostile = nodeValue?.includes(mark) || nodeValue?.includes("onerror");
            if (isHostile && !parentElement?.closest("bdi"))
              found.push(`${parentElement?.outerHTML}`);
          }
          return found;
        },
        BIDI.slice(0, 4),
      );
      expect(bare).toEqual([]);
    }
  });
});

describe("text of ten megabytes", () => {
  const LONG = "x".repeat(10_000_000);
  const CASES: [string, ViewSource, object][] = [
    ["data-table", dataTable(), { rows: [{ a: LONG }] }],
    ["detail", detail(), { a: "short", b: { c: [LONG] } }],
    ["progress", progress(), { percent: 5, step: LONG }],
    ["gallery", gallery(), { images: [{ src: "x", caption: LONG }] }],
  ];

  test.each(CASES)(
    "is cut in %s, and more of it is shown when asked for",
    async (_, view, data) => {
      const shown = await stage.show(view);
      await shown.tell({ result: { structuredContent: data as never } });
      const more = shown.frame.getByRole("button", { name: "Show more" }).first();
      await more.waitFor({ timeout: 20_000 });
      const length = (): Promise<number> =>
        shown.frame.evaluate(() => document.querySelector("main")?.textContent?.length ?? 0);
      expect(await length()).toBeLessThan(6000);
      await more.click();
      await expect.poll(length).toBeGreaterThan(15_000);
      expect(await length()).toBeLessThan(60_000);
      expect(await shown.text()).toMatch(/… 9,980,000 more characters/);
    },
  );
});
