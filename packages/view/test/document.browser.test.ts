import {
  applyContainerDimensions,
  applyDocumentLocale,
  applyDocumentTheme,
  applyHostFonts,
  applyHostStyleVariables,
  directionOf,
  getDocumentTheme,
  grantedPermissions,
} from "@vitrine/view";
import { afterEach, describe, expect, test } from "vitest";
import { connectApp } from "./connect-app.ts";

const root = document.documentElement;

afterEach(() => {
  root.removeAttribute("style");
  root.removeAttribute("data-theme");
  root.className = "";
  document.getElementById("__mcp-host-fonts")?.remove();
});

describe("the language", () => {
  afterEach(() => {
    for (const name of ["lang", "dir", "data-host-locale"]) root.removeAttribute(name);
  });

  test("and its direction follow the Host", () => {
    root.removeAttribute("lang");
    applyDocumentLocale("ar-EG");
    expect([root.lang, root.dir]).toEqual(["ar-EG", "rtl"]);
    applyDocumentLocale("de-AT");
    expect([root.lang, root.dir]).toEqual(["de-AT", "ltr"]);
  });

  test.each([
    ["lang", "en"],
    ["dir", "ltr"],
  ])("of a document with its own %s stays", (name, value) => {
    root.removeAttribute("lang");
    root.setAttribute(name, value);
    applyDocumentLocale("ar-EG");
    expect([root.lang, root.dir]).toEqual([
      name === "lang" ? "en" : "",
      name === "dir" ? "ltr" : "",
    ]);
  });

  test("that isn't a language tag runs from left to right", () => {
    expect(directionOf("<script>")).toBe("ltr");
    expect(directionOf("he")).toBe("rtl");
  });
});

describe("the theme", () => {
  test("is set as data-theme and color-scheme, which light-dark() follows", () => {
    applyDocumentTheme("dark");
    expect(root.dataset.theme).toBe("dark");
    expect(getComputedStyle(root).colorScheme).toBe("dark");
    expect(getDocumentTheme()).toBe("dark");
    applyDocumentTheme("light");
    expect(getDocumentTheme()).toBe("light");
  });

  test("is read from the class dark where there is no data-theme", () => {
    expect(getDocumentTheme()).toBe("light");
    root.className = "dark";
    expect(getDocumentTheme()).toBe("dark");
    root.dataset.theme = "light";
    expect(getDocumentTheme()).toBe("light");
  });
});

describe("style variables", () => {
  test("are set on the root, or on the element that is given", () => {
    const element = document.createElement("div");
    applyHostStyleVariables({ "--font-sans": "Inter" } as never);
    applyHostStyleVariables({ "--font-sans": "Mono" } as never, element);
    expect(root.style.getPropertyValue("--font-sans")).toBe("Inter");
    expect(element.style.getPropertyValue("--font-sans")).toBe("Mono");
  });

  test("that are undefined are left alone", () => {
    applyHostStyleVariables({ "--font-sans": "Inter" } as never);
    applyHostStyleVariables({ "--font-sans": undefined } as never);
    expect(root.style.getPropertyValue("--font-sans")).toBe("Inter");
  });

  test("are variables only: a property of the page's own cannot be set", () => {
    applyHostStyleVariables({ display: "none", "background-image": "url(x)" } as never);
    expect(root.style).toHaveLength(0);
  });
});

describe("fonts", () => {
  test("stand in one style element that a later call replaces", () => {
    applyHostFonts("@font-face { font-family: A; src: local('A') }");
    applyHostFonts("@font-face { font-family: B; src: local('B') }");
    const styles = document.querySelectorAll("#__mcp-host-fonts");
    expect(styles).toHaveLength(1);
    expect(styles[0]?.textContent).toContain("font-family: B");
  });
});

describe("the container (VEW-25)", () => {
  const css = (): Record<string, string> => {
    const { width, height, maxWidth, maxHeight } = root.style;
    return { width, height, maxWidth, maxHeight };
  };

  test.each([
    [undefined, "", "", "", ""],
    [{}, "", "", "", ""],
    [{ width: 400, height: 300 }, "100%", "100%", "", ""],
    [{ maxWidth: 400, maxHeight: 300 }, "", "", "400px", "300px"],
    [{ width: 400, maxHeight: 300 }, "100%", "", "", "300px"],
  ])(
    "described as %j fills what is fixed and caps what is flexible",
    (dimensions, width, height, maxWidth, maxHeight) => {
      applyContainerDimensions(dimensions as never);
      expect(css()).toEqual({ width, height, maxWidth, maxHeight });
    },
  );

  test("that changes leaves nothing of the one before", () => {
    applyContainerDimensions({ maxHeight: 300 });
    applyContainerDimensions({ width: 400, height: 300 });
    expect(css()).toEqual({ width: "100%", height: "100%", maxWidth: "", maxHeight: "" });
  });

  test("with a maxHeight limits the height that an App reports, and follows its changes", async () => {
    const tall = document.createElement("div");
    tall.style.height = "900px";
    document.body.append(tall);
    const { app, host } = await connectApp({
      hostContext: { containerDimensions: { maxHeight: 60 } },
    });
    const heights = (): unknown[] =>
      host.all("ui/notifications/size-changed").map(({ params }) => params?.height);
    const stop = app.setupSizeChangedNotifications();
    await expect.poll(heights).toEqual([60]);
    host.notify("ui/notifications/host-context-changed", {
      containerDimensions: { maxHeight: 80 },
    });
    await expect.poll(heights).toEqual([60, 80]);
    stop();
    tall.remove();
  });
});

describe("permissions (VEW-06)", () => {
  test("are those the Host granted and the browser allows this frame", async () => {
    const { app } = await connectApp({
      hostCapabilities: { sandbox: { permissions: { clipboardWrite: {}, camera: {} } } },
    });
    const allowed = (
      document as unknown as { featurePolicy: { allowsFeature(f: string): boolean } }
    ).featurePolicy;
    const expected = (["camera", "clipboardWrite"] as const).filter((name) =>
      allowed.allowsFeature(name === "camera" ? "camera" : "clipboard-write"),
    );
    expect(grantedPermissions(app)).toEqual(expected);
  });

  test("that the Host did not grant are not assumed", async () => {
    const { app } = await connectApp();
    expect(grantedPermissions(app)).toEqual([]);
  });

  test("that the browser withholds from a frame are not claimed", async () => {
    const frame = document.createElement("iframe");
    frame.allow = "camera 'none'; clipboard-write 'none'";
    document.body.append(frame);
    const policy = (frame.contentDocument as unknown as { featurePolicy?: unknown }).featurePolicy;
    Object.defineProperty(document, "featurePolicy", { value: policy, configurable: true });
    const { app } = await connectApp({
      hostCapabilities: { sandbox: { permissions: { clipboardWrite: {}, camera: {} } } },
    });
    expect(grantedPermissions(app)).toEqual([]);
    Reflect.deleteProperty(document, "featurePolicy");
    frame.remove();
  });
});
