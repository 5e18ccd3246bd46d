import { describe, expect, test, vi } from "vitest";
import { FRAMEWORKS, openHookedStage } from "./hooked/hooked-stage.ts";

const CONTEXT = "ui/update-model-context";
const PARTIAL = "ui/notifications/tool-input-partial";
const INPUT = "ui/notifications/tool-input";
const save = { structuredContent: { id: 7 }, content: [] };

const stage = openHookedStage();
const { hosts, change, show, connected, shown, until } = stage;

/** Answers of a tool that a test gives one by one. */
function heldAnswers() {
  const waiting: ((answer: object) => void)[] = [];
  const received: Record<string, unknown>[] = [];
  const call = (params: Record<string, unknown>) => {
    received.push(params);
    return new Promise((resolve) => waiting.push(resolve));
  };
  return { received, waiting, script: { slowAnswers: { "tools/call": call } } };
}

describe.each(FRAMEWORKS)("in %s", (_, mount) => {
  test("usePartialInput has what the model has written so far, then the whole input", async () => {
    show(mount);
    await connected();
    await vi.waitFor(() => {
      hosts[0]?.notify(PARTIAL, { arguments: { title: "Tax" } });
      expect(shown()).toMatchObject({ input: { title: "Tax" }, isComplete: false });
    });
    hosts[0]?.notify(INPUT, { arguments: { title: "Taxi", amount: 12 } });
    await until({ input: { title: "Taxi", amount: 12 }, isComplete: true });
  });

  test("useDisplayMode follows the Host, and resolves with the mode in force", async () => {
    const answers = { "ui/request-display-mode": { mode: "fullscreen" } };
    const modes = { displayMode: "inline", availableDisplayModes: ["inline", "fullscreen"] };
    show(mount, { hostContext: modes, answers });
    await until({ mode: "inline", available: ["inline", "fullscreen"] });
    expect(await stage.view.request("fullscreen")).toBe("fullscreen");
    await until({ mode: "fullscreen" });
    change({ displayMode: "inline" });
    await until({ mode: "inline" });
    // The Host doesn't offer it, so nothing is sent.
    expect(await stage.view.request("pip")).toBe("inline");
    expect(hosts[0]?.all("ui/request-display-mode")).toHaveLength(1);
  });

  test("useToolCall shows a pending call, its data, and its failure", async () => {
    const answers: object[] = [
      save,
      { isError: true, content: [{ type: "text", text: "Locked" }] },
    ];
    show(mount, { answers: { "tools/call": () => answers.shift() } });
    await connected();
    const result = stage.view.run({ title: "Taxi" });
    expect(await result).toEqual(save);
    await until({ isPending: false, data: { id: 7 } });
    expect(hosts[0]?.last("tools/call")?.params).toMatchObject({
      name: "save",
      arguments: { title: "Taxi" },
    });
    expect(await stage.view.run({ title: "Bus" })).toBeUndefined();
    await until({ error: "Locked", data: { id: 7 }, isPending: false });
    stage.view.reset();
    await vi.waitFor(() => {
      expect(shown().error).toBeUndefined();
      expect(shown().data).toBeUndefined();
    });
  });

  test("useToolCall shows the latest call, whichever answer comes first", async () => {
    const { waiting, script } = heldAnswers();
    show(mount, script);
    await connected();
    const first = stage.view.run({ at: 1 });
    const second = stage.view.run({ at: 2 });
    await vi.waitFor(() => expect(waiting).toHaveLength(2));
    await until({ isPending: true });
    waiting[1]?.({ content: [], structuredContent: { at: 2 } });
    await second;
    waiting[0]?.({ content: [], structuredContent: { at: 1 } });
    // Its caller still gets the first answer: it may have saved something.
    expect(await first).toMatchObject({ structuredContent: { at: 1 } });
    await until({ data: { at: 2 }, isPending: false });
    expect(hosts[0]?.methods).not.toContain("notifications/cancelled");
  });

  test("useToolCall cancels on request, without an error", async () => {
    const { waiting, script } = heldAnswers();
    show(mount, script);
    await connected();
    const call = stage.view.run({});
    await vi.waitFor(() => expect(waiting).toHaveLength(1));
    stage.view.cancel();
    expect(await call).toBeUndefined();
    await until({ isPending: false });
    expect(shown().error).toBeUndefined();
    expect(hosts[0]?.methods).toContain("notifications/cancelled");
  });

  test("useModelContext merges all parts of a View, sends changes once, and clears them", async () => {
    show(mount, { hostCapabilities: { updateModelContext: {} } });
    await connected();
    const sent = () => hosts[0]?.all(CONTEXT).map(({ params }) => params);
    const filter = [{ type: "text", text: "The user filters by all" }];
    stage.view.tell({ selected: 1 });
    stage.view.tell({ selected: 2 });
    await vi.waitFor(() =>
      expect(sent()?.at(-1)).toEqual({ content: filter, structuredContent: { selected: 2 } }),
    );
    expect(JSON.stringify(sent())).not.toContain('"selected":1');
    stage.view.tell(undefined);
    await vi.waitFor(() => expect(sent()?.at(-1)).toEqual({ content: filter }));
  });

  test("useModelContext sends data as text to a Host that accepts nothing else", async () => {
    show(mount, { hostCapabilities: { updateModelContext: { text: {}, image: {} } } });
    await connected();
    stage.view.tell({ selected: 2 });
    await vi.waitFor(() =>
      expect(hosts[0]?.last(CONTEXT)?.params?.content).toContainEqual({
        type: "text",
        text: '{"selected":2}',
      }),
    );
  });

  test("useModelContext sends at once when the user leaves the View", async () => {
    show(mount, { hostCapabilities: { updateModelContext: {} } });
    await connected();
    await vi.waitFor(() => expect(hosts[0]?.all(CONTEXT)).toHaveLength(1));
    stage.view.tell("Just now");
    await vi.waitFor(() => {
      window.dispatchEvent(new Event("blur"));
      expect(JSON.stringify(hosts[0]?.last(CONTEXT)?.params)).toContain("Just now");
    });
  });

  test("useModelContext stops asking a Host that does not know the method", async () => {
    const refuse = () => {
      throw { code: -32601, message: "Method not found" };
    };
    show(mount, { answers: { [CONTEXT]: refuse } });
    await connected();
    await vi.waitFor(() => expect(hosts[0]?.all(CONTEXT)).toHaveLength(1));
    stage.view.tell("More");
    stage.view.setFilter("open");
    await until({ filter: "open" });
    await new Promise((resolve) => setTimeout(resolve, 400));
    expect(hosts[0]?.all(CONTEXT)).toHaveLength(1);
  });

  test("useUpload sends a file in parts, with progress, and returns the last answer", async () => {
    const { waiting, received, script } = heldAnswers();
    show(mount, script);
    await connected();
    const sending = stage.view.upload(new File(["receipt!!"], "a.txt", { type: "text/plain" }));
    for (const [count, sent] of [
      [1, 0],
      [2, 4 / 9],
      [3, 8 / 9],
    ] as const) {
      await vi.waitFor(() => expect(waiting).toHaveLength(count));
      await until({ sending: true, sent });
      waiting[count - 1]?.({ content: [{ type: "text", text: `Part ${count}` }] });
    }
    expect(await sending).toEqual({ content: [{ type: "text", text: "Part 3" }] });
    await until({ sending: false, sent: 1 });
    const parts = received.map(({ arguments: part }) => part as Record<string, unknown>);
    expect(parts.map(({ data }) => atob(String(data))).join("")).toBe("receipt!!");
    expect(parts.map(({ offset }) => offset)).toEqual([0, 4, 8]);
    expect(new Set(parts.map(({ id }) => id)).size).toBe(1);
    expect(parts[0]).toMatchObject({ name: "a.txt", mimeType: "text/plain", size: 9 });
  });

  test("useUpload refuses a file that is too large, and stops when cancelled", async () => {
    const { waiting, received, script } = heldAnswers();
    show(mount, script);
    await connected();
    await stage.view.upload(new File(["12345678901"], "long.txt"));
    await vi.waitFor(() => expect(shown().sendError).toContain('"long.txt"'));
    expect(received).toEqual([]);
    const sending = stage.view.upload(new File(["12345678"], "b.txt"));
    await vi.waitFor(() => expect(waiting).toHaveLength(1));
    stage.view.cancelUpload();
    expect(await sending).toBeUndefined();
    await until({ sending: false, sent: 0 });
    expect(shown().sendError).toBeUndefined();
    expect(received).toHaveLength(1);
  });
});
