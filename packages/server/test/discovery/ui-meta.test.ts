import { readFile } from "node:fs/promises";
import { Ajv2020 } from "ajv/dist/2020.js";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { readUiMeta } from "../../src/discovery/ui-meta.ts";

const schema = JSON.parse(
  await readFile(new URL("../../schema/ui-meta.schema.json", import.meta.url), "utf8"),
);

const FULL = {
  $schema: "https://vitrine.dev/schema/ui-meta.schema.json",
  name: "Weather",
  description: "Shows the weather.",
  template: "data-table",
  config: { columns: [{ key: "a" }] },
  entrypoint: "pages/weather.html",
  meta: {
    csp: {
      connectDomains: ["https://api.example.com", "wss://live.example.com"],
      resourceDomains: ["https://cdn.example.com"],
      frameDomains: [],
      baseUriDomains: [],
    },
    permissions: { camera: {}, microphone: {}, geolocation: {}, clipboardWrite: {} },
    prefersBorder: false,
    sandboxDomain: null,
    domain: "weather.example.com",
    preferredFrameSize: [800, "20rem"],
  },
};

describe("a ui.meta.json", () => {
  test("may have every field of the convention", () => {
    expect(readUiMeta(FULL)).toEqual({ meta: FULL, faults: [] });
  });

  test("is refused for a key that nobody knows, with the one that was meant", () => {
    const say = (value: unknown): string[] =>
      readUiMeta(value).faults.map(({ message }) => message);
    expect(say({ titel: 1, entrypont: "a.html" })).toEqual([
      expect.stringMatching(/^"titel" is not a key\. Choose from: .*template/),
      expect.stringMatching(/^"entrypont" is not a key\. Did you mean "entrypoint"\?/),
    ]);
    expect(say({ meta: { csp: { connectDomain: [] } } })).toEqual([
      expect.stringMatching(
        /^"connectDomain" is not a key of meta\.csp\. Did you mean "connectDomains"\?/,
      ),
    ]);
    expect(say({ meta: { permissions: { clipboard_write: {} } } })).toEqual([
      expect.stringMatching(/Did you mean "clipboardWrite"\?/),
    ]);
    expect(say(JSON.parse('{"__proto__": {}, "constructor": 1}'))).toEqual([
      expect.stringMatching(/^"__proto__" is not a key/),
      expect.stringMatching(/^"constructor" is not a key/),
    ]);
  });

  test.each([
    [[], /^the file is \[\] instead of an object/],
    [null, /^the file is null/],
    [
      { template: "datatable" },
      /^template is "datatable", which is not a template\. Did you mean "data-table"/,
    ],
    [
      { entrypoint: "../secret.html" },
      /^entrypoint is "\.\.\/secret\.html" instead of a path inside/,
    ],
    [{ entrypoint: "/etc/passwd" }, /^entrypoint is/],
    [{ entrypoint: "" }, /^entrypoint is ""/],
    [{ entrypoint: "a\\..\\..\\b.html" }, /^entrypoint is/],
    [
      { meta: { csp: { connectDomains: ["api.example.com"] } } },
      /connectDomains\[0\] is "api\.example\.com" instead of an origin with its scheme/,
    ],
    [{ meta: { csp: { connectDomains: "https://a.example.com" } } }, /instead of a list/],
    [{ meta: { prefersBorder: "yes" } }, /^meta\.prefersBorder is "yes" instead of true or false/],
    [
      { meta: { permissions: { camera: true } } },
      /^meta\.permissions\.camera is true instead of an object/,
    ],
    [{ meta: { preferredFrameSize: [800] } }, /such as \[800, 600\]/],
    [{ name: "x".repeat(201) }, /longer than 200/],
  ])("reports the mistake in %j", (value, message) => {
    const { faults, meta } = readUiMeta(value);
    expect(faults).toHaveLength(1);
    expect(faults[0]?.message).toMatch(message);
    expect(meta).toEqual({});
  });

  test("is judged as the schema for editors judges it", () => {
    const validate = new Ajv2020({ allErrors: false }).compile(schema);
    const key = fc.constantFrom(
      ...["name", "template", "config", "entrypoint", "meta", "csp", "permissions", "camera"],
      ...["connectDomains", "prefersBorder", "sandboxDomain", "preferredFrameSize", "domain", "x"],
    );
    const scalar = fc.oneof(
      fc.constantFrom<unknown>(
        null,
        true,
        0,
        800,
        -1,
        "",
        "a.html",
        "../a.html",
        "a/../b",
        "..",
        "c:\\x",
      ),
      fc.constantFrom(
        "https://a.example.com",
        "http://a.example.com",
        "https://a b",
        "form",
        "20rem",
        "1e9px",
      ),
      fc.constantFrom(
        "x".repeat(200),
        "x".repeat(201),
        "😀".repeat(200),
        "x".repeat(401),
        "a\n..",
        "\n../b",
      ),
    );
    const { value } = fc.letrec((tie) => ({
      value: fc.oneof(
        { depthSize: "small" },
        scalar,
        fc.array(tie("value"), { maxLength: 3 }),
        fc.dictionary(key, tie("value"), { maxKeys: 4 }),
      ),
    }));
    const nested = fc.oneof(
      value,
      fc.dictionary(key, value),
      fc.record({ meta: fc.dictionary(key, value) }),
      fc.record({ meta: fc.record({ csp: fc.dictionary(key, value) }) }),
      fc.record({ meta: fc.record({ permissions: fc.dictionary(key, value) }) }),
      // One field of a good file replaced.
      fc.tuple(key, value).map(([key, value]) => ({ ...FULL, [key]: value })),
      fc.tuple(key, value).map(([key, value]) => ({ meta: { ...FULL.meta, [key]: value } })),
    );
    fc.assert(
      fc.property(nested, (value) => {
        const { faults } = readUiMeta(value);
        expect(faults.length === 0, JSON.stringify(faults)).toBe(validate(value));
      }),
      { numRuns: 3000 },
    );
  });
});
