import { turn } from "@vitrine/internal/scripted-host";
import { describe, expect, test } from "vitest";
import { mergeContext, readCapabilities } from "../src/host-context.ts";
import { connectApp } from "./connect-app.ts";

const CHANGED = "ui/notifications/host-context-changed";

describe("the host context", () => {
  test("takes a change into what it was (VEW-12)", async () => {
    const { app, host } = await connectApp({ hostContext: { theme: "light", locale: "de-CH" } });
    host.notify(CHANGED, { theme: "dark" });
    await turn();
    expect(app.getHostContext()).toEqual({ theme: "dark", locale: "de-CH" });
  });

  test("is up to date when the listener runs, and the listener gets the change alone", async () => {
    const { app, host } = await connectApp({ hostContext: { theme: "light", locale: "en" } });
    const seen: unknown[] = [];
    app.onhostcontextchanged = (change) => seen.push([change, app.getHostContext()?.theme]);
    host.notify(CHANGED, { theme: "dark" });
    await turn();
    expect(seen).toEqual([[{ theme: "dark" }, "dark"]]);
  });

  test("changes even when nobody listens", async () => {
    const { app, host } = await connectApp();
    host.notify(CHANGED, { displayMode: "fullscreen" });
    await turn();
    expect(app.getHostContext()?.displayMode).toBe("fullscreen");
  });

  test("merges style variables one by one, so a switch of one colour keeps the others (VEW-12)", () => {
    const before = {
      styles: {
        variables: { "--color-text-primary": "black", "--font-sans": "Inter" },
        css: { fonts: "@font-face{}" },
      },
    } as never;
    const change = { styles: { variables: { "--color-text-primary": "white" } } } as never;
    expect(mergeContext(before, change).styles).toEqual({
      variables: { "--color-text-primary": "white", "--font-sans": "Inter" },
      css: { fonts: "@font-face{}" },
    });
  });

  test("replaces other objects whole", () => {
    const before = { containerDimensions: { maxHeight: 500 } };
    const change = { containerDimensions: { height: 300 } };
    expect(mergeContext(before, change).containerDimensions).toEqual({ height: 300 });
  });

  test("keeps keys that no specification knows", () => {
    expect(mergeContext({ "vendor/x": 1 }, { "vendor/y": 2 })).toEqual({
      "vendor/x": 1,
      "vendor/y": 2,
    });
  });

  test("reads the context that early hosts nest under hostContext, and their word style", () => {
    const nested = { hostContext: { theme: "dark" } } as never;
    expect(mergeContext({ locale: "en" }, nested)).toEqual({ locale: "en", theme: "dark" });
    const styled = { style: { variables: { "--font-sans": "X" } } } as never;
    expect(mergeContext({}, styled)).toEqual({ styles: { variables: { "--font-sans": "X" } } });
    // Both at once is what those hosts really send.
    const both = { hostContext: styled } as never;
    expect(mergeContext({}, both)).toEqual({ styles: { variables: { "--font-sans": "X" } } });
  });

  test("is not polluted by a message", () => {
    const hostile = JSON.parse(
      '{"__proto__":{"polluted":1},"styles":{"__proto__":{"polluted":1}}}',
    );
    const merged = mergeContext({}, hostile) as { polluted?: unknown };
    expect(merged.polluted).toBeUndefined();
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
  });

  test("does not change what was handed out before", async () => {
    const { app, host } = await connectApp({ hostContext: { theme: "light" } });
    const before = app.getHostContext();
    host.notify(CHANGED, { theme: "dark" });
    await turn();
    expect(before).toEqual({ theme: "light" });
  });
});

describe("host capabilities", () => {
  test("of early hosts are read under today's names", () => {
    expect(readCapabilities({ tools: {}, resources: { listChanged: true } } as never)).toEqual({
      serverTools: {},
      serverResources: { listChanged: true },
    });
  });

  test("of today's name win where both are given", () => {
    const both = { tools: {}, serverTools: { listChanged: true } } as never;
    expect(readCapabilities(both).serverTools).toEqual({ listChanged: true });
  });
});
