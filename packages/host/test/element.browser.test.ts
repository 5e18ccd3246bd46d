import { McpAppElement } from "@vitrine/host/element";
import { describe, expect, expectTypeOf, test, vi } from "vitest";
import type { Diagnostic } from "../src/diagnostic.ts";
import type { McpAppProperties, ShowingHost } from "../src/element.ts";
import type { Host } from "../src/host.ts";
import { appOf, openElementStage, ScriptedHost, settled } from "./element-stage.ts";

const stage = openElementStage();

/** Makes an element; it is not in the page yet. */
function make(properties: McpAppProperties = {}): McpAppElement {
  return Object.assign(document.createElement("mcp-app"), properties);
}

async function show(properties: McpAppProperties = {}): Promise<McpAppElement> {
  const element = make({ host: stage.host, app: appOf("a"), ...properties });
  stage.place.append(element);
  await settled();
  return element;
}

describe("an mcp-app element", () => {
  test("takes a Host", () => {
    expectTypeOf<Host>().toExtend<ShowingHost>();
  });

  test("mounts its View when it is in the page and knows host and app, in any order", async () => {
    const element = make({ app: appOf("a") });
    await settled();
    stage.place.append(element);
    await settled();
    expect(stage.host.mounts).toEqual([]);
    element.host = stage.host;
    await settled();
    expect(stage.host.mounts).toEqual(["a"]);
    expect(element.view).toBe(stage.host.view());
    expect(stage.host.view().frame.isConnected).toBe(true);
  });

  test("takes properties that were set before it was defined", async () => {
    class Late extends McpAppElement {}
    const element = document.createElement("late-app") as McpAppElement;
    Object.assign(element, { host: stage.host, app: appOf("a"), input: { x: 1 } });
    stage.place.append(element);
    customElements.define("late-app", Late);
    await settled();
    expect(stage.host.view().told).toEqual([{ input: { x: 1 } }]);
    element.input = { x: 2 };
    await settled();
    expect(stage.host.view().told).toHaveLength(2);
  });

  test("is defined once, though another copy of this module comes later", async () => {
    const path = "../src/element.ts?again";
    const again = await import(/* @vite-ignore */ path);
    expect(again.McpAppElement).not.toBe(McpAppElement);
    expect(customElements.get("mcp-app")).toBe(McpAppElement);
  });

  test("tells the View all that it knows at once, then only what is new", async () => {
    const input = { amount: 12 };
    const element = await show({ input });
    const { told } = stage.host.view();
    expect(told).toEqual([{ input }]);
    const result = { content: [] };
    element.input = input;
    element.partialInput = undefined;
    element.result = result;
    element.cancelled = "by the user";
    await settled();
    expect(told).toEqual([{ input }, { result, cancelled: "by the user" }]);
  });

  test("does not mount again for the same key, whatever object it comes in", async () => {
    const element = await show();
    element.app = appOf("a");
    await settled();
    expect(stage.host.mounts).toEqual(["a"]);
  });

  test("changes the View with the key, and the host", async () => {
    const element = await show({ input: { x: 1 } });
    element.app = appOf("b");
    await settled();
    expect(stage.host.mounts).toEqual(["a", "b"]);
    expect(stage.host.view("a").container).toBeUndefined();
    expect(stage.host.view("b").told).toEqual([{ input: { x: 1 } }]);
    const other = new ScriptedHost();
    element.host = other;
    await settled();
    expect(stage.host.view("b").container).toBeUndefined();
    expect(other.mounts).toEqual(["b"]);
    element.app = undefined;
    await settled();
    expect(other.view("b").container).toBeUndefined();
    other.lot.remove();
  });
});

describe("in and out of the page", () => {
  test("the View leaves with the element, and nothing listens on", async () => {
    const element = await show();
    element.remove();
    expect(element.view).toBeUndefined();
    const view = stage.host.view();
    expect(view.container).toBeUndefined();
    expect([view.listeners, stage.host.listeners.size]).toEqual([0, 0]);
    element.input = { x: 1 };
    await settled();
    expect(stage.host.mounts).toEqual(["a"]);
  });

  test("a node that is reordered mounts again, since its frame did not survive", async () => {
    const element = await show();
    stage.host.view().mark = true;
    stage.place.append(document.createElement("hr"));
    stage.place.append(element);
    await settled();
    expect(stage.host.mounts).toEqual(["a", "a"]);
    expect(stage.host.view().mark).toBe(false);
    expect(stage.host.view().container?.isConnected).toBe(true);
  });

  test("a node that is moved alive stays as it is", async () => {
    const element = await show();
    stage.host.view().mark = true;
    const aside = stage.place.appendChild(document.createElement("aside"));
    aside.moveBefore(element, null);
    await settled();
    expect(stage.host.mounts).toEqual(["a"]);
    expect(stage.host.view().leaves).toEqual([]);
    expect(stage.host.view().mark).toBe(true);
  });

  test("a View that is detached in time lives on in another element", async () => {
    const first = await show();
    stage.host.view().mark = true;
    first.detach();
    first.remove();
    expect(stage.host.view().leaves).toEqual([true]);
    await show();
    expect(stage.host.mounts).toEqual(["a", "a"]);
    expect(stage.host.view().mark).toBe(true);
  });

  test("a place that another element has taken over is not left a second time", async () => {
    const first = await show();
    const second = await show();
    expect(stage.host.view().container?.isConnected).toBe(true);
    first.remove();
    expect(stage.host.view().leaves).toEqual([]);
    expect(stage.host.view().frame.isConnected).toBe(true);
    expect(second.view).toBe(stage.host.view());
  });

  test("detaching stays in force until it is taken back", async () => {
    const element = await show();
    element.detach();
    element.input = { x: 1 };
    await settled();
    expect(stage.host.mounts).toEqual(["a"]);
    element.attach();
    await settled();
    expect(stage.host.mounts).toEqual(["a", "a"]);
  });
});

describe("what is seen", () => {
  const seen = (element: Element): boolean | undefined =>
    element.querySelector("[slot]")?.checkVisibility();

  async function showWithFallback(): Promise<McpAppElement> {
    const element = make({ host: stage.host, app: appOf("a") });
    element.innerHTML = '<p slot="fallback">The bill is paid.</p><p id="stray">stray</p>';
    stage.place.append(element);
    return element;
  }

  test("the fallback, until the View can be seen, and when it has gone", async () => {
    const element = await showWithFallback();
    expect(seen(element)).toBe(true);
    await settled();
    expect(seen(element)).toBe(true);
    stage.host.view().reach("initialized");
    expect(seen(element)).toBe(false);
    stage.host.view().reach("shown");
    expect(seen(element)).toBe(false);
    // It is loaded again.
    stage.host.view().reach("resource");
    expect(seen(element)).toBe(true);
    stage.host.view().reach("shown");
    stage.host.view().close();
    expect(seen(element)).toBe(true);
  });

  test("no fallback for a View that is there already", async () => {
    const first = await show();
    stage.host.view().reach("shown");
    first.detach();
    const element = await showWithFallback();
    await settled();
    expect(seen(element)).toBe(false);
  });

  test("nothing else that is inside, and what is inside can change without harm", async () => {
    const element = await showWithFallback();
    await settled();
    expect(element.querySelector("#stray")?.checkVisibility()).toBe(false);
    element.replaceChildren();
    expect(stage.host.view().frame.isConnected).toBe(true);
  });

  test("a block, which can be hidden", async () => {
    const element = await show();
    expect(getComputedStyle(element).display).toBe("block");
    element.hidden = true;
    expect(getComputedStyle(element).display).toBe("none");
  });
});

test("diagnostics of its own View are events, and those of others are not", async () => {
  const element = await show();
  const received = vi.fn((event: Event) => (event as CustomEvent<Diagnostic>).detail.view);
  element.addEventListener("diagnostic", received);
  stage.host.report("b");
  stage.host.report("a");
  expect(received.mock.results.map(({ value }) => value)).toEqual(["a"]);
});
