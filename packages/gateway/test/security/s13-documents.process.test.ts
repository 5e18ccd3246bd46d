import { describe, expect, it } from "vitest";
import { createMemoryEngine, openSqliteEngine } from "../../src/engine/index.ts";
import { DocumentStore, documentHash } from "../../src/policy/resources/document-store.ts";
import { testFolder } from "../engine/children/child.ts";
import { queryValue } from "../engine/stored-database.ts";
import { serveRaw } from "../raw-server.ts";
import { openStage, upstreamTo } from "../stage.ts";

const MEBIBYTE = 2 ** 20;

/** Bytes of all blobs in an engine's database. */
const blobBytes = (folder: string): unknown =>
  queryValue(folder, "SELECT sum(length(bytes)) FROM blobs");

const page = (name: string, bytes: number): string => `<!doctype html>${name}`.padEnd(bytes, " ");

describe("S13: documents of views", () => {
  it("S13: refused views write nothing", async () => {
    await using server = await serveRaw();
    let opens = 0;
    server.answers["resources/read"] = ({ uri }) => ({
      contents: [{ uri, mimeType: "text/html;profile=mcp-app", text: page(`${++opens}`, 100_000) }],
    });
    const folder = await testFolder();
    const engine = await openSqliteEngine({ folder });
    await using stage = await openStage({
      engine,
      servers: { raw: { upstream: upstreamTo(server.url) } },
    });
    for (let n = 0; n < 3; n++) expect((await stage.open(`ui://x/y${n}`)).ticket).toBeDefined();
    const before = blobBytes(folder);
    expect(before).toBe(300_000);
    for (let n = 0; n < 97; n++) {
      const { body } = await stage.open(`ui://x/y${n % 3}`);
      expect(JSON.stringify(body)).toContain("changed-since-approval");
    }
    expect(opens).toBe(100);
    expect(blobBytes(folder)).toBe(before);
  }, 20_000);

  it("S13: a server's documents stay within its quota", async () => {
    await using server = await serveRaw();
    server.answers["resources/read"] = ({ uri }) => ({
      contents: [{ uri, mimeType: "text/html;profile=mcp-app", text: page(uri, MEBIBYTE) }],
    });
    const folder = await testFolder();
    const engine = await openSqliteEngine({ folder });
    await using stage = await openStage({
      engine,
      servers: { raw: { upstream: upstreamTo(server.url) } },
      limits: { documents: 4 * MEBIBYTE },
    });
    for (let n = 0; n < 10; n++) expect((await stage.open(`ui://x/${n}`)).ticket).toBeDefined();
    expect(blobBytes(folder)).toBe(4 * MEBIBYTE);
    expect(await engine.blob.has(documentHash(page("ui://x/9", MEBIBYTE)))).toBe(true);
    expect(await engine.blob.has(documentHash(page("ui://x/0", MEBIBYTE)))).toBe(false);
  }, 20_000);

  it("S13: the document that was unused for longest goes first, but not another server's", async () => {
    let now = 0;
    const engine = createMemoryEngine();
    const store = new DocumentStore(engine, { keepBytes: 3_000, clock: () => now });
    const has = (name: string) => engine.blob.has(documentHash(page(name, 1_000)));
    const keep = (name: string, server = "one"): Promise<boolean> => {
      now += 2 * 60 * 60_000;
      return store.keep(server, page(name, 1_000));
    };
    for (const name of ["a", "b", "c", "a", "d"]) expect(await keep(name)).toBe(true);
    expect(await Promise.all(["a", "b", "c", "d"].map(has))).toEqual([true, false, true, true]);
    await keep("c", "two");
    await keep("e");
    expect(await has("c")).toBe(true);
    expect(await store.keep("one", page("large", 3_001))).toBe(false);
    // Two processes share the list.
    const other = new DocumentStore(engine, { keepBytes: 3_000, clock: () => now });
    await Promise.all(["f", "g", "h"].map((name) => other.keep("one", page(name, 1_000))));
    expect(await Promise.all(["a", "d", "e", "f", "g", "h"].map(has))).toEqual([
      ...[false, false, false],
      ...[true, true, true],
    ]);
    await engine.close();
  });
});
