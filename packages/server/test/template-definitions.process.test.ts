import { isStyleVariable } from "@vitrine/protocol/apps";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import type { JsonSchema } from "../src/json-schema.ts";
import {
  dataTable,
  detail,
  fieldsFrom,
  form,
  gallery,
  progress,
  TEMPLATES,
  TemplateError,
  template,
} from "../src/templates/index.ts";

const json = (schema: z.ZodType): JsonSchema => z.toJSONSchema(schema) as JsonSchema;

describe("a template by its name", () => {
  test("is the page that its function makes", () => {
    const config = { title: "Orders", columns: [{ key: "a" }] };
    expect(template("data-table", config).html()).toBe(dataTable(config).html());
  });

  test("that does not exist is refused, and those that do are named", () => {
    expect(() => template("date-table")).toThrow(
      expect.objectContaining({
        code: "unknown-template",
        message: expect.stringMatching(/"date-table".*form, data-table, progress/),
      }),
    );
    expect(() => template("__proto__")).toThrow(TemplateError);
  });

  test.each([
    [
      { colums: [] },
      "unknown-option",
      /^Option "colums" of the template "data-table" is not an option\. Did you mean "columns"\? Choose from: .*pageSize/,
    ],
    [{ columns: {} }, "wrong-option", /"columns".* is an object instead of a list/],
    [{ filterable: "false" }, "wrong-option", /"filterable".* is "false" instead of true or false/],
    [{ title: null }, "wrong-option", /"title".* is null instead of text/],
    [{ columns: [{ label: "A" }] }, "wrong-option", /"columns\[0\]\.key".* is missing/],
    [
      { columns: [{ key: "a", format: "currency" }] },
      "wrong-option",
      /"columns\[0\]\.format".* is "currency"\. Did you mean "currency:EUR"\? Choose from: auto, text/,
    ],
    [{ pageSize: 0 }, "wrong-option", /"pageSize".* is 0, but the least is 1/],
    [
      { rowActions: [{ label: "Go", tool: "go", rowargs: {} }] },
      "unknown-option",
      /"rowActions\[0\]\.rowargs".* Did you mean "rowArgs"\?/,
    ],
  ])("refuses %j", (config, code, message) => {
    expect(() => template("data-table", config as never)).toThrow(
      expect.objectContaining({ code, message: expect.stringMatching(message) }),
    );
  });
});

describe.each([...TEMPLATES])("the page of %s", (name, make) => {
  const html = make({ title: "A <b>title</b>", labels: { empty: "</script><!--" } }).html();

  test("is one document without addresses, eval or other scripts", () => {
    expect(html).toMatch(/^<!doctype html>\n<html lang="en">/);
    expect(html).toContain("<title>A &lt;b&gt;title&lt;/b&gt;</title>");
    expect(html.match(/<script/g)).toHaveLength(2);
    expect(html.match(/<\/script/g)).toHaveLength(2);
    expect(html).not.toMatch(
      /\beval\(|new Function|import\(|blob:|<link|\bsrc="|@import|url\((?!#)/,
    );
    expect(html).not.toContain("<!--");
  });

  test("has a fallback for every variable that a Host may leave out (VEW-26)", () => {
    const bare = [...html.matchAll(/var\(\s*(--[\w-]+)\s*\)/g)].map(([, name]) => name);
    expect(bare.filter(isStyleVariable)).toEqual([]);
  });

  test("is the same each time, so that its address may be its hash", () => {
    expect(make({ title: "x" }).html()).toBe(make({ title: "x" }).html());
  });

  test("knows its own name", () => {
    expect(make.templateName).toBe(name);
  });
});

describe("text for the model", () => {
  test("of rows is a table with the columns' labels", () => {
    const view = dataTable({ title: "Orders", columns: [{ key: "nr", label: "Number" }] });
    const text = view.describe?.({ rows: [{ nr: 1 }, { nr: 2 }] }) ?? "";
    expect(text).toMatch(/Orders[\s\S]*Number[\s\S]*1[\s\S]*2/);
  });

  test("of a form names its fields", () => {
    const text = form({ fields: [{ name: "firstName", required: true }] }).describe?.(undefined);
    expect(text).toBe("A form for the user to fill in:\n- First name (text, required)");
  });

  test("of work contains its progress", () => {
    const { describe } = progress({ title: "Index" });
    expect(describe?.({ progress: 3, total: 4, message: "Reading" })).toBe(
      "Index: running, 75 % (Reading)",
    );
    expect(describe?.({ status: "failed", error: "Disk full" })).toBe("Index: failed (Disk full)");
    expect(describe?.({ answer: 42 })).toContain("42");
  });

  test("of an object lists its properties by their labels", () => {
    const text = detail({ fields: [{ key: "a", label: "First" }] }).describe?.({ a: 1, b: 2 });
    expect(text).toMatch(/First: 1/);
  });

  test("of images has captions and addresses, and no base64", () => {
    const images = [
      { src: "https://a.example/1.png", caption: "Ferry" },
      { data: "QUJD".repeat(1000), mimeType: "image/png", alt: "Crane" },
    ];
    const text = gallery().describe?.({ images }) ?? "";
    expect(text).toMatch(/Ferry[\s\S]*https:\/\/a\.example\/1\.png[\s\S]*Crane/);
    expect(text).not.toContain("QUJD");
  });

  test.each([undefined, null, 7, "text", [], {}, [null], { rows: [null, 1, [2]] }])(
    "of %j is text all the same",
    (data) => {
      for (const make of TEMPLATES.values()) expect(typeof make().describe?.(data)).toBe("string");
    },
  );
});

describe("what suits a schema", () => {
  const rows = json(z.object({ orders: z.array(z.object({ id: z.number(), day: z.iso.date() })) }));
  const images = json(
    z.object({ photos: z.array(z.object({ url: z.string(), alt: z.string() })) }),
  );
  const job = json(z.object({ percent: z.number(), status: z.string() }));
  const person = json(z.object({ name: z.string(), age: z.number() }));
  const best = (schema: JsonSchema): string | undefined =>
    [...TEMPLATES.values()]
      .filter(({ reads }) => reads === "output")
      .map((made) => ({ name: made.templateName, fit: made.fit(schema) }))
      .filter(({ fit }) => fit > 0)
      .sort((a, b) => b.fit - a.fit)[0]?.name;

  test("is a table for rows, a gallery for images, a bar for work, a card for one object", () => {
    expect(best(rows)).toBe("data-table");
    expect(best(images)).toBe("gallery");
    expect(best(job)).toBe("progress");
    expect(best(person)).toBe("detail");
    expect(best({})).toBeUndefined();
  });

  test("is never more than one, nor less than nothing", () => {
    for (const schema of [rows, images, job, person, {}, { type: "array" }, { $ref: "#" }]) {
      for (const { fit } of TEMPLATES.values()) {
        expect(fit(schema)).toBeGreaterThanOrEqual(0);
        expect(fit(schema)).toBeLessThanOrEqual(1);
      }
    }
  });

  test("comes with a config that the template takes", () => {
    expect(dataTable.configFor(rows)).toEqual({
      rowsKey: "orders",
      columns: [
        { key: "id", label: "ID" },
        { key: "day", label: "Day", format: "date" },
      ],
    });
    expect(gallery.configFor(images)).toEqual({ imagesKey: "photos" });
    expect(detail.configFor(person).fields?.map(({ key }) => key)).toEqual(["name", "age"]);
    expect(form.configFor(person).fields).toHaveLength(2);
    for (const make of TEMPLATES.values()) {
      for (const schema of [rows, images, job, person, {}]) {
        expect(make(make.configFor(schema)).html()).toContain("<main>");
      }
    }
  });

  test("a form reads what a tool takes, and suits plain fields best", () => {
    expect(form.reads).toBe("input");
    expect(form.fit(person)).toBeGreaterThan(form.fit(rows));
    expect(form.fit(json(z.object({})))).toBe(0);
  });
});

test("fields of a schema have its types, limits, choices and words", () => {
  const schema = json(
    z.object({
      mail: z.email().describe("Where to write"),
      count: z.int().min(1).max(9).default(2),
      price: z.number().optional(),
      kind: z.enum(["a", "b"]),
      day: z.iso.date(),
      story: z.string().max(5000),
      agreed: z.boolean(),
      names: z.array(z.string()),
      more: z.object({ x: z.number() }),
      maybe: z.string().nullable(),
    }),
  );
  const fields = fieldsFrom(schema);
  expect(fields.map(({ name, type, required }) => [name, type, required ?? false])).toEqual([
    ["mail", "email", true],
    ["count", "number", true],
    ["price", "number", false],
    ["kind", "select", true],
    ["day", "date", true],
    ["story", "textarea", true],
    ["agreed", "checkbox", false],
    ["names", "lines", true],
    ["more", "json", true],
    ["maybe", "text", true],
  ]);
  expect(fields[0]).toMatchObject({ label: "Mail", help: "Where to write" });
  expect(fields[1]).toMatchObject({ min: 1, max: 9, step: 1, default: 2 });
  expect(fields[3]?.options).toEqual([
    { value: "a", label: "a" },
    { value: "b", label: "b" },
  ]);
});

test("a gallery declares the origins of its images, and nothing without any", () => {
  expect(gallery({ imageDomains: ["https://a.example"] }).meta).toEqual({
    csp: { resourceDomains: ["https://a.example"] },
  });
  expect(gallery().meta).toBeUndefined();
});
