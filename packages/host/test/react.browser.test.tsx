import { McpApp, type McpAppProps } from "@vitrine/host/react";
import { Activity, type ReactNode, StrictMode } from "react";
import { createRoot, type Root } from "react-dom/client";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { appOf, openElementStage, settled } from "./element-stage.ts";

const stage = openElementStage();
let root: Root;
beforeEach(() => {
  root = createRoot(stage.place);
});
afterEach(async () => {
  root.unmount();
  await settled();
});

async function render(node: ReactNode): Promise<void> {
  root.render(node);
  await settled();
}

/** The component, with an app object of its own at each render, as people write it. */
function App(props: McpAppProps & { id?: string }): ReactNode {
  return <McpApp host={stage.host} app={appOf(props.id ?? "a")} {...props} />;
}

const element = (): HTMLElement => stage.place.querySelector("mcp-app") as HTMLElement;

describe("McpApp", () => {
  test("shows the View and tells it each thing once, however often it is rendered", async () => {
    const input = { amount: 12 };
    await render(<App input={input} />);
    await render(<App input={input} />);
    const result = { content: [] };
    await render(<App input={input} result={result} />);
    expect(stage.host.mounts).toEqual(["a"]);
    expect(stage.host.view().told).toEqual([{ input }, { result }]);
  });

  test("has one View under StrictMode, which is detached and shown again and never removed", async () => {
    await render(
      <StrictMode>
        <App />
      </StrictMode>,
    );
    const view = stage.host.view();
    await vi.waitFor(() => expect(view.leaves).toEqual([true]));
    await settled();
    expect(stage.host.mounts).toEqual(["a", "a"]);
    expect(view.container?.isConnected).toBe(true);
  });

  test("parks the View before React removes the node", async () => {
    await render(
      <section>
        <App />
      </section>,
    );
    await render(null);
    expect(stage.host.view().leaves).toEqual([true]);
    expect(element()).toBeNull();
  });

  test("keeps the document alive when its React key changes", async () => {
    await render(<App key="1" />);
    const before = element();
    stage.host.view().mark = true;
    await render(<App key="2" />);
    expect(element()).not.toBe(before);
    expect(stage.host.mounts).toEqual(["a", "a"]);
    expect(stage.host.view().mark).toBe(true);
    expect(stage.host.view().container?.isConnected).toBe(true);
  });

  test("keeps the document alive when it is rendered elsewhere", async () => {
    await render(<App />);
    stage.host.view().mark = true;
    await render(
      <section>
        <p>
          <App />
        </p>
      </section>,
    );
    expect(stage.host.view().mark).toBe(true);
  });

  test("keeps the document alive while an Activity hides it, and while it is in no tree", async () => {
    const show = (mode: "visible" | "hidden"): Promise<void> =>
      render(
        <Activity mode={mode}>
          <App />
        </Activity>,
      );
    await show("visible");
    stage.host.view().mark = true;
    await show("hidden");
    expect(stage.host.view().container).toBeUndefined();
    await show("visible");
    expect(stage.host.view().mark).toBe(true);
    await render(null);
    await render(<App />);
    expect(stage.host.view().mark).toBe(true);
  });

  test("notices that a list was reordered, which React tells no component", async () => {
    const list = (...ids: string[]): Promise<void> =>
      render(ids.map((id) => <App key={id} id={id} />));
    await list("a", "b");
    await list("b", "a");
    expect(stage.host.mounts.length).toBe(3);
    for (const id of ["a", "b"]) {
      expect(stage.host.view(id).container?.isConnected).toBe(true);
      expect(stage.host.view(id).frame.isConnected).toBe(true);
    }
  });

  test("shows another View for another key", async () => {
    await render(<App />);
    await render(<App id="b" />);
    expect(stage.host.mounts).toEqual(["a", "b"]);
    expect(stage.host.view("a").container).toBeUndefined();
  });

  test("has a class, a style, and a fallback until the View is seen", async () => {
    await render(
      <App className="app" style={{ width: "50px" }} fallback={<b>The bill is paid.</b>} />,
    );
    expect(element().className).toBe("app");
    expect(element().offsetWidth).toBe(50);
    const fallback = element().querySelector("b");
    expect(fallback?.checkVisibility()).toBe(true);
    stage.host.view().reach("shown");
    expect(fallback?.checkVisibility()).toBe(false);
  });

  test("calls the newest onDiagnostic, and none after it has gone", async () => {
    const [first, second] = [vi.fn(), vi.fn()];
    await render(<App onDiagnostic={first} />);
    await render(<App onDiagnostic={second} />);
    stage.host.report("a");
    expect(first).not.toHaveBeenCalled();
    expect(second).toHaveBeenCalledExactlyOnceWith(expect.objectContaining({ code: "blocked" }));
    await render(null);
    expect(stage.host.listeners.size).toBe(0);
  });
});
