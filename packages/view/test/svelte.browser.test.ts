import {
  type AppState,
  type AppStore,
  useApp,
  useAutoResize,
  useDocumentTheme,
  useHostContext,
  useHostFonts,
  useHostStyles,
  useHostStyleVariables,
  useToolInput,
  useToolResult,
} from "@vitrine/view/svelte";
import { type Component, mount, onDestroy, unmount } from "svelte";
import type { Readable } from "svelte/store";
import { afterEach, describe, expect, test, vi } from "vitest";
import { fontCss, openStage, REFUSAL, rootStyle, STYLED } from "./skin-stage.ts";

const stage = openStage();
const { hosts, meet, change } = stage;

let remove: (() => Promise<void>) | undefined;
afterEach(async () => {
  await remove?.();
  remove = undefined;
});

/**
 * Mounts a component that shows a store in a paragraph. It does manually what the compiler makes of
 * `$store`, a subscription for the component's life, because these tests run uncompiled.
 */
function render<T>(setup: () => Readable<T>, write: (value: T) => string): void {
  const component: Component = (anchor) => {
    const paragraph = document.createElement("p");
    (anchor as unknown as Comment).before(paragraph);
    onDestroy(
      setup().subscribe((value) => {
        paragraph.textContent = write(value);
      }),
    );
    return {};
  };
  const mounted = mount(component, { target: stage.place, context: new Map() });
  remove = () => unmount(mounted);
}

const phase = ({ isConnected, error }: AppState): string =>
  error ? error.message : isConnected ? "connected" : "connecting";

/** Subscribes until the test ends; returns everything received. */
function subscribe<T>(store: Readable<T>): T[] {
  const received: T[] = [];
  const unsubscribe = store.subscribe((value) => received.push(value));
  remove = async () => unsubscribe();
  return received;
}

describe("useApp", () => {
  test("shows connecting, then the connected app", async () => {
    render(() => useApp(meet({ hesitate: true })), phase);
    await vi.waitFor(() => expect(hosts[0]?.methods).toEqual(["ui/initialize"]));
    expect(stage.text).toBe("connecting");
    hosts[0]?.admit();
    await vi.waitFor(() => expect(stage.text).toBe("connected"));
  });

  test("closes the app when the component is destroyed", async () => {
    let state: AppState | undefined;
    render(
      () => useApp(meet()),
      (current) => {
        state = current;
        return phase(current);
      },
    );
    await vi.waitFor(() => expect(stage.text).toBe("connected"));
    const app = state?.app;
    expect(app?.peer.channel).toBeDefined();
    await remove?.();
    remove = undefined;
    expect(app?.peer.channel).toBeUndefined();
  });

  test("connects nobody before it is subscribed to, and once for several subscribers", async () => {
    const view = useApp(meet());
    await new Promise(requestAnimationFrame);
    expect(hosts).toHaveLength(0);
    const received = [subscribe(view), subscribe(view)];
    await vi.waitFor(() =>
      expect(received.map((states) => states.at(-1)?.isConnected)).toEqual([true, true]),
    );
    expect(hosts).toHaveLength(1);
  });

  test("does nothing for a subscription that ends at once, as on a server", async () => {
    const onAppCreated = vi.fn();
    useApp(meet({}, { onAppCreated })).subscribe(() => {})();
    await new Promise(requestAnimationFrame);
    expect(onAppCreated).not.toHaveBeenCalled();
  });

  test("shows why the Host refused", async () => {
    render(() => useApp(meet(REFUSAL)), phase);
    await vi.waitFor(() => expect(stage.text).toBe("not today"));
  });
});

describe("what the Host tells", () => {
  test("useHostContext changes with the Host's context, and is the whole of it", async () => {
    const options = meet({ hostContext: { locale: "en-GB", theme: "light" } });
    render(
      () => useHostContext(useApp(options)),
      (context) => `${context?.locale} ${context?.theme}`,
    );
    await vi.waitFor(() => expect(stage.text).toBe("en-GB light"));
    change({ theme: "dark" });
    await vi.waitFor(() => expect(stage.text).toBe("en-GB dark"));
  });

  test("useToolInput and useToolResult hold what the Host sends", async () => {
    const view = useApp(meet());
    const inputs = subscribe(useToolInput(view));
    const results = subscribe(useToolResult(view));
    await vi.waitFor(() => expect(hosts[0]?.methods).toContain("ui/notifications/initialized"));
    hosts[0]?.notify("ui/notifications/tool-input", { arguments: { a: 1 } });
    hosts[0]?.notify("ui/notifications/tool-result", { content: [] });
    await vi.waitFor(() => expect(results.at(-1)).toEqual({ content: [] }));
    expect(inputs.at(-1)).toEqual({ arguments: { a: 1 } });
  });
});

describe("the Host's style", () => {
  const styledView = (follow: (view: AppStore) => () => void): void => {
    const undo = follow(useApp(meet({ hostContext: STYLED })));
    remove = async () => undo();
  };

  test("useHostStyles applies theme, variables and fonts, and follows changes", async () => {
    styledView((view) => useHostStyles(view));
    await vi.waitFor(() => expect(fontCss()).toBe("/* first */"));
    expect(document.documentElement.dataset.theme).toBe("dark");
    change({ styles: { variables: { "--font-sans": "Arial" }, css: { fonts: "/* second */" } } });
    await vi.waitFor(() => expect(fontCss()).toBe("/* second */"));
    expect(rootStyle("--font-sans")).toBe("Arial");
    expect(rootStyle("--color-text-primary")).toBe("red");
  });

  test("useHostStyles stops with its undo, and lets the app go", async () => {
    styledView((view) => useHostStyles(view));
    await vi.waitFor(() => expect(fontCss()).toBe("/* first */"));
    await remove?.();
    expect(() => change({ styles: { css: { fonts: "/* second */" } } })).toThrow("closed");
    expect(fontCss()).toBe("/* first */");
  });

  test("useHostStyleVariables leaves fonts alone, and useHostFonts the variables", async () => {
    styledView((view) => useHostStyleVariables(view));
    await vi.waitFor(() => expect(rootStyle("--font-sans")).toBe("Inter"));
    expect(fontCss()).toBeUndefined();
    await remove?.();
    document.documentElement.removeAttribute("style");
    styledView((view) => useHostFonts(view, { theme: "dark" }));
    await vi.waitFor(() => expect(fontCss()).toBe("/* first */"));
    expect(rootStyle("--font-sans")).toBe("");
  });

  test("useDocumentTheme holds the theme the document wears", async () => {
    const themes = subscribe(useDocumentTheme());
    document.documentElement.dataset.theme = "dark";
    await vi.waitFor(() => expect(themes.at(-1)).toBe("dark"));
    expect(themes[0]).toBe("light");
  });
});

test("useAutoResize reports the size for an app that was made without", async () => {
  const undo = useAutoResize(useApp(meet()));
  remove = async () => undo();
  await vi.waitFor(() => expect(hosts[0]?.methods).toContain("ui/notifications/size-changed"));
});
