// A chat with its composer, as a product lays it out, and a view with a form in each mode.

import { type HostStage, openHostPage, openHostStage } from "@vitrine/internal/host-stage";
import type { CDPSession, Frame, Page } from "playwright";
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from "vitest";
import type {} from "./pages/hosted.ts";
import { viewOf } from "./scene.ts";

vi.setConfig({ hookTimeout: 60_000 });

const PROGRAM = new URL("./pages/hosted.ts", import.meta.url);
const FORM = viewOf(
  `greet(); send({ method: "ui/notifications/size-changed", params: { height: 300 } });`,
  `<label>Name <input id="name"></label>`,
);
const SIZES = {
  wide: { width: 1400, height: 900 },
  phone: { width: 360, height: 640 },
};

let stage: HostStage;
let page: Page;
beforeAll(async () => {
  stage = await openHostStage();
});
afterAll(() => stage.close());
afterEach(() => page?.close());

/** Opens the chat with two views; `sent` collects what was typed and sent. */
async function openChat(viewport: { width: number; height: number }): Promise<void> {
  page = await openHostPage(stage, { program: PROGRAM, viewport });
  await page.evaluate(
    ({ entrance, html }) => {
      const { hosted } = window;
      document.body.style.cssText =
        "margin:0;height:100dvh;display:flex;font:16px system-ui;overflow:hidden";
      const make = (id: string, css: string, parent: Element) => {
        const element = hosted.place(id);
        element.style.cssText = css;
        return parent.appendChild(element);
      };
      make("sidebar", "flex:0 0 20%;background:#eee", document.body);
      const chat = make(
        "chat",
        "flex:1;display:flex;flex-direction:column;min-width:0",
        document.body,
      );
      const list = make("list", "flex:1;overflow:auto;padding:16px", chat);
      const composer = make(
        "composer",
        "display:flex;gap:8px;padding:12px;border-top:1px solid #ccc",
        chat,
      );
      make("panel", "display:none;flex:0 0 40%", document.body);
      const field = Object.assign(document.createElement("textarea"), { id: "field", rows: 1 });
      const button = Object.assign(document.createElement("button"), {
        id: "send",
        textContent: "Send",
      });
      const sent: string[] = [];
      button.onclick = () => sent.push(field.value);
      Object.assign(window, { sent });
      field.style.flex = "1";
      composer.append(field, button);
      const find = (id: string) => () => document.getElementById(id);
      hosted.open({
        entrance,
        regions: { area: find("chat"), composer: find("composer"), panel: find("panel") },
      });
      const upstream = hosted.upstream("shop", [{ name: "order", html }]);
      for (const key of ["one", "two"]) {
        const view = hosted.host.mount(
          list.appendChild(hosted.place(key)),
          hosted.app(key, upstream, "order"),
        );
        view.update({ input: {}, result: { content: [] } });
      }
    },
    { entrance: stage.entrance, html: FORM },
  );
  await expect
    .poll(() => page.evaluate(() => window.hosted.host.views.get("one")?.stage))
    .toBe("shown");
  await (await formOf()).fill("#name", "half filled");
}

/** The first view's document. */
async function formOf(): Promise<Frame> {
  await expect.poll(() => page.frames().filter(isView).length).toBeGreaterThan(0);
  return page.frames().filter(isView)[0] as Frame;
}
const isView = (frame: Frame): boolean => frame.url().includes("/v/");

async function setMode(mode: "inline" | "fullscreen" | "pip", key = "one"): Promise<void> {
  await page.evaluate(({ mode, key }) => window.hosted.host.views.get(key)?.setDisplayMode(mode), {
    mode,
    key,
  });
  await settle();
}

/** Waits for the end of the shield (S37) and of the movement. */
async function settle(): Promise<void> {
  await page.waitForFunction(() => !document.querySelector("[data-vitrine-shield]"));
  await page.waitForTimeout(250);
}

type Box = { left: number; top: number; right: number; bottom: number };

/** The boxes of a page's parts; the card is in a closed shadow root, so it is read by the protocol. */
async function boxOf(selector: string): Promise<Box> {
  const { left, top, right, bottom } = await page.evaluate(
    (selector) => document.querySelector(selector)?.getBoundingClientRect().toJSON() as DOMRect,
    selector,
  );
  return { left, top, right, bottom };
}

async function find(
  match: (node: { nodeName: string; attributes?: string[] | undefined }) => boolean,
): Promise<Box> {
  const session: CDPSession = await page.context().newCDPSession(page);
  const { root } = await session.send("DOM.getDocument", { depth: -1, pierce: true });
  type Node = typeof root;
  const visit = (node: Node): Node[] => [
    ...(match(node) ? [node] : []),
    ...[...(node.children ?? []), ...(node.shadowRoots ?? [])].flatMap(visit),
  ];
  const [node] = visit(root);
  if (!node) throw new Error("No such element is in the page.");
  const { model } = await session.send("DOM.getBoxModel", { backendNodeId: node.backendNodeId });
  await session.detach();
  const [left, top, , , right, bottom] = model.border as [number, number, 0, 0, number, number];
  return { left, top, right, bottom };
}

/** The card of the view that isn't inline. */
const card = (): Promise<Box> =>
  find(
    ({ nodeName, attributes }) => nodeName === "SECTION" && !!attributes?.includes("data-shape"),
  );

const labelled = (label: string): Promise<Box> =>
  find(({ nodeName, attributes }) => nodeName === "BUTTON" && !!attributes?.includes(label));

const overlaps = (a: Box, b: Box): boolean =>
  a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;

/** Types and sends as the user of a device does. */
async function compose(text: string, device: "mouse" | "touch"): Promise<void> {
  const use = async (selector: string): Promise<void> => {
    const { left, right, top, bottom } = await boxOf(selector);
    const [x, y] = [(left + right) / 2, (top + bottom) / 2];
    if (device === "mouse") await page.mouse.click(x, y);
    else await tap(x, y);
  };
  await use("#field");
  await page.keyboard.press("ControlOrMeta+A");
  await page.keyboard.type(text);
  await use("#send");
}

let touches: { page: Page; session: CDPSession } | undefined;

async function touch(type: "touchStart" | "touchMove" | "touchEnd", x = 0, y = 0): Promise<void> {
  // One session for all: Chromium tracks touches by session.
  if (touches?.page !== page) {
    touches = { page, session: await page.context().newCDPSession(page) };
  }
  const touchPoints = type === "touchEnd" ? [] : [{ x, y }];
  await touches.session.send("Input.dispatchTouchEvent", { type, touchPoints });
}

async function tap(x: number, y: number): Promise<void> {
  await touch("touchStart", x, y);
  await touch("touchEnd");
}

const sent = (): Promise<string[]> =>
  page.evaluate(() => (window as never as { sent: string[] }).sent);

describe.each([
  ["wide", "mouse"],
  ["wide", "touch"],
  ["phone", "mouse"],
  ["phone", "touch"],
] as const)("on a %s screen, with %s", (size, device) => {
  test("H2: the composer takes text and sends it in every mode, and a half-filled form survives", async () => {
    await openChat(SIZES[size]);
    for (const mode of ["inline", "pip", "fullscreen", "pip", "inline"] as const) {
      await setMode(mode);
      if (mode !== "inline") expect(overlaps(await card(), await boxOf("#composer"))).toBe(false);
      await compose(`in ${mode}`, device);
      expect((await sent()).at(-1)).toBe(`in ${mode}`);
    }
    expect(await (await formOf()).inputValue("#name")).toBe("half filled");
  });
});

describe("a floating view", () => {
  /** Drags from one point to another, as a mouse does. */
  async function drag(from: Box, x: number, y: number): Promise<void> {
    await page.mouse.move(from.left + 60, from.top + 16);
    await page.mouse.down();
    await page.mouse.move(from.left + 60 + x / 2, from.top + 16 + y / 2, { steps: 4 });
    await page.mouse.move(from.left + 60 + x, from.top + 16 + y, { steps: 4 });
    await page.mouse.up();
    await settle();
  }

  test("is dragged by its bar, snaps to the nearest corner and stays there for the conversation", async () => {
    await openChat(SIZES.wide);
    await setMode("pip");
    const area = await boxOf("#chat");
    const { top: composer } = await boxOf("#composer");
    const before = await card();
    expect(before).toMatchObject({ right: area.right - 16, bottom: composer - 16 });
    await drag(before, -900, -500);
    expect(await card()).toMatchObject({ left: area.left + 16, top: area.top + 16 });
    await setMode("inline");
    await setMode("pip", "two");
    expect(await card()).toMatchObject({ left: area.left + 16, top: area.top + 16 });
    await setMode("inline", "two");
    expect(await (await formOf()).inputValue("#name")).toBe("half filled");
  });

  test("is resized by its free corner, within its limits", async () => {
    await openChat(SIZES.wide);
    await setMode("pip");
    const before = await card();
    await page.mouse.move(before.left + 4, before.top + 4);
    await page.mouse.down();
    await page.mouse.move(before.left - 96, before.top - 56, { steps: 5 });
    await page.mouse.up();
    await settle();
    const after = await card();
    expect(after).toEqual({ ...before, left: before.left - 100, top: before.top - 60 });
    await page.mouse.move(after.left + 4, after.top + 4);
    await page.mouse.down();
    await page.mouse.move(after.right, after.bottom, { steps: 5 });
    await page.mouse.up();
    await settle();
    const { left, top, right, bottom } = await card();
    expect([right - left, bottom - top]).toEqual([280, 160]);
  });

  test("is moved and resized by keyboard", async () => {
    await openChat(SIZES.wide);
    await setMode("pip");
    const area = await boxOf("#chat");
    const before = await card();
    const { left, top } = await labelled(
      "Move with the arrow keys, resize with Shift and the arrow keys",
    );
    await page.mouse.click(left + 10, top + 10);
    await page.keyboard.press("ArrowUp");
    await page.keyboard.press("ArrowLeft");
    await settle();
    expect(await card()).toMatchObject({ left: area.left + 16, top: area.top + 16 });
    await page.keyboard.press("Shift+ArrowRight");
    await settle();
    const wider = await card();
    expect(wider.right - wider.left).toBe(before.right - before.left + 24);
  });

  test("gives way to another one, which takes its place", async () => {
    await openChat(SIZES.wide);
    await setMode("pip");
    await setMode("pip", "two");
    const modes = await page.evaluate(() =>
      [...window.hosted.host.views.values()].map(({ displayMode }) => displayMode),
    );
    expect(modes).toEqual(["inline", "pip"]);
  });

  test("comes back from its placeholder", async () => {
    await openChat(SIZES.wide);
    await setMode("pip");
    const { right, top, bottom } = await find(
      ({ nodeName, attributes }) => nodeName === "ASIDE" && !attributes?.includes("hidden"),
    );
    // The button “Show here” is at its end.
    await page.mouse.click(right - 50, (top + bottom) / 2);
    await settle();
    expect(await page.evaluate(() => window.hosted.host.views.get("one")?.displayMode)).toBe(
      "inline",
    );
    expect(await (await formOf()).inputValue("#name")).toBe("half filled");
  });
});

describe("on a phone, a floating view", () => {
  test("is a sheet above the composer, and a swipe closes it", async () => {
    await openChat(SIZES.phone);
    await setMode("pip");
    const area = await boxOf("#chat");
    const { top: composer } = await boxOf("#composer");
    const sheet = await card();
    expect(sheet).toMatchObject({ left: area.left, right: area.right, bottom: composer });
    expect(sheet.bottom - sheet.top).toBeCloseTo(640 * 0.45, -1);
    const [x, y] = [sheet.left + 40, sheet.top + 12];
    await touch("touchStart", x, y);
    for (const dy of [30, 60, 100, 130]) await touch("touchMove", x, y + dy);
    await touch("touchEnd");
    await settle();
    expect(await page.evaluate(() => window.hosted.host.views.get("one")?.displayMode)).toBe(
      "inline",
    );
    expect(await (await formOf()).inputValue("#name")).toBe("half filled");
  });

  test("follows when the phone is turned, and its form stays filled", async () => {
    await openChat(SIZES.phone);
    await setMode("pip");
    await page.setViewportSize({ width: 640, height: 360 });
    await settle();
    expect(overlaps(await card(), await boxOf("#composer"))).toBe(false);
    await page.setViewportSize(SIZES.phone);
    await settle();
    expect((await card()).bottom).toBe((await boxOf("#composer")).top);
    expect(await (await formOf()).inputValue("#name")).toBe("half filled");
  });
});

test("a view in full screen goes to the side panel as soon as the product shows one", async () => {
  await openChat(SIZES.wide);
  await setMode("fullscreen");
  const area = await boxOf("#chat");
  expect(await card()).toEqual({ ...area, bottom: (await boxOf("#composer")).top });
  await page.evaluate(() => {
    const panel = document.getElementById("panel");
    if (panel) panel.style.display = "block";
  });
  await settle();
  expect(await card()).toEqual(await boxOf("#panel"));
  await page.focus("#field");
  await page.keyboard.press("Escape");
  await settle();
  expect(await page.evaluate(() => window.hosted.host.views.get("one")?.displayMode)).toBe(
    "inline",
  );
  expect(await (await formOf()).inputValue("#name")).toBe("half filled");
});
