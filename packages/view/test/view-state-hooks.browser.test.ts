import { afterEach, describe, expect, test, vi } from "vitest";
import type { HookedView, MountHooked, Shown } from "./hooked/hooked-view.ts";
import { mountReact } from "./hooked/react.tsx";
import { mountSvelte } from "./hooked/svelte.ts";
import { mountVue } from "./hooked/vue.ts";
import { openStage } from "./skin-stage.ts";

const STATE = "vitrine/state";
const RESULT = "ui/notifications/tool-result";
const CONTEXT = "ui/update-model-context";
const KEEPS = { hostCapabilities: { experimental: { [STATE]: {} }, updateModelContext: {} } };

const stage = openStage();
const { hosts, meet } = stage;
let view: HookedView | undefined;
afterEach(() => {
  view?.unmount();
  view = undefined;
  localStorage.clear();
  Reflect.deleteProperty(globalThis, "openai");
});

const shown = (): Shown => JSON.parse(stage.text ?? "{}") as Shown;
const until = (expected: Partial<Shown>): Promise<void> =>
  vi.waitFor(() => expect(shown()).toMatchObject(expected));
const connected = (count = 1): Promise<void> =>
  vi.waitFor(() => {
    expect(hosts).toHaveLength(count);
    expect(hosts.at(-1)?.methods).toContain("ui/notifications/initialized");
  });

const FRAMEWORKS: [string, MountHooked][] = [
  ["React", mountReact],
  ["Vue", mountVue],
  ["Svelte", mountSvelte],
];

describe.each(FRAMEWORKS)("useViewState in %s", (_, mount) => {
  const remount = (options: ReturnType<typeof meet>): void => {
    view?.unmount();
    view = mount(stage.place, options);
  };

  test("has the Host's value as soon as it is connected, and sends each change to it", async () => {
    remount(meet({ ...KEEPS, hostContext: { [STATE]: { filter: "open", other: 1 } } }));
    await until({ filter: "open", isRestored: true });
    view?.setFilter("paid");
    await until({ filter: "paid" });
    // Another name in the same View is kept.
    expect(hosts[0]?.last(STATE)?.params).toEqual({ value: { filter: "paid", other: 1 } });
  });

  test("waits for the tool's result elsewhere, and finds the value under its viewUUID", async () => {
    remount(meet());
    await connected();
    expect(shown()).toEqual(expect.objectContaining({ filter: "all", isRestored: false }));
    hosts[0]?.notify(RESULT, { content: [], _meta: { viewUUID: "u-1" } });
    await until({ isRestored: true });
    view?.setFilter("paid");
    await until({ filter: "paid" });

    remount(meet());
    await connected(2);
    hosts[1]?.notify(RESULT, { content: [], _meta: { viewUUID: "u-1" } });
    await until({ filter: "paid", isRestored: true });
  });

  test("is restored with nothing for a result without viewUUID, and for another view", async () => {
    remount(meet());
    await connected();
    hosts[0]?.notify(RESULT, { content: [] });
    await until({ filter: "all", isRestored: true });
    view?.setFilter("paid");
    await until({ filter: "paid" });
    expect(localStorage.length).toBe(0);
  });

  test("keeps what the user sets before the old value is back", async () => {
    localStorage["vitrine:u-1"] = '1 {"filter":"old","other":1}';
    remount(meet());
    view?.setFilter("new");
    await connected();
    view?.setFilter("newer");
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
    remount(meet());
    await until({ filter: "open", isRestored: true });
    view?.setFilter("paid");
    expect(chat.setWidgetState).toHaveBeenLastCalledWith({
      modelContent: "theirs",
      privateContent: { filter: "paid" },
    });
  });

  test("tells the model its half, after a pause, and only what changed last", async () => {
    remount(meet({ ...KEEPS, hostContext: { [STATE]: { filter: "open" } } }));
    await until({ filter: "open" });
    view?.setFilter("pai");
    view?.setFilter("paid");
    await vi.waitFor(() => expect(hosts[0]?.all(CONTEXT)).not.toHaveLength(0));
    expect(hosts[0]?.all(CONTEXT).map(({ params }) => params)).toEqual([
      { content: [{ type: "text", text: "The user filters by paid" }] },
    ]);
  });
});
