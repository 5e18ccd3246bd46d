import { type McpAppParameters, mcpApp } from "@vitrine/host/svelte";
import { type Component, mount, unmount } from "svelte";
import type { Action } from "svelte/action";
import { describe, expect, test, vi } from "vitest";
import { appOf, openElementStage, settled } from "./element-stage.ts";

const stage = openElementStage();

// The compiler checks `use:mcpApp` against this type.
const action: Action<HTMLElement, McpAppParameters> = mcpApp;

/**
 * Mounts a component that is one element with the action. It does what the compiler generates for
 * `<div use:mcpApp={parameters}>fallback</div>`, because these tests run uncompiled.
 */
async function render(parameters: McpAppParameters, html = ""): Promise<Rendered> {
  let handle: ReturnType<typeof action>;
  const node = document.createElement("div");
  node.innerHTML = html;
  const component: Component = (anchor) => {
    (anchor as unknown as Comment).before(node);
    handle = action(node, parameters);
    return {};
  };
  const mounted = mount(component, { target: stage.place });
  await settled();
  return {
    node,
    update: async (next) => {
      handle?.update?.(next);
      await settled();
    },
    remove: async () => {
      await unmount(mounted);
      // In this order: Svelte removes the node first.
      node.remove();
      handle?.destroy?.();
    },
  };
}

interface Rendered {
  node: HTMLElement;
  update(parameters: McpAppParameters): Promise<void>;
  remove(): Promise<void>;
}

describe("mcpApp", () => {
  test("shows the View and tells it what changes", async () => {
    const shown = { host: stage.host, app: appOf("a"), input: { amount: 12 } };
    const { update, remove } = await render(shown);
    expect(stage.host.view().told).toEqual([{ input: { amount: 12 } }]);
    await update({ ...shown, app: appOf("a"), result: { content: [] } });
    expect(stage.host.mounts).toEqual(["a"]);
    expect(stage.host.view().told[1]).toEqual({ result: { content: [] } });
    await update({ ...shown, app: appOf("b") });
    expect(stage.host.mounts).toEqual(["a", "b"]);
    await remove();
    expect(stage.host.view("b").container).toBeUndefined();
    expect(stage.host.listeners.size).toBe(0);
  });

  test("shows what the element contains until the View is seen", async () => {
    const { node, remove } = await render(
      { host: stage.host, app: appOf("a") },
      "<b>The bill is paid.</b>",
    );
    expect(node.querySelector("b")?.checkVisibility()).toBe(true);
    stage.host.view().reach("shown");
    expect(node.querySelector("b")?.checkVisibility()).toBe(false);
    await remove();
  });

  test("calls the newest onDiagnostic", async () => {
    const [first, second] = [vi.fn(), vi.fn()];
    const shown = { host: stage.host, app: appOf("a") };
    const { update, remove } = await render({ ...shown, onDiagnostic: first });
    await update({ ...shown, onDiagnostic: second });
    stage.host.report("a");
    expect(first).not.toHaveBeenCalled();
    expect(second).toHaveBeenCalledExactlyOnceWith(expect.objectContaining({ code: "blocked" }));
    await remove();
  });
});
