import { ScriptedHost } from "@vitrine/internal/scripted-host";
import {
  App,
  useDocumentTheme,
  useHostContext,
  useHostFonts,
  useHostStyles,
  useHostStyleVariables,
  useToolInput,
  useToolResult,
} from "@vitrine/view/react";
import { type ReactNode, useLayoutEffect } from "react";
import { describe, expect, test, vi } from "vitest";
import { openRoot, View } from "./react-view.tsx";
import { fontCss, openStage, rootStyle, STYLED } from "./skin-stage.ts";

const stage = openStage();
const render = openRoot(stage);
const { hosts, meet, change } = stage;

function Locale({ app }: { app: App }): ReactNode {
  return <p>{useHostContext(app)?.locale}</p>;
}

function Input({ app }: { app: App | null }): ReactNode {
  const input = useToolInput(app);
  return <i>{JSON.stringify(input?.arguments)}</i>;
}

function Theme(): ReactNode {
  return <p>{useDocumentTheme()}</p>;
}

describe("what the Host tells", () => {
  test("useHostContext renders again at each change, with the whole context", async () => {
    const use = (app: App | null): ReactNode => {
      const context = useHostContext(app);
      return `${context?.locale} ${context?.theme}`;
    };
    const options = meet({ hostContext: { locale: "en-GB", theme: "light" } });
    render(<View options={options} use={use} />);
    await vi.waitFor(() => expect(stage.text).toBe("en-GB light"));
    change({ theme: "dark" });
    await vi.waitFor(() => expect(stage.text).toBe("en-GB dark"));
  });

  test("useHostContext accepts an App that was created without useApp", async () => {
    const host = new ScriptedHost({ hostContext: { locale: "sv" } });
    const app = new App({ name: "own", version: "1.0.0" }, {}, { autoResize: false });
    await app.connect(host.view);
    render(<Locale app={app} />);
    await vi.waitFor(() => expect(stage.text).toBe("sv"));
    await app.close();
  });

  test("useToolInput and useToolResult show what came before any component asked", async () => {
    const use = (app: App | null): ReactNode => {
      const input = useToolInput(app);
      const result = useToolResult(app);
      return `${JSON.stringify(input?.arguments)} ${JSON.stringify(result?.content)}`;
    };
    render(<View options={meet({ hesitate: true })} use={use} />);
    await vi.waitFor(() => expect(hosts[0]?.methods).toEqual(["ui/initialize"]));
    hosts[0]?.admit();
    hosts[0]?.notify("ui/notifications/tool-input", { arguments: { a: 1 } });
    hosts[0]?.notify("ui/notifications/tool-result", { content: [] });
    await vi.waitFor(() => expect(stage.text).toBe('{"a":1} []'));
  });

  test("useToolInput serves a component that mounts after the input arrived", async () => {
    const use = (app: App | null): ReactNode => useToolInput(app) && <Input app={app} />;
    render(<View options={meet()} use={use} />);
    await vi.waitFor(() => expect(stage.text).toBe("connected"));
    hosts[0]?.notify("ui/notifications/tool-input", { arguments: { a: 1 } });
    await vi.waitFor(() => expect(stage.place.querySelector("i")?.textContent).toBe('{"a":1}'));
  });
});

describe("the Host's style", () => {
  const styled = (app: App | null): undefined => void useHostStyles(app);

  test("useHostStyles applies theme, variables and fonts without an initial context", async () => {
    render(<View options={meet({ hostContext: STYLED })} use={styled} />);
    await vi.waitFor(() => expect(rootStyle("--color-text-primary")).toBe("red"));
    expect(document.documentElement.dataset.theme).toBe("dark");
    expect(rootStyle("color-scheme")).toBe("dark");
    expect(fontCss()).toBe("/* first */");
  });

  test("useHostStyles follows changes, of fonts too, and keeps the other variables", async () => {
    render(<View options={meet({ hostContext: STYLED })} use={styled} />);
    await vi.waitFor(() => expect(fontCss()).toBe("/* first */"));
    const variables = { "--color-text-primary": "blue" };
    change({ styles: { variables, css: { fonts: "/* second */" } } });
    await vi.waitFor(() => expect(fontCss()).toBe("/* second */"));
    expect(rootStyle("--color-text-primary")).toBe("blue");
    expect(rootStyle("--font-sans")).toBe("Inter");
    expect(document.querySelectorAll("#__mcp-host-fonts")).toHaveLength(1);
  });

  test("useHostStyles applies styles that the Host sends only later", async () => {
    render(<View options={meet()} use={styled} />);
    await vi.waitFor(() => expect(stage.text).toBe("connected"));
    expect(fontCss()).toBeUndefined();
    change(STYLED);
    await vi.waitFor(() => expect(fontCss()).toBe("/* first */"));
    expect(rootStyle("--color-text-primary")).toBe("red");
  });

  test("useHostStyles reads the older name of styles", async () => {
    render(<View options={meet()} use={styled} />);
    await vi.waitFor(() => expect(stage.text).toBe("connected"));
    change({ style: { variables: { "--font-sans": "Arial" } } });
    await vi.waitFor(() => expect(rootStyle("--font-sans")).toBe("Arial"));
  });

  test("useHostStyles does not load equal fonts again when something else changes", async () => {
    render(<View options={meet({ hostContext: STYLED })} use={styled} />);
    await vi.waitFor(() => expect(fontCss()).toBe("/* first */"));
    // A mark that would not survive: Chromium alone sees that the text is the same.
    document.getElementById("__mcp-host-fonts")?.replaceChildren("/* marked */");
    change({ theme: "light" });
    await vi.waitFor(() => expect(document.documentElement.dataset.theme).toBe("light"));
    expect(fontCss()).toBe("/* marked */");
  });

  test("an initial context is applied before there is an app, and yields to the Host", async () => {
    // Written inline, as people do: a new object at every render must not bring the old theme back.
    const use = (app: App | null): ReactNode => {
      useHostStyleVariables(app, { theme: "light" });
      return useHostContext(app)?.locale;
    };
    render(<View options={meet({ hesitate: true, hostContext: STYLED })} use={use} />);
    await vi.waitFor(() => expect(document.documentElement.dataset.theme).toBe("light"));
    hosts[0]?.admit();
    await vi.waitFor(() => expect(document.documentElement.dataset.theme).toBe("dark"));
    change({ locale: "nl" });
    await vi.waitFor(() => expect(stage.text).toBe("nl"));
    expect(document.documentElement.dataset.theme).toBe("dark");
  });

  test("the styles are there when a layout effect measures", async () => {
    const measured: string[] = [];
    const use = (app: App | null): undefined => {
      useLayoutEffect(() => {
        if (app) measured.push(rootStyle("--font-sans"));
      }, [app]);
      useHostStyles(app);
    };
    render(<View options={meet({ hostContext: STYLED })} use={use} />);
    await vi.waitFor(() => expect(measured).toEqual(["Inter"]));
  });

  test("useHostStyleVariables leaves fonts alone, and useHostFonts the variables", async () => {
    const options = meet({ hostContext: STYLED });
    render(<View options={options} use={(app) => void useHostStyleVariables(app)} />);
    await vi.waitFor(() => expect(rootStyle("--font-sans")).toBe("Inter"));
    expect(fontCss()).toBeUndefined();
    document.documentElement.removeAttribute("style");
    render(<View key="2" options={options} use={(app) => void useHostFonts(app)} />);
    await vi.waitFor(() => expect(fontCss()).toBe("/* first */"));
    expect(rootStyle("--font-sans")).toBe("");
  });

  test("useDocumentTheme renders again when the document's theme changes", async () => {
    render(<Theme />);
    await vi.waitFor(() => expect(stage.text).toBe("light"));
    document.documentElement.dataset.theme = "dark";
    await vi.waitFor(() => expect(stage.text).toBe("dark"));
  });
});
