import type { Tool } from "@vitrine/protocol/apps";
import { afterEach, describe, expect, test, vi } from "vitest";
import {
  type AppToolEvent,
  type AppToolsOptions,
  createAppTools,
} from "../src/view-tools/app-tools.ts";
import { RawView, type Scene, start, turn } from "./raw-view.ts";
import { readOnly, tool } from "./scripted-upstream.ts";

afterEach(() => vi.useRealTimers());

const LIST = "tools/list";
const CALL = "tools/call";
const CHANGED = "notifications/tools/list_changed";
const result = { content: [{ type: "text", text: "ok" }] };

async function offer(tools: Tool[], options: AppToolsOptions = {}) {
  const scene: Scene = await start(
    { view: { key: "message-7", server: "games" } },
    { tools: { listChanged: true } },
  );
  scene.view.answers[LIST] = () => ({ tools });
  scene.view.answers[CALL] = () => result;
  const events: AppToolEvent[] = [];
  const appTools = createAppTools(scene.bridge, {
    onEvent: (event) => events.push(event),
    ...options,
  });
  return { ...scene, appTools, events };
}

describe("the tools of a View", () => {
  test("are asked for only where it declared them, and not before it is ready (HST-90)", async () => {
    const { view, bridge } = await start();
    const appTools = createAppTools(bridge);
    expect(await appTools.list()).toEqual([]);
    await expect(bridge.callTool({ name: "x" })).rejects.toMatchObject({ code: "no-app-tools" });
    await expect(bridge.listTools()).rejects.toMatchObject({ code: "no-app-tools" });
    expect(view.methods).toEqual([]);
  });

  test("say whose they are, in words and in data (HST-91)", async () => {
    const { appTools } = await offer([
      readOnly("move", { title: "Move", description: "Moves a piece." }),
    ]);
    const [found] = await appTools.list();
    expect(found).toMatchObject({
      source: "app",
      ownName: "move",
      view: { key: "message-7", server: "games", appInfo: { name: "raw", version: "1.0.0" } },
      tool: {
        title: "Move",
        description: expect.stringMatching(
          /^Offered by the app "raw 1\.0\.0" that games shows, not .* Moves a piece\.$/,
        ),
        annotations: { readOnlyHint: true },
        _meta: {
          "vitrine/app": { server: "games", view: "message-7", app: "raw", version: "1.0.0" },
        },
      },
    });
  });

  test("have names that every model takes and nobody else has (HST-93)", async () => {
    const tools = [
      readOnly("move"),
      readOnly("mo/ve"),
      readOnly("mo ve"),
      readOnly("x".repeat(200)),
    ];
    const taken = new Set<string>();
    const isTaken = (name: string): boolean => taken.has(name);
    const { appTools } = await offer(tools, { isTaken });
    const first = (await appTools.list()).map((entry) => entry.tool.name);
    expect(new Set(first).size).toBe(4);
    for (const name of first) expect(name).toMatch(/^app_[\w-]{1,60}$/);
    // The same names next time, whatever the order.
    tools.reverse();
    expect((await appTools.list()).map((entry) => entry.tool.name)).toEqual([...first].reverse());
    // A Server's tool of that name is not shadowed.
    taken.add(first[0] as string);
    const other = await offer([readOnly("move")], { isTaken });
    const [clashing] = await other.appTools.list();
    expect(clashing?.tool.name).toBe(`${first[0]}_2`);
  });

  test("of two instances of one app do not clash (HST-93)", async () => {
    const [one, two] = await Promise.all(
      ["a", "b"].map(async (key) => {
        const { view, bridge } = await start({ view: { key, server: "games" } }, { tools: {} });
        view.answers[LIST] = () => ({ tools: [tool("move")] });
        return (await createAppTools(bridge).list())[0]?.tool.name;
      }),
    );
    expect(one).not.toBe(two);
  });

  test("are fifty at most, over any number of pages (HST-94)", async () => {
    const { view, appTools } = await offer([]);
    view.answers[LIST] = ({ cursor = "0" }) => ({
      tools: Array.from({ length: 30 }, (_, n) => readOnly(`t${cursor}-${n}`)),
      nextCursor: `${Number(cursor) + 1}`,
    });
    expect(await appTools.list()).toHaveLength(50);
    expect(view.all(LIST)).toHaveLength(2);
    view.answers[LIST] = ({ cursor = "0" }) => ({ tools: [], nextCursor: `${Number(cursor) + 1}` });
    expect(await appTools.list()).toEqual([]);
    expect(view.all(LIST)).toHaveLength(10);
  });

  test("lose hidden characters and endless descriptions on their way to the model", async () => {
    const { appTools } = await offer([
      readOnly("move", { description: `a\u202e\u{e0041}b${"x".repeat(9000)}` }),
    ]);
    const [found] = await appTools.list();
    expect(found?.tool.description).toContain("abxxx");
    expect(found?.tool.description?.length).toBe(4096);
  });

  test("are rejected where the list contains something else", async () => {
    const { view, appTools } = await offer([]);
    view.answers[LIST] = () => ({ tools: [{ name: 7 }] });
    await expect(appTools.list()).rejects.toMatchObject({ code: "bad-answer" });
  });
});

describe("the life of a View's tools", () => {
  test("ends with the View: nothing is listed, and a call fails (HST-98, HST-100)", async () => {
    for (const end of ["teardown", "close"] as const) {
      const { view, bridge, appTools } = await offer([readOnly("move")]);
      const [found] = await appTools.list();
      expect(found).toBeDefined();
      view.answers["ui/resource-teardown"] = () => ({});
      await (end === "close" ? bridge.close() : bridge.teardownResource());
      const before = view.received.length;
      expect(await appTools.list()).toEqual([]);
      await expect(appTools.call(found?.tool.name ?? "")).rejects.toMatchObject({
        code: "no-app-tools",
      });
      await expect(bridge.callTool({ name: "move" })).rejects.toMatchObject({
        code: "no-app-tools",
      });
      expect(view.received).toHaveLength(before);
    }
  });

  test("nobody is asked about a tool whose View is gone (HST-100)", async () => {
    const consent = vi.fn(() => true);
    const { bridge, appTools } = await offer([tool("write")], { consent });
    const [found] = await appTools.list();
    await bridge.close();
    await expect(appTools.call(found?.tool.name ?? "")).rejects.toMatchObject({
      code: "no-app-tools",
    });
    expect(consent).not.toHaveBeenCalled();
  });

  test("ends with the teardown, even if the View still answers (HST-98)", async () => {
    const { view, bridge, appTools } = await offer([]);
    delete view.answers[LIST];
    view.answers["ui/resource-teardown"] = () => ({});
    const asking = appTools.list();
    await turn();
    await bridge.teardownResource();
    const { id } = view.all(LIST)[0] ?? {};
    view.send({ jsonrpc: "2.0", id, result: { tools: [readOnly("ghost")] } });
    expect(await asking).toEqual([]);
  });

  test("ends while it is being asked, too (HST-98)", async () => {
    const { view, bridge, appTools } = await offer([readOnly("move")]);
    delete view.answers[LIST];
    const asking = appTools.list();
    await turn();
    await bridge.close();
    await expect(asking).rejects.toMatchObject({ code: "closed" });
    expect(await appTools.list()).toEqual([]);
  });

  test("starts again with the next View of the same key (HST-99)", async () => {
    const { appTools, bridge } = await offer([readOnly("move")]);
    const [found] = await appTools.list();
    await bridge.close();
    const next = await offer([]);
    expect(await next.appTools.list()).toEqual([]);
    await expect(next.appTools.call(found?.tool.name ?? "")).rejects.toMatchObject({
      code: "no-app-tools",
    });
  });

  test("closing forgets them and stops listening", async () => {
    const { view, appTools, events } = await offer([readOnly("move")]);
    await appTools.list();
    const changed = vi.fn();
    appTools.onChange(changed);
    appTools.close();
    appTools.close();
    view.notify(CHANGED);
    await turn();
    expect(changed).not.toHaveBeenCalled();
    expect(events.map(({ event }) => event)).toEqual(["registered", "removed"]);
    expect(await appTools.list()).toEqual([]);
  });
});

describe("changes of a View's tools", () => {
  test("are reported at most once a second, and none is lost (HST-94)", async () => {
    const { view, appTools } = await offer([]);
    vi.useFakeTimers();
    const changed = vi.fn();
    const stop = appTools.onChange(changed);
    for (let n = 0; n < 100; n++) view.notify(CHANGED);
    await turn();
    expect(changed).toHaveBeenCalledTimes(1);
    await vi.advanceTimersByTimeAsync(1001);
    expect(changed).toHaveBeenCalledTimes(2);
    await vi.advanceTimersByTimeAsync(5000);
    expect(changed).toHaveBeenCalledTimes(2);
    stop();
    view.notify(CHANGED);
    await turn();
    expect(changed).toHaveBeenCalledTimes(2);
  });

  test("of a View that did not announce them are not received", async () => {
    const { view, bridge } = await start({}, { tools: {} });
    const changed = vi.fn();
    createAppTools(bridge).onChange(changed);
    view.notify(CHANGED);
    await turn();
    expect(changed).not.toHaveBeenCalled();
  });

  test("and calls are recorded: registered, changed, removed, called, answered, failed, refused (HST-95)", async () => {
    const tools = [readOnly("look"), readOnly("fail")];
    const { view, appTools, events } = await offer(tools);
    const [look, fail] = (await appTools.list()).map((entry) => entry.tool.name) as [
      string,
      string,
    ];
    await appTools.call(look);
    view.answers[CALL] = () => {
      throw { code: -32603, message: "board" };
    };
    await expect(appTools.call(fail)).rejects.toMatchObject({ code: -32603 });
    tools[0] = tool("look");
    tools.pop();
    await appTools.list();
    await expect(appTools.call(look)).rejects.toMatchObject({ code: "app-tool-refused" });
    expect(events.map(({ event, tool: { ownName } }) => `${event} ${ownName}`)).toEqual([
      "registered look",
      "registered fail",
      "called look",
      "answered look",
      "called fail",
      "failed fail",
      "changed look",
      "removed fail",
      "refused look",
    ]);
    expect(events[5]).toMatchObject({ at: expect.any(Number), cause: { code: -32603 } });
  });
});

describe("tasks of a View's tools (HST-101)", () => {
  test("are passed to the View like the call they belong to", async () => {
    const { view, appTools } = await offer([readOnly("long")]);
    view.answers["tasks/get"] = ({ taskId }) => ({ taskId, status: "working" });
    expect(await appTools.task("tasks/get", { taskId: "t1" })).toEqual({
      taskId: "t1",
      status: "working",
    });
    view.answers["tasks/result"] = () => ({
      content: [{ type: "text", text: "x".repeat(11 * 2 ** 20) }],
    });
    await expect(appTools.task("tasks/result", { taskId: "t1" })).rejects.toMatchObject({
      code: "bad-answer",
    });
  });

  test("of a View without tools, or gone, are not", async () => {
    const { bridge, view } = await start();
    await expect(createAppTools(bridge).task("tasks/get", {})).rejects.toMatchObject({
      code: "no-app-tools",
    });
    expect(view.methods).toEqual([]);
    expect(view).toBeInstanceOf(RawView);
  });
});
