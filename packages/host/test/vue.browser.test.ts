import { McpApp } from "@vitrine/host/vue";
import { afterEach, describe, expect, test, vi } from "vitest";
import { type App, createApp, h, nextTick, reactive, type VNodeChild } from "vue";
import { appOf, openElementStage, settled } from "./element-stage.ts";

const stage = openElementStage();
let app: App | undefined;
afterEach(() => {
  app?.unmount();
  app = undefined;
});

async function render(draw: () => VNodeChild): Promise<void> {
  app = createApp({ render: draw });
  app.mount(stage.place);
  await settled();
}

const element = (): HTMLElement => stage.place.querySelector("mcp-app") as HTMLElement;

describe("McpApp", () => {
  test("shows the View and tells it what changes", async () => {
    const state = reactive<{ result?: { content: [] } }>({});
    const input = { amount: 12 };
    await render(() =>
      h(McpApp, { host: stage.host, app: appOf("a"), input, result: state.result }),
    );
    expect(stage.host.view().told).toEqual([{ input }]);
    state.result = { content: [] };
    await settled();
    expect(stage.host.mounts).toEqual(["a"]);
    expect(stage.host.view().told).toEqual([{ input }, { result: { content: [] } }]);
  });

  test("hands over objects and not Vue's proxies of them", async () => {
    const state = reactive({ host: stage.host, app: appOf("a"), input: { amount: 12 } });
    await render(() => h(McpApp, state as never));
    // A proxy could not reach the private fields of a View, and could not be sent to a frame.
    expect(stage.host.mounts).toEqual(["a"]);
    expect(() => structuredClone(stage.host.view().told[0])).not.toThrow();
  });

  test("parks the View before Vue removes the node, and shows it elsewhere alive", async () => {
    const state = reactive({ key: 1, shown: true });
    await render(() =>
      state.shown
        ? h("section", { key: state.key }, h(McpApp, { host: stage.host, app: appOf("a") }))
        : null,
    );
    const before = element();
    stage.host.view().mark = true;
    state.key = 2;
    await settled();
    expect(element()).not.toBe(before);
    expect(stage.host.view().mark).toBe(true);
    state.shown = false;
    await nextTick();
    expect(stage.host.view().leaves).toEqual([true, true]);
    expect(element()).toBeNull();
  });

  test("has a class, a fallback, and diagnostics", async () => {
    const onDiagnostic = vi.fn();
    const properties = { host: stage.host, app: appOf("a"), onDiagnostic, class: "app" };
    await render(() => h(McpApp, properties, { fallback: () => [h("b", "The bill is paid.")] }));
    expect(element().className).toBe("app");
    const fallback = element().querySelector("b");
    expect(fallback?.checkVisibility()).toBe(true);
    stage.host.view().reach("shown");
    expect(fallback?.checkVisibility()).toBe(false);
    stage.host.report("a");
    expect(onDiagnostic).toHaveBeenCalledExactlyOnceWith(
      expect.objectContaining({ code: "blocked" }),
    );
  });
});
