import {
  useApp,
  useAutoResize,
  useDocumentTheme,
  useHostContext,
  useHostFonts,
  useHostStyles,
  useHostStyleVariables,
  useToolInput,
  useToolResult,
} from "@vitrine/view/vue";
import { afterEach, describe, expect, test, vi } from "vitest";
import { createApp, effectScope, h, shallowRef, type VNodeChild } from "vue";
import { fontCss, openStage, REFUSAL, rootStyle, STYLED } from "./skin-stage.ts";

const stage = openStage();
const { hosts, meet, change } = stage;

let unmount: (() => void) | undefined;
afterEach(() => {
  unmount?.();
  unmount = undefined;
});

/** Renders a component whose `setup` returns what its one paragraph shows. */
function render(setup: () => () => VNodeChild): void {
  const component = createApp({ setup: () => setup() });
  component.mount(stage.place);
  unmount = () => component.unmount();
}

/** Shows the state of `useApp`. */
function show({ isConnected, error }: ReturnType<typeof useApp>, more?: () => string) {
  return () => {
    if (error.value) return h("p", error.value.message);
    return h("p", isConnected.value ? (more?.() ?? "connected") : "connecting");
  };
}

describe("useApp", () => {
  test("shows connecting, then the connected app", async () => {
    render(() => show(useApp(meet({ hesitate: true }))));
    await vi.waitFor(() => expect(hosts[0]?.methods).toEqual(["ui/initialize"]));
    expect(stage.text).toBe("connecting");
    hosts[0]?.admit();
    await vi.waitFor(() => expect(stage.text).toBe("connected"));
  });

  test("lets a component call the Host through the app", async () => {
    let view: ReturnType<typeof useApp> | undefined;
    render(() => {
      view = useApp(meet({ answers: { "tools/call": { content: [] } } }));
      return show(view);
    });
    await vi.waitFor(() => expect(stage.text).toBe("connected"));
    expect(await view?.app.value?.callServerTool({ name: "add" })).toEqual({ content: [] });
  });

  test("closes the app when the component unmounts", async () => {
    let view: ReturnType<typeof useApp> | undefined;
    render(() => {
      view = useApp(meet());
      return show(view);
    });
    await vi.waitFor(() => expect(stage.text).toBe("connected"));
    const app = view?.app.value;
    expect(app?.peer.channel).toBeDefined();
    unmount?.();
    expect(app?.peer.channel).toBeUndefined();
    expect(view?.isConnected.value).toBe(false);
  });

  test("makes no app for a scope that is gone at once", async () => {
    const onAppCreated = vi.fn();
    const scope = effectScope();
    scope.run(() => useApp(meet({}, { onAppCreated })));
    scope.stop();
    await new Promise(requestAnimationFrame);
    expect(onAppCreated).not.toHaveBeenCalled();
  });

  test("shows why the Host refused", async () => {
    render(() => show(useApp(meet(REFUSAL))));
    await vi.waitFor(() => expect(stage.text).toBe("not today"));
  });
});

describe("what the Host tells", () => {
  test("useHostContext renders again at each change, with the whole context", async () => {
    render(() => {
      const view = useApp(meet({ hostContext: { locale: "en-GB", theme: "light" } }));
      const context = useHostContext(view.app);
      return show(view, () => `${context.value?.locale} ${context.value?.theme}`);
    });
    await vi.waitFor(() => expect(stage.text).toBe("en-GB light"));
    change({ theme: "dark" });
    await vi.waitFor(() => expect(stage.text).toBe("en-GB dark"));
  });

  test("useToolInput and useToolResult show what the Host sends", async () => {
    render(() => {
      const view = useApp(meet());
      const input = useToolInput(view.app);
      const result = useToolResult(() => view.app.value);
      return show(view, () => JSON.stringify([input.value?.arguments, result.value?.content]));
    });
    await vi.waitFor(() => expect(hosts[0]?.methods).toContain("ui/notifications/initialized"));
    hosts[0]?.notify("ui/notifications/tool-input", { arguments: { a: 1 } });
    hosts[0]?.notify("ui/notifications/tool-result", { content: [] });
    await vi.waitFor(() => expect(stage.text).toBe('[{"a":1},[]]'));
  });
});

describe("the Host's style", () => {
  test("useHostStyles applies theme, variables and fonts, and follows changes", async () => {
    render(() => {
      const view = useApp(meet({ hostContext: STYLED }));
      useHostStyles(view.app);
      return show(view);
    });
    await vi.waitFor(() => expect(fontCss()).toBe("/* first */"));
    expect(document.documentElement.dataset.theme).toBe("dark");
    change({ styles: { variables: { "--font-sans": "Arial" }, css: { fonts: "/* second */" } } });
    await vi.waitFor(() => expect(fontCss()).toBe("/* second */"));
    expect(rootStyle("--font-sans")).toBe("Arial");
    expect(rootStyle("--color-text-primary")).toBe("red");
  });

  test("useHostStyleVariables and useHostFonts each apply their part of an initial context", () => {
    const initial = shallowRef(STYLED);
    render(() => {
      useHostStyleVariables(null, initial);
      return () => h("p");
    });
    expect(rootStyle("--font-sans")).toBe("Inter");
    expect(fontCss()).toBeUndefined();
    unmount?.();
    render(() => {
      useHostFonts(null, initial);
      return () => h("p");
    });
    expect(fontCss()).toBe("/* first */");
  });

  test("useDocumentTheme renders again when the document's theme changes", async () => {
    render(() => {
      const theme = useDocumentTheme();
      return () => h("p", theme.value);
    });
    expect(stage.text).toBe("light");
    document.documentElement.dataset.theme = "dark";
    await vi.waitFor(() => expect(stage.text).toBe("dark"));
  });
});

test("useAutoResize reports the size for an app that was made without", async () => {
  render(() => {
    const view = useApp(meet());
    useAutoResize(view.app);
    return show(view);
  });
  await vi.waitFor(() => expect(hosts[0]?.methods).toContain("ui/notifications/size-changed"));
});
