import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createMcpHandler, McpServer } from "@modelcontextprotocol/server";
import {
  type AppDefinition,
  defineApp,
  memoryVersions,
  type StoredView,
  type ViewVersions,
} from "@vitrine/server";
import { describe, expect, onTestFinished, test } from "vitest";
import { collected, SERVERS } from "./in-memory.ts";
import { listen } from "./wires.ts";

const page = (text: string): string => `<!doctype html><title>${text}</title>`;
const tool = { handler: () => ({ text: "noon" }) };

function clock(text: string, options: object = {}): AppDefinition {
  return defineApp({ name: "clock", tool, view: page(text), prefersBorder: true, ...options });
}

describe("the address of a version", () => {
  test("is made of the content and of what it declares", () => {
    const uris = [
      clock("a"),
      clock("b"),
      clock("a", { prefersBorder: false }),
      clock("a", { csp: { connectDomains: ["https://api.example.com"] } }),
    ].map(({ uri }) => uri);
    expect(new Set(uris).size).toBe(4);
    for (const uri of uris) expect(uri).toMatch(/^ui:\/\/clock\/view\.[0-9a-f]{16}\.html$/);
    expect(clock("a").uri).toBe(uris[0]);
    expect(clock("a", { csp: { connectDomains: ["API.example.com"] } }).uri).toBe(uris[3]);
    expect(clock("a").alias).toBe("ui://clock/view.html");
  });
});

describe.each(SERVERS)("$title", ({ connect }) => {
  const read = async (app: AppDefinition, ...uris: string[]): Promise<(string | undefined)[]> => {
    const client = await connect((server) => app.register(server));
    const texts = uris.map(async (uri) => {
      const { contents } = await client.readResource({ uri });
      expect(contents[0]?.uri).toBe(uri);
      return (contents[0] as { text?: string }).text;
    });
    return Promise.all(texts);
  };

  test("an older version is still served unchanged, and only the newest is listed (SRV-10)", async () => {
    const versions = memoryVersions();
    const older = clock("a", { versions, csp: { connectDomains: ["https://old.example.com"] } });
    const client = await connect((server) => older.register(server));
    expect((await client.listResources()).resources).toHaveLength(1);
    const newer = clock("b", { versions });
    expect(await read(newer, older.uri, newer.uri, newer.alias)).toEqual([
      page("a"),
      page("b"),
      page("b"),
    ]);
    const later = await connect((server) => newer.register(server));
    const { resources } = await later.listResources();
    expect(resources.map(({ uri }) => uri)).toEqual([newer.uri]);
    const { contents } = await later.readResource({ uri: older.uri });
    expect(contents[0]?._meta).toMatchObject({
      ui: { csp: { connectDomains: ["https://old.example.com"] } },
    });
  });

  test("older versions may be given at the start", async () => {
    const meta = { prefersBorder: false };
    const previous = [page("a"), { html: () => page("b"), meta }];
    const newer = clock("c", { previous });
    const older = [clock("a").uri, clock("b", meta).uri];
    expect(await read(newer, ...older)).toEqual([page("a"), page("b")]);
  });

  test("one that nobody kept is answered with the newest, or refused with its address", async () => {
    const gone = clock("gone").uri;
    const { warnings, warn } = collected();
    expect(await read(clock("b", { warn }), gone)).toEqual([page("b")]);
    expect(warnings.map(({ code }) => code)).toEqual(["version-unknown"]);
    const strict = clock("b", { unknownVersions: "refuse", warn });
    await expect(read(strict, gone)).rejects.toThrow(`the newest is ${strict.uri}`);
  });

  test("an address that isn't the app's is not found", async () => {
    for (const uri of [
      "ui://clock/view.x.html",
      "ui://clock/view.0123456789abcde.html",
      "ui://clock/view.0123456789ABCDEF.html",
      "ui://clock/view.html?x",
      "ui://clockwork/view.html",
      "ui://clock/other.html",
    ]) {
      await expect(read(clock("a"), uri)).rejects.toThrow(/not found/i);
    }
  });
});

describe("caching", () => {
  test("never lets an address keep a content that is not its own", async () => {
    const [modern] = SERVERS as [(typeof SERVERS)[number]];
    const gone = clock("gone").uri;
    const app = clock("b", { cache: { ttlMs: 5_000, cacheScope: "private" }, warn: () => {} });
    const client = await modern.connect((server) => app.register(server));
    const hints = await Promise.all(
      [app.uri, app.alias, gone].map(async (uri) => {
        const { ttlMs, cacheScope } = await client.readResource({ uri });
        return [ttlMs, cacheScope];
      }),
    );
    expect(hints).toEqual([
      [365 * 24 * 60 * 60 * 1_000, "private"],
      [5_000, "private"],
      [0, "private"],
    ]);
  });
});

/** What an author writes to keep versions on a disk. */
function folderVersions(folder: string): ViewVersions {
  const file = (app: string, hash: string): string => join(folder, app, `${hash}.json`);
  return {
    async keep(app, hash, view) {
      await mkdir(join(folder, app), { recursive: true });
      await writeFile(file(app, hash), JSON.stringify(view));
    },
    async find(app, hash) {
      const text = await readFile(file(app, hash), "utf8").catch(() => undefined);
      return text === undefined ? undefined : (JSON.parse(text) as StoredView);
    },
  };
}

describe("a store", () => {
  test("on a disk outlives the program that filled it", async () => {
    const folder = await mkdtemp(join(tmpdir(), "vitrine-versions-"));
    onTestFinished(() => rm(folder, { recursive: true }));
    const older = clock("a", { versions: folderVersions(folder) });
    const { uri } = older;
    const [hash = ""] = /[0-9a-f]{16}/.exec(uri) ?? [];
    await expect.poll(() => folderVersions(folder).find("clock", hash)).toBeTruthy();
    const newer = clock("b", { versions: folderVersions(folder), unknownVersions: "refuse" });
    const [modern] = SERVERS as [(typeof SERVERS)[number]];
    const client = await modern.connect((server) => newer.register(server));
    const { contents } = await client.readResource({ uri });
    expect(contents[0]).toMatchObject({ uri, text: page("a") });
  });

  test.each([
    ["lies", () => ({ html: page("evil"), meta: {} })],
    [
      "fails",
      () => {
        throw new Error("no disk");
      },
    ],
    ["fails later", () => Promise.reject(new Error("no disk"))],
  ])("that %s is not believed", async (_what, find) => {
    const { warn } = collected();
    const versions: ViewVersions = { keep: () => Promise.reject(new Error("full")), find };
    const app = clock("b", { versions, warn });
    const [modern] = SERVERS as [(typeof SERVERS)[number]];
    const client = await modern.connect((server) => app.register(server));
    const { contents, ttlMs } = await client.readResource({ uri: clock("gone").uri });
    expect(contents[0]).toMatchObject({ text: page("b") });
    expect(ttlMs).toBe(0);
  });

  test("in memory forgets the oldest first", () => {
    const versions = memoryVersions({ limit: 2 });
    const view = { html: "", meta: {} };
    for (const hash of ["a", "b", "a", "c"]) versions.keep("clock", hash, view);
    expect(["a", "b", "c"].map((hash) => versions.find("clock", hash) !== undefined)).toEqual([
      true,
      false,
      true,
    ]);
    expect(versions.find("other", "a")).toBeUndefined();
  });
});

describe("two instances of one server behind a round robin", () => {
  test("serve the same lists, addresses and content", async () => {
    const instances = [0, 1].map(() => {
      // Each instance defines its apps itself, as two processes would.
      const app = clock("a");
      const info = { name: "clock", version: "1.0.0" };
      return createMcpHandler(() => app.register(new McpServer(info)));
    });
    const served: string[] = [];
    await using balancer = await listen(async (request) => {
      const at = served.length % 2;
      served.push(`${at} ${request.headers.get("mcp-method")}`);
      return (await instances[at]?.fetch(request)) ?? Response.error();
    });
    const ask = async (method: string, params: object = {}): Promise<string> => {
      const response = await fetch(balancer.url, modernRequest(method, params));
      return JSON.stringify((await response.json()).result);
    };
    const { uri } = clock("a");
    for (const [method, params] of [
      ["tools/list"],
      ["resources/list"],
      ["resources/templates/list"],
      ["resources/read", { uri }],
      ["resources/read", { uri: "ui://clock/view.html" }],
    ] as const) {
      const answers = [await ask(method, params), await ask(method, params)];
      expect(answers[0]).toContain(method === "resources/read" ? "<title>a" : "ui://clock/");
      expect(answers[1]).toBe(answers[0]);
      expect(served.slice(-2)).toEqual([`0 ${method}`, `1 ${method}`]);
    }
  });
});

function modernRequest(method: string, params: object): RequestInit {
  const _meta = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {},
  };
  return {
    method: "POST",
    headers: {
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      "mcp-protocol-version": "2026-07-28",
      "mcp-method": method,
      ...("uri" in params && { "mcp-name": String(params.uri) }),
    },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params: { ...params, _meta } }),
  };
}
