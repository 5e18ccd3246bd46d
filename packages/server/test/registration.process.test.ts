import { registerAppResource, registerAppTool } from "@vitrine/server";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { collected, SERVERS, unconnected } from "./in-memory.ts";

const MIME = "text/html;profile=mcp-app";
const URI = "ui://shop/cart.html";
const PAGE = "<!doctype html><title>Körbe</title>";
const page = () => ({ contents: [{ uri: URI, text: PAGE }] });
const quiet = { warn: () => {} };

function code(run: () => unknown): unknown {
  try {
    run();
  } catch (error) {
    return (error as { code: unknown }).code;
  }
  return undefined;
}

describe("the address of a View", () => {
  const register = (uri: unknown) => () =>
    registerAppResource(unconnected(), "Cart", uri as string, {}, page, quiet);

  test.each([
    "https://shop.example/cart.html",
    "ui:/cart",
    "ui:cart",
    "ui://",
    "UI://shop/cart.html",
    "Ui://shop/cart.html",
    " ui://shop/cart.html",
    "ui://shop/a b",
    "ui://shop/../cart.html",
    "ui:///cart.html",
    "",
    7,
    undefined,
  ])("is refused as %j, in words that say what to write (SRV-01)", (uri) => {
    expect(register(uri)).toThrow(/ui:\/\/weather\/view\.html/);
    expect(code(register(uri))).toBe("not-ui-uri");
    const _meta = { ui: { resourceUri: uri as string } };
    if (uri === undefined) return;
    const tool = () => registerAppTool(unconnected(), "t", { _meta }, () => ({ text: "a" }));
    expect(code(tool)).toBe("not-ui-uri");
  });

  test.each(["ui://shop/cart.html", "ui://Shop", "ui://shop/a/b?v=1#x", "ui://shop/k%C3%B6rbe"])(
    "is taken as %j, which a client reads by the same letters (SRV-01)",
    async (uri) => {
      for (const { connect } of SERVERS) {
        const client = await connect((server) => {
          registerAppResource(
            server,
            "Cart",
            uri,
            {},
            () => ({ contents: [{ uri, text: PAGE }] }),
            quiet,
          );
        });
        const { contents } = await client.readResource({ uri });
        expect(contents).toEqual([{ uri, mimeType: MIME, text: PAGE }]);
        await client.close();
      }
    },
  );
});

describe.each(SERVERS)("$title", ({ connect }) => {
  test("the MIME type is exact on entry and item, whether or not it was said (SRV-02)", async () => {
    const said = [undefined, MIME, 'Text/HTML; profile="mcp-app"'];
    const client = await connect((server) => {
      for (const [at, mimeType] of said.entries()) {
        const uri = `ui://shop/${at}`;
        const type = mimeType === undefined ? {} : { mimeType };
        const read = () => ({ contents: [{ text: PAGE, ...type }] });
        registerAppResource(server, `${at}`, uri, type, read, quiet);
      }
    });
    const { resources } = await client.listResources();
    expect(resources.map(({ mimeType }) => mimeType)).toEqual([MIME, MIME, MIME]);
    for (const { uri } of resources) {
      const { contents } = await client.readResource({ uri });
      expect(contents).toEqual([{ uri, mimeType: MIME, text: PAGE }]);
    }
  });

  test("another MIME type is refused, on the entry at once and on the item when it is read (SRV-02)", async () => {
    const other = { mimeType: "text/html" };
    expect(code(() => registerAppResource(unconnected(), "C", URI, other, page))).toBe(
      "wrong-mime-type",
    );
    const client = await connect((server) => {
      const read = () => ({ contents: [{ uri: URI, text: PAGE, ...other }] });
      registerAppResource(server, "Cart", URI, {}, read, quiet);
    });
    await expect(client.readResource({ uri: URI })).rejects.toThrow(/"text\/html" is not the MIME/);
  });

  test("base64 is delivered as it is, and holds UTF-8 (SRV-03)", async () => {
    const blob = Buffer.from(PAGE, "utf8").toString("base64");
    const client = await connect((server) => {
      const read = () => ({ contents: [{ uri: URI, blob }] });
      registerAppResource(server, "Cart", URI, {}, read, quiet);
    });
    const { contents } = await client.readResource({ uri: URI });
    expect(contents).toEqual([{ uri: URI, mimeType: MIME, blob }]);
  });

  test.each([
    ["nothing", { contents: [] }],
    ["no text", { contents: [{ uri: URI }] }],
    ["empty text", { contents: [{ uri: URI, text: "" }] }],
    ["text and blob", { contents: [{ uri: URI, text: PAGE, blob: "PCE=" }] }],
    ["invalid base64", { contents: [{ uri: URI, blob: "<!doctype html>" }] }],
    ["base64 of Latin-1", { contents: [{ uri: URI, blob: btoa(PAGE) }] }],
    ["another resource", { contents: [{ uri: "ui://shop/other", text: PAGE }] }],
    [
      "two of one address",
      {
        contents: [
          { uri: URI, text: PAGE },
          { uri: URI, text: PAGE },
        ],
      },
    ],
  ])("%s is refused when it is read (SRV-03)", async (_what, result) => {
    const client = await connect((server) => {
      registerAppResource(server, "Cart", URI, {}, () => result, quiet);
    });
    await expect(client.readResource({ uri: URI })).rejects.toThrow("SRV-03");
  });

  test("a fragment is delivered with a warning, and refused where reading is strict (SRV-04)", async () => {
    const { warnings, warn } = collected();
    const client = await connect((server) => {
      for (const strict of [false, true]) {
        const uri = `ui://shop/${strict}`;
        const read = () => ({ contents: [{ uri, text: "<p>Hello" }] });
        registerAppResource(server, uri, uri, {}, read, { strict, warn });
      }
    });
    await client.readResource({ uri: "ui://shop/false" });
    expect(warnings).toContainEqual({
      code: "not-html",
      about: "ui://shop/false",
      message: expect.stringContaining("<!doctype html>"),
    });
    await expect(client.readResource({ uri: "ui://shop/true" })).rejects.toThrow("SRV-04");
  });

  test("metadata of an item overrides the entry's, and both are validated (SRV-06, SRV-07)", async () => {
    const listed = { csp: { connectDomains: ["api.example.com"] }, prefersBorder: true };
    const own = { ui: { csp: { connectDomains: ["https://OTHER.example.com"] } }, x: 1 };
    const client = await connect((server) => {
      const read = () => ({ contents: [{ uri: URI, text: PAGE, _meta: own }] });
      registerAppResource(server, "Cart", URI, { _meta: { ui: listed, y: 2 } }, read);
    });
    const { resources } = await client.listResources();
    expect(resources[0]?._meta).toEqual({
      ui: { csp: { connectDomains: ["https://api.example.com"] }, prefersBorder: true },
      y: 2,
    });
    const { contents } = await client.readResource({ uri: URI });
    expect(contents[0]?._meta).toEqual({
      ui: { csp: { connectDomains: ["https://other.example.com"] } },
      x: 1,
    });
  });

  test("a domain that no host would grant fails when it is read, if only the item names it", async () => {
    const _meta = { ui: { csp: { connectDomains: ["*"] } } };
    const client = await connect((server) => {
      const read = () => ({ contents: [{ uri: URI, text: PAGE, _meta }] });
      registerAppResource(server, "Cart", URI, {}, read, quiet);
    });
    await expect(client.readResource({ uri: URI })).rejects.toThrow("would allow every server");
  });

  test("either key alone becomes both, and other metadata stays (SRV-16)", async () => {
    const client = await connect((server) => {
      registerAppResource(server, "Cart", URI, {}, page, quiet);
      const _meta = { "ui/resourceUri": URI, mine: 1 };
      registerAppTool(server, "old", { _meta }, () => ({ text: "a" }));
      const nested = { ui: { resourceUri: URI }, mine: 1 };
      registerAppTool(server, "new", { _meta: nested }, () => ({ text: "a" }));
    });
    const { tools } = await client.listTools();
    const both = { ui: { resourceUri: URI }, "ui/resourceUri": URI, mine: 1 };
    expect(tools.map(({ _meta }) => _meta)).toEqual([both, both]);
  });

  test("a tool without input gets the context, one with input its arguments", async () => {
    const client = await connect((server) => {
      const tool = (name: string, inputSchema: object, callback: unknown): void => {
        registerAppTool(server, name, { ...inputSchema, _meta: {} }, callback as never);
      };
      tool("none", {}, (context: object, more: unknown) => ({
        content: [{ type: "text", text: `${typeof context}, ${more}` }],
      }));
      tool("some", { inputSchema: z.object({ a: z.number() }) }, ({ a }: { a: number }) => ({
        content: [{ type: "text", text: `${a + 1}` }],
      }));
    });
    expect(await client.callTool({ name: "none" })).toMatchObject({
      content: [{ text: "object, undefined" }],
    });
    expect(await client.callTool({ name: "some", arguments: { a: 1 } })).toMatchObject({
      content: [{ text: "2" }],
    });
  });

  test("a View that is in no list can be read all the same (SRV-10)", async () => {
    const client = await connect((server) => {
      const registered = registerAppResource(server, "Cart", URI, {}, page, quiet);
      registerAppTool(server, "t", { _meta: { ui: { resourceUri: URI } } }, () => ({ text: "a" }));
      // What a template serves is not listed: that is how the SDK leaves something out.
      (registered as { remove(): void }).remove();
      const uriTemplate = {
        match: (uri: string) => (uri === URI ? {} : null),
        toString: () => URI,
      };
      (server as { registerResource(...args: unknown[]): void }).registerResource(
        "Cart",
        { uriTemplate, listCallback: undefined, completeCallback: () => undefined },
        {},
        page,
      );
    });
    expect((await client.listResources()).resources).toEqual([]);
    expect((await client.readResource({ uri: URI })).contents[0]).toMatchObject({ text: PAGE });
  });
});

describe("a tool's metadata", () => {
  const register = (ui: object, flat?: string) => () =>
    registerAppTool(
      unconnected(),
      "show",
      { _meta: { ui, ...(flat && { "ui/resourceUri": flat }) } },
      () => ({ text: "a" }),
    );

  test.each([{ csp: { connectDomains: [] } }, { permissions: { camera: {} } }, { csp: {} }])(
    "must not hold %j, which hosts ignore there (SRV-17)",
    (policy) => {
      const run = register({ resourceUri: URI, ...policy });
      expect(code(run)).toBe("policy-on-tool");
      expect(run).toThrow(/Tool "show" declares (csp|permissions)/);
    },
  );

  test.each([[[]], [["models"]], [["model", 7]], ["model"], [null]])(
    "has no visibility %j (SRV-15)",
    (visibility) => {
      expect(code(register({ resourceUri: URI, visibility }))).toBe("bad-visibility");
    },
  );

  test("has visibility in one order, once each, and none when none was given (SRV-15)", () => {
    const registered = register({ visibility: ["app", "model", "app"] })();
    expect(registered._meta).toEqual({ ui: { visibility: ["model", "app"] } });
    expect(register({})()._meta).toEqual({ ui: {} });
  });

  test("must not name two Views", () => {
    expect(code(register({ resourceUri: URI }, "ui://shop/other"))).toBe("two-resources");
    expect(code(register({ resourceUri: URI }, URI))).toBeUndefined();
  });

  test("has to be an object", () => {
    expect(code(register("ui://x" as never))).toBe("bad-metadata");
  });
});

describe("a resource's metadata", () => {
  const register = (ui: object, options = {}) => {
    const { warnings, warn } = collected();
    const server = unconnected();
    const registered = registerAppResource(server, "Cart", URI, { _meta: { ui } }, page, {
      warn,
      ...options,
    });
    return { warnings, ui: registered.metadata?._meta?.ui };
  };

  test("is warned of when it does not say prefersBorder, and not when it does (SRV-09)", () => {
    expect(register({}).warnings).toEqual([
      { code: "border-unsaid", about: URI, message: expect.stringContaining("true or false") },
    ]);
    expect(register({ prefersBorder: false }).warnings).toEqual([]);
  });

  test.each([
    [{ connectDomains: ["*"] }, "would allow every server"],
    [{ connectDomains: ["http://api.example.com"] }, "is not encrypted"],
    [{ connectDomains: ["http://localhost:3000"] }, "SRV"],
    [{ resourceDomains: ["'self'"] }, "keyword"],
    [{ resourceDomains: ["https://cdn.example.com/lib.js"] }, "has a path"],
    [{ resourceDomains: ["a.example.com; script-src *"] }, "invisible"],
    [{ frameDomains: ["data:"] }, "has no host"],
    [{ scriptDomains: ["https://a.example.com"] }, "isn't a list of the specification"],
    [{ connectDomains: ["https://printer.local"] }, "isn't on the public internet"],
  ])("refuses csp %j at the start, with the reason", (csp, reason) => {
    const run = () => register({ csp });
    expect(code(run)).toBe("refused-declaration");
    expect(run).toThrow(reason === "SRV" ? "dev accepts http://localhost" : reason);
  });

  test("takes loopback in development and the zones of an operator, where the options say so", () => {
    const csp = { connectDomains: ["http://localhost:3000", "https://printer.corp"] };
    const { ui } = register({ csp }, { dev: true, internalDomains: ["corp"] });
    expect(ui).toEqual({ csp });
  });

  test("takes what hosts grant only on consent, and writes each domain once and in full", () => {
    const { ui } = register({
      csp: {
        frameDomains: ["https://www.youtube.com"],
        resourceDomains: ["*.Example.com", "https://*.example.com/", "cdn.example.org:443"],
        connectDomains: [],
      },
      permissions: { camera: {} },
    });
    expect(ui).toEqual({
      csp: {
        frameDomains: ["https://www.youtube.com"],
        resourceDomains: ["https://*.example.com", "https://cdn.example.org"],
      },
      permissions: { camera: {} },
    });
  });

  test.each([
    [{ csp: [] }, "bad-metadata"],
    [{ permissions: { midi: {} } }, "refused-declaration"],
    [{ permissions: { camera: true } }, "bad-metadata"],
    [{ prefersBorder: "yes" }, "bad-metadata"],
    [{ domain: "https://a.example/" }, "bad-domain"],
    [{ domain: "localhost" }, "bad-domain"],
  ])("refuses %j as %s", (ui, expected) => {
    expect(code(() => register(ui))).toBe(expected);
  });
});
