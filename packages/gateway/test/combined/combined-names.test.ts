import { describe, expect, it } from "vitest";
import { combinedUri, ownUri, parseUri } from "../../src/policy/combined/addresses.ts";
import { combinedName, parseName, prefixOf } from "../../src/policy/combined/combined-names.ts";
import { combinedResult, combinedTool, SOURCE_KEY } from "../../src/policy/combined/rewriting.ts";

const FITS = /^[A-Za-z0-9_-]{1,64}$/;

describe("names at the combined endpoint", () => {
  it("are the server and the tool where that fits", () => {
    expect(combinedName("weather", "get_forecast")).toBe("weather__get_forecast");
    expect(parseName("weather__get_forecast")).toEqual({ prefix: "weather", name: "get_forecast" });
    expect(parseName("a___b")).toEqual({ prefix: "a", name: "_b" });
  });

  it("are shortened and get a hash where they are too long or have other characters", () => {
    expect(combinedName("weather", "get.forecast")).toBe("weather__get_forecast__1049828cf023");
    const long = combinedName("weather", "x".repeat(200));
    expect([long.length, FITS.test(long)]).toEqual([64, true]);
    expect(parseName(long)).toEqual({ prefix: "weather", name: undefined });
    expect(parseName("no-prefix")).toBeUndefined();
    expect(parseName(`a__${"b".repeat(80)}`)).toBeUndefined();
  });

  it("never have the name of another tool, whatever ids and names are chosen", () => {
    // Few characters, so that separators, hashes and prefixes occur at every place.
    const random = seeded(7);
    const pick = (characters: string, most: number): string =>
      Array.from({ length: Math.floor(random() * (most + 1)) }, () =>
        characters.charAt(Math.floor(random() * characters.length)),
      ).join("");
    const owners = new Map<string, string>();
    for (let round = 0; round < 5000; round++) {
      const server = `s${pick("a_.-", 6)}${random() < 0.1 ? "b".repeat(50) : ""}`;
      const before = [...owners.keys()].at(-1) ?? "";
      // Also names that look like the name of another tool.
      const name = random() < 0.2 ? before.slice(Math.floor(random() * 8)) : pick("a_.0é-", 70);
      const combined = combinedName(server, name);
      expect(combined).toMatch(FITS);
      const owner = JSON.stringify([server, name]);
      expect(owners.get(combined) ?? owner).toBe(owner);
      owners.set(combined, owner);
      const parsed = parseName(combined);
      expect(parsed?.prefix).toBe(prefixOf(server));
      expect(parsed?.name ?? name).toBe(name);
      if (round % 500 === 0) owners.clear();
    }
  });
});

describe("addresses at the combined endpoint", () => {
  it.each([
    ["ui://board/view.html", "ui://kitchen/board/view.html"],
    ["file:///notes/a.txt", "vitrine://kitchen/file:///notes/a.txt"],
    ["file:///{path}?x#y", "vitrine://kitchen/file:///{path}?x#y"],
    ["https://example.com/a", "vitrine://kitchen/https://example.com/a"],
    // A hostile server's imitation of another server's address stays below its own name.
    ["ui://garden/board/view.html", "ui://kitchen/garden/board/view.html"],
    ["vitrine://garden/file:///a", "vitrine://kitchen/vitrine://garden/file:///a"],
    ["", "vitrine://kitchen/"],
  ])("%s becomes %s and back", (uri, combined) => {
    expect(combinedUri("kitchen", uri)).toBe(combined);
    expect(parseUri(combined)).toEqual({ prefix: "kitchen", uri });
  });

  it("without a server, or of a view under another scheme, lead nowhere", () => {
    for (const uri of [
      "file:///a",
      "ui://kitchen",
      "vitrine://kitchen/ui://board",
      "vitrine:///a",
    ]) {
      expect(parseUri(uri)).toBeUndefined();
    }
  });

  it("are read by a view only below its own server", () => {
    expect(ownUri("kitchen", "vitrine://kitchen/board://notes")).toBe("board://notes");
    expect(ownUri("kitchen", "vitrine://garden/board://notes")).toBe(
      "vitrine://garden/board://notes",
    );
  });
});

describe("entries of the combined endpoint", () => {
  it("name their server, whatever the server claims", () => {
    const tool = {
      name: "show",
      _meta: {
        ui: { resourceUri: "ui://board/view.html", visibility: ["model"] },
        [SOURCE_KEY]: { server: "bank", name: "pay" },
      },
    };
    expect(combinedTool("kitchen", tool)).toEqual({
      name: "kitchen__show",
      _meta: {
        ui: { resourceUri: "ui://kitchen/board/view.html", visibility: ["model"] },
        [SOURCE_KEY]: { server: "kitchen", name: "show", resource: "ui://board/view.html" },
      },
    });
  });

  it("survive members of any type", () => {
    for (const _meta of [null, 1, [], { ui: 1 }, { ui: { resourceUri: 1 } }]) {
      expect(combinedTool("kitchen", { name: "show", _meta }).name).toBe("kitchen__show");
    }
    for (const result of [null, 1, {}, { content: [null, 1, { type: "resource" }], _meta: 1 }]) {
      expect(combinedResult("kitchen", "tools/call", result)).toEqual(result);
    }
  });

  it("have links that can be read, and links to web pages as they were", () => {
    const result = {
      content: [
        { type: "resource_link", uri: "board://notes", name: "notes" },
        { type: "resource_link", uri: "https://example.com/", name: "a page" },
        { type: "resource", resource: { uri: "board://notes", text: "milk" } },
        { type: "text", text: "board://notes" },
      ],
    };
    const { content } = combinedResult("kitchen", "tools/call", result) as typeof result;
    expect(content.map(({ uri, resource }) => uri ?? resource?.uri)).toEqual([
      "vitrine://kitchen/board://notes",
      "https://example.com/",
      "vitrine://kitchen/board://notes",
      undefined,
    ]);
  });
});

function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
    return state / 2 ** 31;
  };
}
