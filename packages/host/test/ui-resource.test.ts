import { createHash } from "node:crypto";
import { LocalError, RpcError } from "@vitrine/protocol";
import { type ReadResourceResult, type Resource, toolResourceUri } from "@vitrine/protocol/apps";
import { afterEach, describe, expect, test, vi } from "vitest";
import { createUiResourceCache, readUiResource } from "../src/resources/ui-resource.ts";
import { callbacksUpstream } from "../src/upstreams/callbacks.ts";
import type { ListName } from "../src/upstreams/upstream.ts";

const uri = "ui://weather/map.html";
const mimeType = "text/html;profile=mcp-app";
const html = "<!doctype html><title>Grüße 🌦</title>";
const item = (more: object = {}) => ({ uri, mimeType, text: html, ...more });

interface Served {
  contents?: unknown;
  resources?: unknown;
  [key: string]: unknown;
}

/** A Server that answers reads with `contents` and more, and lists with `resources`. */
function serve({ contents = [item()], resources, ...more }: Served = {}, server = "ours") {
  const listeners: ((list: ListName) => void)[] = [];
  const read = vi.fn(
    async (_: { uri: string }) => ({ contents, ...more }) as unknown as ReadResourceResult,
  );
  const upstream = callbacksUpstream({
    server,
    readResource: read,
    ...(resources !== undefined && {
      listResources: () => ({ resources: resources as Resource[] }),
    }),
    onListChanged: (listener) => {
      listeners.push(listener);
      return () => {};
    },
  });
  const change = (list: ListName) => {
    for (const listener of listeners) listener(list);
  };
  return { read, upstream, change };
}

const codeOf = (served: Served, asked = uri): Promise<unknown> =>
  readUiResource(serve(served).upstream, asked).then(
    () => "read",
    (error) => error instanceof LocalError && error.code,
  );

afterEach(() => void vi.useRealTimers());

describe("reading", () => {
  test("HST-05: the UI is read with resources/read, under the exact address", async () => {
    const { read, upstream } = serve();
    expect(await readUiResource(upstream, uri)).toEqual({
      server: "ours",
      uri,
      html,
      meta: undefined,
      hash: createHash("sha256").update(html, "utf8").digest("hex"),
    });
    expect(read.mock.calls.map(([params]) => params)).toEqual([{ uri }]);
  });

  test.each([
    ["the nested key", { ui: { resourceUri: uri } }],
    ["the older flat key", { "ui/resourceUri": uri }],
    [
      "both, of which the nested one counts",
      { ui: { resourceUri: uri }, "ui/resourceUri": "ui://x" },
    ],
  ])("HST-04: a tool may name its UI under %s", async (_, _meta) => {
    const { read, upstream } = serve();
    const tool = toolResourceUri({ name: "map", _meta });
    await readUiResource(upstream, tool.uri ?? "");
    expect(read.mock.calls.map(([params]) => params)).toEqual([{ uri }]);
  });

  describe("HST-07: metadata is the content item's, else the listing entry's, and whole", () => {
    const ofItem = { csp: { connectDomains: ["https://item.example"] } };
    const ofEntry = { csp: { imgDomains: ["https://entry.example"] }, prefersBorder: true };
    const contents = [item({ _meta: { ui: ofItem } })];
    const resources = [
      { uri: "ui://other", name: "o", _meta: { ui: { domain: "no" } } },
      { uri, name: "m", _meta: { ui: ofEntry } },
    ];
    test.each([
      ["in both", { contents, resources }, ofItem, undefined],
      ["in the content only", { contents, resources: [] }, ofItem, undefined],
      ["in the listing only", { resources }, ofEntry, true],
      ["in neither", { resources: [{ uri, name: "m" }] }, undefined, undefined],
    ])("%s", async (_, served, meta, prefersBorder) => {
      const resource = await readUiResource(serve(served).upstream, uri);
      expect(resource.meta).toEqual(meta);
      expect(resource.prefersBorder).toBe(prefersBorder);
    });
  });

  test("a Server that lists nothing, or fails to, still shows its View", async () => {
    const resource = await readUiResource(serve({ resources: undefined }).upstream, uri);
    expect(resource.html).toBe(html);
    expect(await codeOf({ resources: "nonsense" })).toBe("read");
  });

  test("metadata may be spelled without its underscore", async () => {
    const ui = { prefersBorder: false };
    const { upstream } = serve({ contents: [item({ meta: { ui } })] });
    expect(await readUiResource(upstream, uri)).toMatchObject({ meta: ui, prefersBorder: false });
  });

  test("a blob is base64 of UTF-8 and gives the same HTML and hash as the text", async () => {
    const blob = Buffer.from(html, "utf8").toString("base64");
    const { upstream } = serve({ contents: [{ uri, mimeType, blob }] });
    expect(await readUiResource(upstream, uri)).toEqual(
      await readUiResource(serve().upstream, uri),
    );
  });

  test("the answer may carry the address as URL spells it, and items of other addresses", async () => {
    const asked = "ui://weather/a map.html";
    const contents = [item({ uri: "ui://weather/a%20map.html" }), item({ uri: "ui://x" })];
    expect(await codeOf({ contents }, asked)).toBe("read");
  });

  test.each([
    ["https://weather.example/map.html", "bad-resource-uri"],
    ["ui:/weather", "bad-resource-uri"],
    ["ui://", "bad-resource-uri"],
    ["UI://weather", "bad-resource-uri"],
  ])("an address outside ui:// is not even asked for: %s", async (asked, code) => {
    const { read, upstream } = serve();
    await expect(readUiResource(upstream, asked)).rejects.toMatchObject({ code });
    expect(read).not.toHaveBeenCalled();
  });

  const large = "x".repeat(5 * 2 ** 20);
  test.each<[string, Served, string]>([
    ["no item", { contents: [] }, "resource-empty"],
    ["no list of items", { contents: null }, "resource-empty"],
    ["an item of another address", { contents: [item({ uri: "ui://else" })] }, "resource-empty"],
    ["two items of one address", { contents: [item(), item()] }, "resource-empty"],
    ["an item that isn't an object", { contents: [null, 7] }, "resource-empty"],
    ["no text and no blob", { contents: [{ uri, mimeType }] }, "resource-empty"],
    ["an empty text", { contents: [item({ text: "" })] }, "resource-empty"],
    ["a text that isn't a string", { contents: [item({ text: { html } })] }, "resource-empty"],
    ["a blob that isn't base64", { contents: [{ uri, mimeType, blob: "*" }] }, "resource-empty"],
    ["plain HTML", { contents: [item({ mimeType: "text/html" })] }, "resource-type"],
    ["no type", { contents: [item({ mimeType: undefined })] }, "resource-type"],
    ["five mebibytes", { contents: [item({ text: large })] }, "read"],
    ["one byte more", { contents: [item({ text: `${large}x` })] }, "resource-large"],
    [
      "more bytes than characters",
      { contents: [item({ text: large.replace("x", "é") })] },
      "resource-large",
    ],
    [
      "what is too large to look into",
      { contents: [{ uri, mimeType, blob: large.repeat(2).replaceAll("x", "*") }] },
      "resource-large",
    ],
    ["a large blob", { contents: [{ uri, mimeType, blob: btoa(`${large}x`) }] }, "resource-large"],
  ])("an answer with %s", async (_, served, code) => {
    expect(await codeOf(served)).toBe(code);
  });

  test("the Server's error is the cause, and an abort is too", async () => {
    const refusal = new RpcError(-32602, "No such thing", { uri });
    const upstream = callbacksUpstream({
      server: "ours",
      readResource: () => Promise.reject(refusal),
    });
    const failed = await readUiResource(upstream, uri).catch((error) => error);
    expect([failed.code, failed.cause]).toEqual(["resource-failed", refusal]);
    const never = callbacksUpstream({ server: "ours", readResource: () => new Promise(() => {}) });
    const reason = new Error("closed");
    const signal = AbortSignal.abort(reason);
    const aborted = await readUiResource(never, uri, { signal }).catch((error) => error);
    expect([aborted.code, aborted.cause]).toEqual(["resource-failed", reason]);
  });

  test("a list that never comes does not outlast the caller's patience", async () => {
    const upstream = callbacksUpstream({
      server: "ours",
      readResource: () => ({ contents: [item()] }),
      listResources: () => new Promise(() => {}),
    });
    const resource = await readUiResource(upstream, uri, { signal: AbortSignal.timeout(50) });
    expect(resource.html).toBe(html);
  });
});

describe("HST-06: the cache", () => {
  test("readers at the same time share one request, and one that leaves takes it from nobody", async () => {
    const { read, upstream } = serve({ ttlMs: 0 });
    const cache = createUiResourceCache();
    const controller = new AbortController();
    const leaving = cache.read(upstream, uri, { signal: controller.signal });
    const staying = cache.read(upstream, uri);
    controller.abort(new Error("left"));
    await expect(leaving).rejects.toMatchObject({
      code: "resource-failed",
      cause: { message: "left" },
    });
    expect((await staying).html).toBe(html);
    expect(read).toHaveBeenCalledTimes(1);
  });

  test.each([
    ["30 seconds by default", {}, 30_000],
    ["the time that the Server names", { ttlMs: 500_000 }, 500_000],
  ])("a resource is kept for %s", async (_, more, kept) => {
    vi.useFakeTimers();
    const { read, upstream } = serve(more);
    const cache = createUiResourceCache();
    await cache.read(upstream, uri);
    vi.advanceTimersByTime(kept - 1);
    await cache.read(upstream, uri);
    expect(read).toHaveBeenCalledTimes(1);
    vi.advanceTimersByTime(1);
    await cache.read(upstream, uri);
    expect(read).toHaveBeenCalledTimes(2);
  });

  test("a resource that is stale at once is read for each View", async () => {
    const { read, upstream } = serve({ ttlMs: 0 });
    const cache = createUiResourceCache();
    await cache.read(upstream, uri);
    await cache.read(upstream, uri);
    expect(read).toHaveBeenCalledTimes(2);
  });

  test("what was prefetched serves the next reader, however stale, and only that one", async () => {
    const { read, upstream } = serve({ ttlMs: 0 });
    const cache = createUiResourceCache();
    await cache.prefetch(upstream, uri);
    expect((await cache.read(upstream, uri)).html).toBe(html);
    expect(read).toHaveBeenCalledTimes(1);
    await cache.read(upstream, uri);
    expect(read).toHaveBeenCalledTimes(2);
  });

  test("what was prefetched waits five minutes", async () => {
    vi.useFakeTimers();
    const { read, upstream } = serve({ ttlMs: 0 });
    const cache = createUiResourceCache();
    await cache.prefetch(upstream, uri);
    vi.advanceTimersByTime(5 * 60_000);
    await cache.read(upstream, uri);
    expect(read).toHaveBeenCalledTimes(2);
  });

  test("it is read again when the Server announces that its resources changed, and for no other list", async () => {
    const { read, upstream, change } = serve({ ttlMs: 1e9 });
    const cache = createUiResourceCache();
    await cache.read(upstream, uri);
    change("tools");
    await cache.read(upstream, uri);
    expect(read).toHaveBeenCalledTimes(1);
    change("resources");
    await cache.read(upstream, uri);
    expect(read).toHaveBeenCalledTimes(2);
  });

  test.each(["private", undefined])(
    "a resource of scope %s goes to no other connection",
    async (scope) => {
      const cache = createUiResourceCache();
      const more = { ttlMs: 1e9, cacheScope: scope };
      const alice = serve({ contents: [item({ text: "Alice" })], ...more });
      const bob = serve({ contents: [item({ text: "Bob" })], ...more });
      await cache.read(alice.upstream, uri);
      expect((await cache.read(bob.upstream, uri)).html).toBe("Bob");
      expect((await cache.read(alice.upstream, uri)).html).toBe("Alice");
    },
  );

  test("the same address on two Servers is two resources", async () => {
    const cache = createUiResourceCache();
    const one = serve({ contents: [item({ text: "one" })] }, "one");
    const two = serve({ contents: [item({ text: "two" })] }, "two");
    expect((await cache.read(one.upstream, uri)).html).toBe("one");
    expect((await cache.read(two.upstream, uri)).html).toBe("two");
  });

  test("a failure is not kept, and a prefetch that fails doesn't throw", async () => {
    const { read, upstream } = serve();
    read.mockRejectedValueOnce(new Error("down"));
    const cache = createUiResourceCache();
    await cache.prefetch(upstream, uri);
    expect((await cache.read(upstream, uri)).html).toBe(html);
  });

  test("a Server cannot fill the memory: the oldest of 64 is forgotten", async () => {
    const cache = createUiResourceCache();
    const other = callbacksUpstream({
      server: "ours",
      readResource: ({ uri }) => ({ contents: [item({ uri })], ttlMs: 1e9 }),
    });
    const asked = vi.spyOn(other, "request");
    const reads = () => asked.mock.calls.filter(([method]) => method === "resources/read").length;
    for (let n = 0; n < 70; n++) await cache.read(other, `ui://n/${n}`);
    await cache.read(other, "ui://n/69");
    expect(reads()).toBe(70);
    await cache.read(other, "ui://n/0");
    expect(reads()).toBe(71);
  });
});
