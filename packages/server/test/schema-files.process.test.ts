import { readFile } from "node:fs/promises";
import { Ajv2020 } from "ajv/dist/2020.js";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { BLOCK_DEFINITIONS, BLOCK_SCHEMAS } from "../src/templates/block-options.ts";
import { checkPage, TEMPLATES, template } from "../src/templates/index.ts";
import { checkOption } from "../src/templates/option-check.ts";
import { pageSchema, uiMetaSchema } from "../src/templates/schema-files.ts";
import { DASHBOARD } from "./templates/dashboard.ts";

const readSchema = async (name: string) =>
  JSON.parse(await readFile(new URL(`../schema/${name}.schema.json`, import.meta.url), "utf8"));

// `strict: false`: "tool" is our own format.
const ajv = new Ajv2020({ strict: false, validateFormats: false });

describe("the schema files", () => {
  test("are what `npm run schemas` writes", async () => {
    const uiMeta = await readSchema("ui-meta");
    expect(uiMeta).toEqual(uiMetaSchema(uiMeta));
    expect(await readSchema("page")).toEqual(pageSchema());
  });

  test("have every option of every template", async () => {
    const { $defs } = await readSchema("ui-meta");
    for (const [name, { schema }] of TEMPLATES) {
      const described = $defs[`${name}-config`].properties;
      expect(Object.keys(described)).toEqual(Object.keys(schema.properties ?? {}));
      for (const option of Object.values<{ description?: string }>(described)) {
        expect(option).toHaveProperty("description");
      }
    }
  });

  test("accept a dashboard, and name what is wrong with one", () => {
    expect(ajv.validate(pageSchema(), { blocks: DASHBOARD, orders: [] })).toBe(true);
    expect(checkPage({ blocks: DASHBOARD })).toEqual([]);
    expect(checkPage({ blocks: [{ type: "chart", kind: "donot", data: "orders" }] })).toEqual([
      'blocks[0].kind is "donot". Did you mean "donut"? Choose from: bar, line, area, pie, donut, scatter.',
      'blocks[0].data is "orders". Did you mean "/orders"? Choose from: /orders.',
    ]);
    expect(checkPage({ blocks: [{ type: "tabel" }] })).toEqual([
      expect.stringMatching(/^blocks\[0\]\.type is "tabel"\. Did you mean "table"\?/),
    ]);
  });

  // Values that are often right, so that both verdicts occur.
  const value = fc.letrec((tie) => ({
    any: fc.oneof(
      { depthSize: "small" },
      fc.constantFrom<unknown>(null, true, 0, 2, -1, 1.5, "", "a", "/a", "bar", "currency:EUR"),
      fc.constantFrom("currency", "https://a.example", "javascript:alert(1)", "text", "start"),
      fc.array(tie("any"), { maxLength: 2 }),
      fc.dictionary(fc.constantFrom("key", "label", "name", "type", "tool", "x"), tie("any")),
    ),
  })).any;

  test.each([...TEMPLATES].map(([name]) => name))("agree with the validation of %s", (name) => {
    const { schema, definitions } = TEMPLATES.get(name) as NonNullable<
      ReturnType<typeof TEMPLATES.get>
    >;
    const accepts = ajv.compile({ ...schema, $defs: definitions });
    const options = fc.dictionary(
      fc.oneof(fc.constantFrom(...Object.keys(schema.properties ?? {})), fc.constant("other")),
      value,
      { maxKeys: 2 },
    );
    fc.assert(
      fc.property(options, (config) => {
        const faults = [...checkOption(config, schema, "", { defs: definitions })];
        expect(faults.length === 0, JSON.stringify(faults)).toBe(accepts(config));
      }),
      { numRuns: 300 },
    );
  });

  test.each(Object.entries(BLOCK_SCHEMAS))(
    "agree with the validation of the block %s",
    (type, schema) => {
      const accepts = ajv.compile({ $ref: "#/$defs/block", $defs: BLOCK_DEFINITIONS });
      const names = Object.keys(schema.properties ?? {});
      const block = fc
        .dictionary(fc.constantFrom(...names), value, { maxKeys: 3 })
        .map((options) => ({ ...options, type }));
      fc.assert(
        fc.property(block, (given) => {
          const scope = { defs: BLOCK_DEFINITIONS };
          const faults = [...checkOption(given, { $ref: "#/$defs/block" }, "", scope)];
          expect(faults.length === 0, JSON.stringify(faults)).toBe(accepts(given));
        }),
        { numRuns: 100 },
      );
    },
  );
});

describe("a document of blocks", () => {
  test("is rejected if it's too deep or too large", () => {
    const nest = (depth: number): object =>
      depth === 0 ? { type: "text", text: "x" } : { type: "stack", blocks: [nest(depth - 1)] };
    expect(checkPage({ blocks: [nest(7)] })).toEqual([]);
    expect(checkPage({ blocks: [nest(8)] })).toEqual([expect.stringMatching(/nested too deeply/)]);
    expect(checkPage({ blocks: [nest(5000)] })).toHaveLength(1);
    const many = Array.from({ length: 201 }, () => ({ type: "text", text: "x" }));
    expect(checkPage({ blocks: many })).toEqual(["blocks has 201 blocks; the most is 200."]);
  });

  test("may only name the tools of its page, and safe addresses", () => {
    const blocks = [
      { type: "actions", actions: [{ label: "Go", tool: "wipe" }] },
      { type: "table", rowActions: [{ label: "Go", tool: "wipe" }] },
      { type: "actions", actions: [{ label: "Open", url: "javascript:alert(1)" }] },
      { type: "actions", actions: [{ label: "Both", url: "https://a.example", tool: "show" }] },
    ];
    expect(checkPage({ blocks }, { tools: ["show"] })).toEqual([
      'blocks[0].actions[0].tool is "wipe", which is not a tool of this page.',
      'blocks[1].rowActions[0].tool is "wipe", which is not a tool of this page.',
      expect.stringMatching(/^blocks\[2\]\.actions\[0\]\.url is "javascript/),
      'The action "Both" in blocks[3] needs exactly one of tool, url and message.',
    ]);
    expect(() => template("page", { blocks } as never)).toThrow(/url/);
  });
});
