import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { MAP, PAGE, weather } from "./weather-app.ts";
import { type AnyClient, WIRES } from "./wires.ts";

const MIME = "text/html;profile=mcp-app";

describe.each(WIRES)("$title", ({ era, knows, open }) => {
  let client: AnyClient;
  beforeAll(async () => {
    client = await open();
  }, 30_000);
  afterAll(() => client.close());

  test("the server declares the extension (SRV-20)", () => {
    const said = client.getServerCapabilities() as { extensions?: object };
    expect(said.extensions).toEqual({ "io.modelcontextprotocol/ui": {} });
  });

  test("tools carry both keys, and who may use them (SRV-15, SRV-16)", async () => {
    const { tools } = await client.listTools();
    const metas = Object.fromEntries(tools.map(({ name, _meta }) => [name, _meta]));
    expect(metas).toEqual({
      "get-weather": { ui: { resourceUri: weather.uri }, "ui/resourceUri": weather.uri },
      "set-unit": { ui: { visibility: ["app"] } },
      "show-map": { ui: { resourceUri: MAP }, "ui/resourceUri": MAP },
    });
  });

  test("MIME type and metadata are on list entry and content, domains in their full form (SRV-02, SRV-06)", async () => {
    const { resources } = await client.listResources();
    const ui = {
      prefersBorder: true,
      csp: { connectDomains: ["https://api.example.com", "https://tiles.example.com"] },
    };
    expect(resources).toEqual([
      expect.objectContaining({ uri: weather.uri, mimeType: MIME, _meta: { ui } }),
      expect.objectContaining({
        uri: MAP,
        mimeType: MIME,
        _meta: { ui: { prefersBorder: false } },
      }),
    ]);
    const { contents } = await client.readResource({ uri: weather.uri });
    expect(contents).toEqual([{ uri: weather.uri, mimeType: MIME, text: PAGE, _meta: { ui } }]);
    const map = await client.readResource({ uri: MAP });
    expect(map.contents).toEqual([
      { uri: MAP, mimeType: MIME, text: PAGE, _meta: { ui: { prefersBorder: false } } },
    ]);
  });

  test("the alias is the newest version, and cache hints travel where the wire has words for them", async () => {
    const hashed = await client.readResource({ uri: weather.uri });
    const alias = await client.readResource({ uri: weather.alias });
    expect(alias.contents[0]).toEqual({ ...hashed.contents[0], uri: weather.alias });
    const hints = [hashed, alias].map(({ ttlMs, cacheScope }) => [ttlMs, cacheScope]);
    const year = 365 * 24 * 60 * 60 * 1_000;
    const none = [undefined, undefined];
    const expected = [
      [year, "public"],
      [60_000, "public"],
    ];
    expect(hints).toEqual(era === "modern" ? expected : [none, none]);
  });

  test("a result has text for the model, data for the View and what is for neither (SRV-19)", async () => {
    const result = await client.callTool({ name: "get-weather", arguments: { city: "Zürich" } });
    expect(result.structuredContent).toMatchObject({ city: "Zürich", celsius: 21 });
    const [block] = result.content as { text: string }[];
    expect(block?.text).toBe(
      [
        "# Weather",
        "- City: Zürich",
        "- Celsius: 21",
        "",
        "## Days",
        "| Day | High | Low |",
        "| --- | --- | --- |",
        "| D0 | 20 | 9 |",
        "| D1 | 21 | 9 |",
      ].join("\n"),
    );
    expect(block?.text).not.toContain("weather/ui");
  });

  test("a handler knows whether Views are shown, as far as it can be known (SRV-11)", async () => {
    const { _meta } = await client.callTool({ name: "get-weather", arguments: { city: "Rom" } });
    expect(_meta).toMatchObject({ "weather/ui": knows });
    const map = await client.callTool({ name: "show-map", arguments: { zoom: 3 } });
    const text = knows === "shown" ? "zoom 3, shown" : "zoom 3, text";
    expect(map.content).toEqual([{ type: "text", text }]);
  });

  test("a further tool answers the View that calls it", async () => {
    const result = await client.callTool({ name: "set-unit", arguments: { unit: "F" } });
    expect(result).toMatchObject({
      content: [{ type: "text", text: "Unit is now F" }],
      structuredContent: { unit: "F" },
    });
  });
});

// A process is slow to start: of stdio, one era is enough here.
const someWires = WIRES.filter(({ title, era }) => !title.includes("stdio") || era === "modern");

describe.each(someWires)("without the extension: $title", ({ knows, open }) => {
  test("lists are the same, and the text says it all (SRV-11, SRV-12, SRV-14)", async () => {
    const [plain, rich] = await Promise.all([open({ ui: false }), open()]);
    try {
      expect((await plain.listTools()).tools).toEqual((await rich.listTools()).tools);
      expect((await plain.listResources()).resources).toEqual(
        (await rich.listResources()).resources,
      );
      const result = await plain.callTool({ name: "get-weather", arguments: { city: "Bern" } });
      expect((result.content as { text: string }[])[0]?.text).toContain("- City: Bern");
      expect(result._meta).toMatchObject({ "weather/ui": knows === "shown" ? "none" : "unknown" });
    } finally {
      await Promise.all([plain.close(), rich.close()]);
    }
  }, 30_000);
});
