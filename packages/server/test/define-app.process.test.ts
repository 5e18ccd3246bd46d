import { createHash } from "node:crypto";
import { McpServer } from "@modelcontextprotocol/server";
import { claudeDomain, defineApp, type ServerWarning } from "@vitrine/server";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { collected, SERVERS } from "./in-memory.ts";

const PAGE = "<!doctype html><title>Uhr – ⏰</title>";
const MIME = "text/html;profile=mcp-app";
const tool = { handler: () => ({ text: "noon" }) };
const handler = () => ({ text: "The clock stopped", isError: true as const });
const base = { name: "clock", tool, view: PAGE, prefersBorder: false };

function codeOf(run: () => unknown): unknown {
  try {
    run();
    return undefined;
  } catch (error) {
    return (error as { code: unknown }).code;
  }
}

describe("a definition", () => {
  test.each([
    ["a name that cannot stand in an address", { name: "my clock" }, "bad-app-name"],
    ["no name", { name: "" }, "bad-app-name"],
    ["a domain no host would grant", { csp: { connectDomains: ["*"] } }, "refused-declaration"],
    ["a permission there is not", { permissions: { usb: {} } }, "refused-declaration"],
    ["a domain with a path", { domain: "https://a.example/x" }, "bad-domain"],
    ["a wrong domain of a host", { domain: { chatgpt: "http://a.example" } }, "bad-domain"],
    ["a time that is none", { cache: { ttlMs: -1 } }, "bad-cache"],
    ["a scope that is none", { cache: { cacheScope: "all" } }, "bad-cache"],
  ])("with %s throws at once", (_what, wrong, code) => {
    expect(codeOf(() => defineApp({ ...base, ...(wrong as object) }))).toBe(code);
  });

  test("with a fragment for a View throws when it is registered (SRV-04)", () => {
    const app = defineApp({ ...base, view: "<p>Hello" });
    expect(codeOf(() => app.register(new McpServer({ name: "s", version: "1" })))).toBe("not-html");
    expect(codeOf(() => app.uri)).toBe("not-html");
  });

  test("lets several tools open its View, which the model may call too", async () => {
    const app = defineApp({
      ...base,
      tools: { alarm: { opens: true, ...tool }, tick: tool },
    });
    const client = await SERVERS[0]?.connect((server) => app.register(server));
    const { tools = [] } = (await client?.listTools()) ?? {};
    const metas = Object.fromEntries(tools.map(({ name, _meta }) => [name, _meta?.ui]));
    expect(metas).toEqual({
      clock: { resourceUri: app.uri },
      alarm: { resourceUri: app.uri },
      tick: { visibility: ["app"] },
    });
    await client?.close();
  });

  test("is registered on as many servers as are built, and reads its View once", () => {
    let reads = 0;
    const html = (): string => {
      reads++;
      return PAGE;
    };
    const app = defineApp({ ...base, view: { html } });
    expect(reads).toBe(0);
    for (let at = 0; at < 3; at++) {
      const server = new McpServer({ name: "s", version: "1" });
      expect(app.register(server)).toBe(server);
    }
    expect(reads).toBe(1);
  });

  test("overrides metadata of its source, and keeps the rest", async () => {
    const source = {
      html: () => PAGE,
      meta: { prefersBorder: true, csp: { connectDomains: ["a.example.com"] } },
      describe: (data: unknown) => `It is ${(data as { hour: number }).hour} o'clock`,
    };
    const app = defineApp({
      name: "clock",
      tool: {
        outputSchema: z.object({ hour: z.number() }),
        handler: () => ({ data: { hour: 12 } }),
      },
      view: source,
      csp: { resourceDomains: ["cdn.example.com"] },
    });
    for (const { connect } of SERVERS) {
      const client = await connect((server) => app.register(server));
      const { resources } = await client.listResources();
      expect(resources[0]?._meta).toEqual({
        ui: { prefersBorder: true, csp: { resourceDomains: ["https://cdn.example.com"] } },
      });
      const { content } = await client.callTool({ name: "clock" });
      expect(content).toEqual([{ type: "text", text: "It is 12 o'clock" }]);
    }
  });
});

describe.each(SERVERS)("$title", ({ connect }) => {
  test("text and base64 of a View are the same document (SRV-03)", async () => {
    const [text, blob] = await Promise.all(
      (["text", "blob"] as const).map(async (encoding) => {
        const app = defineApp({ ...base, encoding });
        const client = await connect((server) => app.register(server));
        const { contents } = await client.readResource({ uri: app.uri });
        expect(contents[0]).toMatchObject({ uri: app.uri, mimeType: MIME });
        return contents[0] as { text?: string; blob?: string };
      }),
    );
    expect(text?.text).toBe(PAGE);
    expect(Buffer.from(blob?.blob ?? "", "base64").toString("utf8")).toBe(PAGE);
    expect(blob).not.toHaveProperty("text");
  });

  test("a domain is sent if it was given, and otherwise none (SRV-08)", async () => {
    const endpoint = "https://mcp.example.com/mcp";
    for (const domain of [undefined, claudeDomain(endpoint)]) {
      const app = defineApp({ ...base, ...(domain && { domain }) });
      const client = await connect((server) => app.register(server));
      const { contents } = await client.readResource({ uri: app.uri });
      const ui = { prefersBorder: false, ...(domain && { domain }) };
      expect(contents[0]?._meta).toEqual({ ui });
    }
  });

  test("a domain for each host is in what that host reads, and in no list", async () => {
    const domain = { claude: "0123.claudemcpcontent.com", chatgpt: "https://acme.com" };
    for (const [name, expected] of [
      ["claude-ai", domain.claude],
      ["Anthropic/ClaudeAI", domain.claude],
      ["openai-mcp", domain.chatgpt],
      ["another", undefined],
    ] as const) {
      const app = defineApp({ ...base, domain });
      const client = await connect((server) => app.register(server), { name });
      const ui = { prefersBorder: false, ...(expected && { domain: expected }) };
      for (const uri of [app.uri, app.alias]) {
        const { contents } = await client.readResource({ uri });
        expect(contents[0]?._meta).toEqual({ ui });
      }
      const { resources } = await client.listResources();
      expect(JSON.stringify(resources)).not.toContain("domain");
      await client.close();
    }
  });

  test("a function chooses the domain, and a wrong one fails the read instead of being sent", async () => {
    const domain = (client?: { name: string }) =>
      client?.name === "careless" ? "javascript:alert(1)" : `${client?.name}.example.com`;
    const app = defineApp({ ...base, domain });
    const careful = await connect((server) => app.register(server), { name: "careful" });
    const { contents } = await careful.readResource({ uri: app.uri });
    expect(contents[0]?._meta?.ui).toMatchObject({ domain: "careful.example.com" });
    const careless = await connect((server) => app.register(server), { name: "careless" });
    await expect(careless.readResource({ uri: app.uri })).rejects.toThrow();
  });

  test("each result that opens the View has a viewUUID of its own, unless its author chose one", async () => {
    const chosen = { handler: () => ({ text: "noon", private: { viewUUID: "mine", key: 1 } }) };
    const app = defineApp({
      ...base,
      tools: { chosen: { opens: true, ...chosen }, failed: { opens: true, handler }, tick: tool },
    });
    const client = await connect((server) => app.register(server));
    const idOf = async (name: string) => {
      const { _meta } = await client.callTool({ name });
      return _meta?.viewUUID;
    };
    const ids = [await idOf("clock"), await idOf("clock"), await idOf("failed")];
    expect(new Set(ids).size).toBe(3);
    for (const id of ids) expect(id).toMatch(/^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/);
    expect(await idOf("chosen")).toBe("mine");
    // It doesn't open a View, so no View has to find its state.
    expect(await idOf("tick")).toBeUndefined();
  });

  test("tools for the View alone are so unless they say otherwise", async () => {
    const app = defineApp({
      ...base,
      visibility: ["model"],
      tools: { mine: tool, both: { ...tool, visibility: ["model", "app"] } },
    });
    const client = await connect((server) => app.register(server));
    const { tools } = await client.listTools();
    expect(tools.map(({ name, _meta }) => [name, (_meta?.ui as object) ?? {}])).toEqual([
      ["clock", { resourceUri: app.uri, visibility: ["model"] }],
      ["mine", { visibility: ["app"] }],
      ["both", { visibility: ["model", "app"] }],
    ]);
  });

  test("two apps are on one server", async () => {
    const apps = ["one", "two"].map((name) => defineApp({ ...base, name }));
    const client = await connect((server) => {
      for (const app of apps) app.register(server);
    });
    for (const { uri, alias } of apps) {
      expect((await client.readResource({ uri })).contents).toHaveLength(1);
      expect((await client.readResource({ uri: alias })).contents).toHaveLength(1);
    }
  });
});

describe("the domain in Claude", () => {
  test("is of the endpoint's exact letters (SRV-08)", () => {
    const endpoint = "https://mcp.example.com/mcp";
    const hash = createHash("sha256").update(endpoint).digest("hex");
    expect(claudeDomain(endpoint)).toBe(`${hash.slice(0, 32)}.claudemcpcontent.com`);
    expect(claudeDomain(`${endpoint}/`)).not.toBe(claudeDomain(endpoint));
  });

  test.each(["mcp.example.com/mcp", "", "ui://a/b", "stdio:server"])("is refused for %j", (url) => {
    expect(codeOf(() => claudeDomain(url))).toBe("bad-endpoint");
  });
});

describe("what a View loads from", () => {
  const warned = (body: string, csp: object = {}): ServerWarning[] => {
    const { warnings, warn } = collected();
    const view = `<!doctype html>${body}`;
    void defineApp({ ...base, view, csp, warn }).uri;
    return warnings;
  };

  test.each([
    [
      '<script src="https://cdn.example.com/a.js"></script>',
      "https://cdn.example.com in resourceDomains",
    ],
    [
      '<link rel="stylesheet" href="https://cdn.example.com/a.css">',
      "https://cdn.example.com in resourceDomains",
    ],
    [
      '<script>fetch("https://api.example.com/x")</script>',
      "https://api.example.com in connectDomains",
    ],
    [
      "<script>new WebSocket(`wss://live.example.com`)</script>",
      "wss://live.example.com in connectDomains",
    ],
    [
      '<script type=module>import x from "https://esm.example.com/x"</script>',
      "https://esm.example.com in resourceDomains",
    ],
    [
      "<style>a{background:url(https://img.example.com/a.png)}</style>",
      "https://img.example.com in resourceDomains",
    ],
    [
      '<iframe src="https://www.example.com/embed"></iframe>',
      "https://www.example.com in frameDomains",
    ],
    ['<script src="http://localhost:5173/@vite/client"></script>', "http://localhost:5173"],
  ])("is warned of unless it is declared: %s (SRV-18)", (body, missing) => {
    expect(warned(body)).toEqual([
      {
        code: "origin-undeclared",
        about: "ui://clock/view.html",
        message: expect.stringContaining(missing),
      },
    ]);
  });

  test("is not warned of where it is declared, is a link, or is in the page (SRV-18)", () => {
    expect(
      warned('<script src="https://a.example.com/a.js"></script>', {
        resourceDomains: ["*.example.com"],
      }),
    ).toEqual([]);
    expect(
      warned(
        '<a href="https://docs.example.com">docs</a><img src="data:image/png;base64,AA=="><svg xmlns="http://www.w3.org/2000/svg"/>',
      ),
    ).toEqual([]);
  });
});
