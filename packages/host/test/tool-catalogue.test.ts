import type { Tool } from "@vitrine/protocol/apps";
import { afterEach, expect, test, vi } from "vitest";
import { catalogueOf } from "../src/resources/tool-catalogue.ts";
import { callbacksUpstream, type UpstreamCallbacks } from "../src/upstreams/callbacks.ts";
import type { ListName } from "../src/upstreams/upstream.ts";

const tool = (name: string, ui?: object): Tool => ({
  name,
  inputSchema: { type: "object" },
  ...(ui && { _meta: { ui } }),
});

/** A Server that lists the tools of `listTools`, and can announce a change. */
function serve(listTools: NonNullable<UpstreamCallbacks["listTools"]>) {
  const asked = vi.fn(listTools);
  let announce: (list: ListName) => void = () => {};
  const upstream = callbacksUpstream({
    server: "ours",
    listTools: asked,
    onListChanged: (listener) => {
      announce = listener;
      return () => {};
    },
  });
  return {
    asked,
    catalogue: catalogueOf(upstream),
    upstream,
    change: (l: ListName) => announce(l),
  };
}

afterEach(() => void vi.useRealTimers());

test("HST-08: the model never gets a tool that lacks model visibility", async () => {
  const { catalogue } = serve(() => ({
    tools: [
      tool("plain"),
      tool("both", { visibility: ["model", "app"] }),
      tool("model", { visibility: ["model"] }),
      tool("app", { visibility: ["app"] }),
      tool("none", { visibility: [] }),
      tool("mistyped", { visibility: "model" }),
    ],
  }));
  const names = (await catalogue.forModel()).map(({ name }) => name);
  expect(names).toEqual(["plain", "both", "model"]);
  expect(await catalogue.all()).toHaveLength(6);
});

test("a tool is found under its exact name, with all that its Server said of it", async () => {
  const { catalogue } = serve(() => ({ tools: [{ ...tool("a"), "x-own": 1 } as Tool, tool("b")] }));
  expect(await catalogue.find("a")).toMatchObject({ name: "a", "x-own": 1 });
  expect(await catalogue.find("A")).toBeUndefined();
  expect(await catalogue.find("__proto__")).toBeUndefined();
});

test("all pages are read, once, for everyone who asks", async () => {
  const { asked, catalogue, upstream } = serve((params) =>
    params?.cursor === "next" ? { tools: [tool("b")] } : { tools: [tool("a")], nextCursor: "next" },
  );
  const [a, b] = await Promise.all([catalogue.find("a"), catalogueOf(upstream).find("b")]);
  await catalogue.all();
  expect([a?.name, b?.name, asked.mock.calls.length]).toEqual(["a", "b", 2]);
});

test("it is read again when the Server announces that its tools changed, and for no other list", async () => {
  let name = "old";
  const { asked, catalogue, change } = serve(() => ({ tools: [tool(name)] }));
  expect(await catalogue.find("old")).toBeDefined();
  name = "new";
  change("resources");
  expect(await catalogue.find("new")).toBeUndefined();
  change("tools");
  expect(await catalogue.find("new")).toBeDefined();
  expect(asked).toHaveBeenCalledTimes(2);
});

test("a list that changed while it was read is not kept", async () => {
  let release: (tools: Tool[]) => void = () => {};
  const { catalogue, change } = serve(
    () =>
      new Promise((resolve) => {
        release = (tools) => resolve({ tools });
      }),
  );
  const before = catalogue.all();
  const old = release;
  change("tools");
  const after = catalogue.all();
  release([tool("new")]);
  old([tool("old")]);
  expect((await before)[0]?.name).toBe("old");
  expect((await after)[0]?.name).toBe("new");
  expect(await catalogue.find("new")).toBeDefined();
});

test("a failure is not kept: the next call asks again", async () => {
  let isDown = true;
  const { catalogue } = serve(() => {
    if (isDown) throw new Error("down");
    return { tools: [tool("a")] };
  });
  await expect(catalogue.find("a")).rejects.toThrow("down");
  isDown = false;
  expect(await catalogue.find("a")).toBeDefined();
});

test("without events it is kept for a minute, or for the time that the Server names", async () => {
  vi.useFakeTimers();
  for (const [ttlMs, kept] of [
    [undefined, 60_000],
    [0, 60_000],
    [600_000, 600_000],
  ] as const) {
    const { asked, catalogue } = serve(() => ({
      tools: [],
      ...(ttlMs !== undefined && { ttlMs }),
    }));
    await catalogue.all();
    vi.advanceTimersByTime(kept - 1);
    await catalogue.all();
    expect(asked).toHaveBeenCalledTimes(1);
    vi.advanceTimersByTime(1);
    await catalogue.all();
    expect(asked).toHaveBeenCalledTimes(2);
  }
});

test("a Server that never ends its list is asked 64 times, and one that repeats itself twice", async () => {
  let page = 0;
  const endless = serve(() => ({ tools: [tool(`t${page}`)], nextCursor: `${++page}` }));
  expect(await endless.catalogue.all()).toHaveLength(64);
  const repeating = serve(() => ({ tools: [tool("a")], nextCursor: "same" }));
  await repeating.catalogue.all();
  expect(repeating.asked).toHaveBeenCalledTimes(2);
});

test("leaves invalid tools out, and takes an invalid list for an empty one", async () => {
  const odd = [null, 7, "x", {}, tool("real")] as Tool[];
  const { catalogue } = serve(() => ({ tools: odd }));
  expect(await catalogue.forModel()).toEqual([tool("real")]);
  expect(await serve(() => ({ tools: "none" as never })).catalogue.all()).toEqual([]);
});
