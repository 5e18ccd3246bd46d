import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { type AppDefinition, defineApp, memoryVersions } from "@vitrine/server";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { collected, SERVERS, unconnected } from "./in-memory.ts";

const page = (text: string): string =>
  `<!doctype html><html><title>${text}</title><p>${text}</p></html>\n`;
const tool = { handler: () => ({ text: "noon" }) };

let folder: string;
let file: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "vitrine-view-file-"));
  file = join(folder, "index.html");
  await writeFile(file, page("a"));
});
afterEach(async () => {
  vi.unstubAllEnvs();
  await rm(folder, { recursive: true, force: true });
});

function clock(options: object = {}): AppDefinition {
  const view = pathToFileURL(file);
  return defineApp({ name: "clock", tool, view, prefersBorder: true, ...options });
}

function develop(): void {
  vi.stubEnv("VITRINE_DEV", "1");
  vi.stubEnv("NODE_ENV", "development");
}

describe.each(SERVERS)("a View in a file, $title", ({ connect }) => {
  const open = async (app: AppDefinition) => {
    const client = await connect((server) => app.register(server));
    return async (uri = app.uri): Promise<string | undefined> => {
      const { contents } = await client.readResource({ uri });
      expect(contents[0]?.uri).toBe(uri);
      return (contents[0] as { text?: string }).text;
    };
  };

  test.each([
    ["as servers are started by Hosts", {}],
    ["in production, even if somebody asks for more", { VITRINE_DEV: "1", NODE_ENV: "production" }],
  ])("is read once, and its address is that of its content, %s", async (_, environment) => {
    for (const [name, value] of Object.entries(environment)) vi.stubEnv(name, value);
    const app = clock();
    const read = await open(app);
    expect(app.uri).toBe(clock({ view: page("a") }).uri);
    await writeFile(file, page("b"));
    expect(await read()).toBe(page("a"));
    expect(await read(app.alias)).toBe(page("a"));
    await rm(file);
    expect(await read()).toBe(page("a"));
    expect(app.uri).toBe(clock({ view: page("a") }).uri);
  });

  test("is read again during development, under a stable address, and isn't cached", async () => {
    develop();
    const versions = { ...memoryVersions(), keep: vi.fn() };
    const app = clock({ versions, cache: { ttlMs: 60_000 } });
    const client = await connect((server) => app.register(server));
    const { tools } = await client.listTools();
    const read = async () => {
      const answer = await client.readResource({ uri: app.uri });
      expect((answer as { ttlMs?: number }).ttlMs ?? 0).toBe(0);
      return (answer.contents[0] as { text?: string }).text;
    };
    expect(app.uri).toBe(app.alias);
    expect(await read()).toBe(page("a"));
    await writeFile(file, page("b"));
    expect(await read()).toBe(page("b"));
    await writeFile(file, page("c"));
    expect(await read()).toBe(page("c"));
    // No tool names another View for it, and no store is filled with attempts.
    expect((await client.listTools()).tools).toEqual(tools);
    expect((await client.listResources()).resources.map(({ uri }) => uri)).toEqual([app.alias]);
    expect(versions.keep).not.toHaveBeenCalled();
  });

  test.each([
    ["missing", () => rm(file)],
    ["empty", () => writeFile(file, "")],
    ["not a document", () => writeFile(file, "Cannot find module")],
  ])("that is %s isn't served: the last good one is, with a warning", async (_, spoil) => {
    develop();
    const { warnings, warn } = collected();
    const read = await open(clock({ warn }));
    await writeFile(file, page("b"));
    expect(await read()).toBe(page("b"));
    await spoil();
    expect(await read()).toBe(page("b"));
    expect(warnings.map(({ code }) => code)).toEqual(["view-kept"]);
    expect(warnings[0]?.message).toMatch(
      /ui:\/\/clock\/view\.html is missing, empty or not an HTML/,
    );
    await writeFile(file, page("c"));
    expect(await read()).toBe(page("c"));
    expect(warnings).toHaveLength(1);
  });

  test("that is being written is served when it is whole", async () => {
    develop();
    const { warnings, warn } = collected();
    const read = await open(clock({ warn }));
    const next = page("b");
    await writeFile(file, next.slice(0, 30));
    const answer = read();
    await new Promise((resolve) => setTimeout(resolve, 60));
    await writeFile(file, "");
    await new Promise((resolve) => setTimeout(resolve, 60));
    await writeFile(file, next);
    expect(await answer).toBe(next);
    expect(warnings).toEqual([]);
  });

  test("whose author leaves the last tag out is served all the same, once it stays as it is", async () => {
    develop();
    const read = await open(clock());
    await writeFile(file, "<!doctype html><title>b</title>");
    expect(await read()).toBe("<!doctype html><title>b</title>");
  });
});

describe("a View in a file", () => {
  test.each([[{}], [{ VITRINE_DEV: "1", NODE_ENV: "development" }]])(
    "that is not there is named when the server is set up, with what to do (%o)",
    async (environment) => {
      for (const [name, value] of Object.entries(environment)) vi.stubEnv(name, value);
      await rm(file);
      const app = clock();
      expect(() => app.register(unconnected())).toThrow(
        /The view can't be read from file:.*index\.html.*Build it first/,
      );
    },
  );

  test("has an address of a file; another is refused where it stands", () => {
    expect(() => clock({ view: new URL("https://example.com/view.html") })).toThrow(
      /https:\/\/example\.com\/view\.html/,
    );
  });
});
