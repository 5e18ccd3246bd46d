import { afterEach, describe, expect, test, vi } from "vitest";
import { FRAMEWORKS, openHookedStage } from "./hooked/hooked-stage.ts";

const STATE = "vitrine/state";
const RESULT = "ui/notifications/tool-result";
const CONTEXT = "ui/update-model-context";
const KEEPS = { hostCapabilities: { experimental: { [STATE]: {} }, updateModelContext: {} } };

const stage = openHookedStage();
const { hosts, show, connected, shown, until } = stage;
afterEach(() => {
  localStorage.clear();
  Reflect.deleteProperty(globalThis, "openai");
});

describe.each(FRAMEWORKS)("useViewState in %s", (_, mount) => {
  test("has the Host's value as soon as it is connected, and sends each change to it", async () => {
    show(mount, { ...KEEPS, hostContext: { [STATE]: { filter: "open", other: 1 } } });
    await until({ filter: "open", isRestored: true });
    stage.view.setFilter("paid");
    await until({ filter: "paid" });
    // Another name in the same View is kept.
    expect(hosts[0]?.last(STATE)?.params).toEqual({ value: { filter: "paid", other: 1 } });
  });

  test("waits for the tool's result elsewhere, and finds the value under its viewUUID", async () => {
    show(mount);
    await connected();
    expect(shown()).toEqual(expect.objectContaining({ filter: "all", isRestored: false }));
    hosts[0]?.notify(RESULT, { content: [], _meta: { viewUUID: "u-1" } });
    await until({ isRestored: true });
    stage.view.setFilter("paid");
    await until({ filter: "paid" });

    show(mount);
    await connected(2);
    hosts[1]?.notify(RESULT, { content: [], _meta: { viewUUID: "u-1" } });
    await until({ filter: "paid", isRestored: true });
  });

  test("is restored with nothing for a result without viewUUID, and for another view", async () => {
    show(mount);
    await connected();
    hosts[0]?.notify(RESULT, { content: [] });
    await until({ filter: "all", isRestored: true });
    stage.view.setFilter("paid");
    await until({ filter: "paid" });
    expect(localStorage.length).toBe(0);
  });

  test("keeps what the user sets before the old value is back", async () => {
    localStorage["vitrine:u-1"] = '1 {"filter":"old","other":1}';
    show(mount);
    await vi.waitFor(() => stage.view.setFilter("new"));
    await connected();
    stage.view.setFilter("newer");
    hosts[0]?.notify(RESULT, { content: [], _meta: { viewUUID: "u-1" } });
    await until({ filter: "newer", isRestored: true });
    expect(localStorage["vitrine:u-1"]).toContain('{"filter":"newer","other":1}');
  });

  test("uses the widget state of ChatGPT, in the half that the model does not see", async () => {
    const chat = {
      widgetState: { modelContent: "theirs", privateContent: { filter: "open" } },
      setWidgetState: vi.fn(),
    };
    Object.assign(globalThis, { openai: chat });
    show(mount);
    await until({ filter: "open", isRestored: true });
    stage.view.setFilter("paid");
    expect(chat.setWidgetState).toHaveBeenLastCalledWith({
      modelContent: "theirs",
      privateContent: { filter: "paid" },
    });
  });

  test("tells the model its half, after a pause, and only what changed last", async () => {
    show(mount, { ...KEEPS, hostContext: { [STATE]: { filter: "open" } } });
    await until({ filter: "open" });
    stage.view.setFilter("pai");
    stage.view.setFilter("paid");
    await vi.waitFor(() => expect(hosts[0]?.all(CONTEXT)).not.toHaveLength(0));
    expect(hosts[0]?.all(CONTEXT).map(({ params }) => params)).toEqual([
      { content: [{ type: "text", text: "The user filters by paid" }] },
    ]);
  });
});
