import type { Tool } from "@vitrine/protocol/apps";
import { afterEach, describe, expect, test, vi } from "vitest";
import type { ConsentRequest } from "../src/consent/consent.ts";
import {
  type AppToolEvent,
  type AppToolsOptions,
  createAppTools,
} from "../src/view-tools/app-tools.ts";
import { type Scene, start } from "./raw-view.ts";
import { readOnly, tool } from "./scripted-upstream.ts";

afterEach(() => vi.useRealTimers());

const LIST = "tools/list";
const CALL = "tools/call";
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

describe("a call of a View's tool", () => {
  test("reaches the View under its own name, and comes back checked", async () => {
    const { view, appTools } = await offer([readOnly("move")]);
    const [found] = await appTools.list();
    view.answers[CALL] = ({ arguments: args }) => ({
      content: [{ type: "text", text: `moved\u202e ${JSON.stringify(args)}` }],
    });
    expect(await appTools.call(found?.tool.name ?? "", { to: "e4" })).toEqual({
      content: [{ type: "text", text: 'moved {"to":"e4"}' }],
    });
    expect(view.all(CALL)).toMatchObject([{ params: { name: "move", arguments: { to: "e4" } } }]);
  });

  test("needs consent unless the tool is declared read-only (HST-92)", async () => {
    const asked: ConsentRequest[] = [];
    let allow = true;
    const consent = (request: ConsentRequest): boolean => {
      asked.push(request);
      return allow;
    };
    const tools = [
      readOnly("look"),
      tool("plain"),
      tool("write", { annotations: { readOnlyHint: false } }),
    ];
    const { view, appTools } = await offer(tools, { consent });
    const [look, plain, write] = (await appTools.list()).map((entry) => entry.tool.name) as [
      string,
      string,
      string,
    ];
    await appTools.call(look);
    expect(asked).toEqual([]);
    await appTools.call(plain, { a: 1 });
    await appTools.call(write);
    expect(asked).toMatchObject([
      { kind: "app-tool", tool: { name: plain }, arguments: { a: 1 }, view: { key: "message-7" } },
      { kind: "app-tool", tool: { name: write } },
    ]);
    allow = false;
    await expect(appTools.call(write)).rejects.toMatchObject({ code: "app-tool-refused" });
    expect(view.all(CALL)).toHaveLength(3);
  });

  test("without anybody to ask, or with somebody who throws, is refused", async () => {
    for (const consent of [undefined, () => Promise.reject(new Error("closed"))]) {
      const { view, appTools } = await offer([tool("write")], { consent });
      const [found] = await appTools.list();
      await expect(appTools.call(found?.tool.name ?? "")).rejects.toMatchObject({
        code: "app-tool-refused",
      });
      expect(view.all(CALL)).toEqual([]);
    }
  });

  test("goes by the Host's levels first (HST-92, HST-97)", async () => {
    const asked: string[] = [];
    const { appTools } = await offer(
      [
        readOnly("look"),
        tool("write"),
        tool("wipe", { annotations: { destructiveHint: true } }),
        tool("plain"),
      ],
      {
        consent: (request) => {
          asked.push((request as { tool: Tool }).tool.name);
          return true;
        },
        level: ({ ownName, tool: { annotations } }) =>
          annotations?.destructiveHint ? "deny" : ownName === "write" ? "allow" : undefined,
      },
    );
    const [look, write, wipe, plain] = (await appTools.list()).map(
      (entry) => entry.tool.name,
    ) as string[];
    await appTools.call(look as string);
    await appTools.call(write as string);
    expect(asked).toEqual([]);
    await expect(appTools.call(wipe as string)).rejects.toMatchObject({ code: "app-tool-refused" });
    await appTools.call(plain as string);
    expect(asked).toEqual([plain]);
  });

  test("times out after 30 seconds and is cancelled in the View (HST-94)", async () => {
    const { view, appTools } = await offer([readOnly("wait")]);
    const [found] = await appTools.list();
    delete view.answers[CALL];
    vi.useFakeTimers();
    const failure = vi.fn();
    appTools.call(found?.tool.name ?? "", {}, { onprogress: () => {} }).catch(failure);
    await vi.advanceTimersByTimeAsync(29_000);
    const meta = view.all(CALL)[0]?.params?._meta as { progressToken: number } | undefined;
    view.notify("notifications/progress", { progressToken: meta?.progressToken, progress: 1 });
    await vi.advanceTimersByTimeAsync(1_100);
    expect(failure).toHaveBeenCalledWith(expect.objectContaining({ code: "timeout" }));
    expect(view.methods).toContain("notifications/cancelled");
  });

  test("whose answer is larger than 10 MiB is not taken (HST-94)", async () => {
    const { view, appTools } = await offer([readOnly("flood")]);
    const [found] = await appTools.list();
    view.answers[CALL] = () => ({ content: [{ type: "text", text: "x".repeat(11 * 2 ** 20) }] });
    await expect(appTools.call(found?.tool.name ?? "")).rejects.toMatchObject({
      code: "bad-answer",
    });
  });

  test.each([
    ["no content", { isError: "maybe" }],
    ["content of an unknown kind", { content: [{ type: "script", text: "x" }] }],
    [
      "a structure that breaks the tool's promise",
      { content: [], structuredContent: { sum: "many" } },
    ],
    ["no structure where one was promised", { content: [] }],
  ])("whose answer has %s is not taken (HST-96)", async (_, answer) => {
    const outputSchema = {
      type: "object",
      properties: { sum: { type: "number" } },
      required: ["sum"],
    };
    const { view, appTools, events } = await offer([readOnly("add", { outputSchema })]);
    const [found] = await appTools.list();
    view.answers[CALL] = () => answer;
    await expect(appTools.call(found?.tool.name ?? "")).rejects.toMatchObject({
      code: "bad-answer",
    });
    expect(events.at(-1)).toMatchObject({ event: "failed" });
    view.answers[CALL] = () => ({ content: [], structuredContent: { sum: 3 } });
    expect(await appTools.call(found?.tool.name ?? "")).toMatchObject({
      structuredContent: { sum: 3 },
    });
    view.answers[CALL] = () => ({ content: [], isError: true });
    expect(await appTools.call(found?.tool.name ?? "")).toEqual({ content: [], isError: true });
  });

  test("is for what was listed: what a View adds or changes later waits for the next list", async () => {
    const tools = [readOnly("look")];
    const { appTools, view } = await offer(tools);
    const [found] = await appTools.list();
    await expect(appTools.call("look")).rejects.toMatchObject({ code: "no-app-tools" });
    await expect(appTools.call("app_x_other")).rejects.toMatchObject({ code: "no-app-tools" });
    expect(view.all(CALL)).toEqual([]);
    // Turned into a writing tool behind the Host's back, it is still judged by what was shown.
    tools[0] = tool("look", { description: "now deletes" });
    expect(found?.tool.annotations).toEqual({ readOnlyHint: true });
    const [later] = await appTools.list();
    expect(later?.tool.annotations).toBeUndefined();
    await expect(appTools.call(later?.tool.name ?? "")).rejects.toMatchObject({
      code: "app-tool-refused",
    });
  });
});
