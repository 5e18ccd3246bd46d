import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { userEvent } from "vitest/browser";
import { isArmed, openDialogStage, PAY, pass, untilArmed } from "./consent-dialog-stage.ts";

// Click-jacking: a click that was meant for something else must not say yes.

let remove: (() => void)[] = [];
afterEach(() => {
  for (const undo of remove) undo();
  remove = [];
});

function add<K extends keyof HTMLElementTagNameMap>(tag: K, css = ""): HTMLElementTagNameMap[K] {
  const element = document.body.appendChild(document.createElement(tag));
  element.style.cssText = css;
  remove.push(() => element.remove());
  return element;
}

const COVER = "inset:0;width:100vw;height:100vh;margin:0;border:0;background:gold";

describe("before its time", () => {
  // Long enough for slow machines: none of these tests waits for it.
  const stage = openDialogStage({ armTime: 60_000 });

  test("neither a click on Allow nor a key answers the question", async () => {
    const asked = stage.ask(PAY);
    await stage.allow.click({ force: true });
    await userEvent.keyboard("{Enter}");
    await userEvent.keyboard(" ");
    expect(asked.answer).toBeUndefined();
    expect(stage.dialog?.open).toBe(true);
  });

  test("a scope that was picked by accident is not kept", async () => {
    stage.ask(PAY);
    const always = stage.part("input[value=always]") as HTMLInputElement;
    await userEvent.click(always);
    expect(always.checked).toBe(false);
  });
});

const stage = openDialogStage();
const { ask } = stage;

/** Clicks where "Allow" is, whatever is above it. */
const clickThere = (): Promise<void> => stage.allow.click({ force: true });

test("Allow answers after half a second of being seen", async () => {
  const before = performance.now();
  const asked = ask(PAY);
  expect(isArmed(stage)).toBe(false);
  await untilArmed(stage);
  expect(performance.now() - before).toBeGreaterThan(500);
  await clickThere();
  expect(asked.answer?.allow).toBe(true);
});

test("a press that began before counts as before, however late it ends", async () => {
  const asked = ask(PAY);
  const allow = stage.part(".allow");
  // As a busy page delivers them: the press waited, the click comes when all is armed.
  const press = new PointerEvent("pointerdown", { bubbles: true });
  await untilArmed(stage);
  allow.dispatchEvent(press);
  allow.click();
  await pass(0);
  expect(asked.answer).toBeUndefined();
  allow.click();
  await vi.waitFor(() => expect(asked.answer?.allow).toBe(true));
});

test("a key that is held down does not answer", async () => {
  const asked = ask(PAY);
  await untilArmed(stage);
  const allow = stage.part(".allow");
  allow.focus();
  const held = new KeyboardEvent("keydown", { key: "Enter", repeat: true, cancelable: true });
  allow.dispatchEvent(held);
  expect(held.defaultPrevented).toBe(true);
  await pass(0);
  expect(asked.answer).toBeUndefined();
});

test.each([
  [
    "the window's focus",
    "blur",
    "focus",
    () => vi.spyOn(document, "hasFocus").mockReturnValue(false),
  ],
  [
    "being the tab in front",
    "visibilitychange",
    "visibilitychange",
    () => vi.spyOn(document, "visibilityState", "get").mockReturnValue("hidden"),
  ],
])(
  "time without %s does not count, and the delay starts again after it",
  async (_, gone, back, pretend) => {
    ask(PAY);
    await untilArmed(stage);
    const away = pretend();
    document.dispatchEvent(new Event(gone, { bubbles: true }));
    expect(isArmed(stage)).toBe(false);
    await pass(700);
    expect(isArmed(stage)).toBe(false);
    away.mockRestore();
    const before = performance.now();
    document.dispatchEvent(new Event(back, { bubbles: true }));
    expect(isArmed(stage)).toBe(false);
    await untilArmed(stage);
    expect(performance.now() - before).toBeGreaterThan(490);
  },
);

test("a window that changes its size disarms it", async () => {
  ask(PAY);
  await untilArmed(stage);
  window.dispatchEvent(new Event("resize"));
  expect(isArmed(stage)).toBe(false);
});

test("a frame that has the focus disarms it", async () => {
  ask(PAY);
  await untilArmed(stage);
  // A modal dialog makes frames inert; this is a browser that lets one take the focus anyway.
  const active = vi.spyOn(document, "activeElement", "get").mockReturnValue(document.body);
  stage.dialog?.querySelector(".panel")?.dispatchEvent(new FocusEvent("focusout"));
  expect(isArmed(stage)).toBe(false);
  active.mockRestore();
});

test("moving between the buttons, or a click outside the dialog, does not restart the delay", async () => {
  ask(PAY);
  await untilArmed(stage);
  await userEvent.keyboard("{Tab}{Shift>}{Tab}{/Shift}");
  expect(isArmed(stage)).toBe(true);
  stage.dialog?.querySelector("h2")?.click();
  expect(isArmed(stage)).toBe(true);
  const beside = new MouseEvent("mousedown", { cancelable: true });
  stage.dialog?.dispatchEvent(beside);
  // Some browsers would take the focus to the page.
  expect(beside.defaultPrevented).toBe(true);
});

test("buttons that move are not armed", async () => {
  ask(PAY);
  await untilArmed(stage);
  // As a font that comes late.
  stage.part("h2").style.fontSize = "5rem";
  await vi.waitFor(() => expect(isArmed(stage)).toBe(false));
});

test("disarms a dialog that moves, for example when the page gets a scroll bar", async () => {
  ask(PAY);
  await untilArmed(stage);
  if (stage.dialog) stage.dialog.style.translate = "-7px";
  await vi.waitFor(() => expect(isArmed(stage)).toBe(false), { interval: 5 });
});

describe("what comes above the dialog", () => {
  // The top layer is a stack, and clicks fall through what a modal dialog makes inert.
  test.each([
    ["in the page", () => add("div", COVER)],
    [
      "in a closed shadow root",
      () => {
        const host = add("div");
        const inner = document.createElement("div");
        inner.style.cssText = COVER;
        host.attachShadow({ mode: "closed" }).append(inner);
        return inner;
      },
    ],
  ])("as a popover %s goes below it again, and disarms it", async (_, make) => {
    const asked = ask(PAY);
    await untilArmed(stage);
    const cover = make();
    cover.popover = "manual";
    const raised = vi.spyOn(HTMLDialogElement.prototype, "showModal");
    cover.showPopover();
    await vi.waitFor(() => expect(raised).toHaveBeenCalled(), { interval: 1 });
    expect(isArmed(stage)).toBe(false);
    stage.part(".allow").click();
    // On top again: in sight, or it would not arm.
    await untilArmed(stage);
    expect(asked.answer).toBeUndefined();
    await clickThere();
    expect(asked.answer?.allow).toBe(true);
  });

  test("as a popover in the page gets not even the first click", async () => {
    const asked = ask(PAY);
    await untilArmed(stage);
    const cover = add("div", COVER);
    cover.popover = "manual";
    cover.showPopover();
    stage.part(".allow").click();
    await pass(0);
    expect(asked.answer).toBeUndefined();
  });

  describe("in a browser that cannot tell what covers an element", () => {
    const { prototype } = IntersectionObserverEntry;
    const known = Object.getOwnPropertyDescriptor(prototype, "isVisible") as PropertyDescriptor;
    beforeEach(() => {
      Reflect.deleteProperty(prototype, "isVisible");
    });
    afterEach(() => {
      Object.defineProperty(prototype, "isVisible", known);
    });

    test("a page that is busy while the dialog comes up gives no time to look at it", async () => {
      ask(PAY);
      const busyUntil = performance.now() + 700;
      while (performance.now() < busyUntil);
      await pass(50);
      expect(isArmed(stage)).toBe(false);
    });

    test.each([
      [
        "a popover",
        () => {
          const cover = add("div", COVER);
          cover.popover = "manual";
          cover.showPopover();
        },
      ],
      ["an element in full screen", () => document.dispatchEvent(new Event("fullscreenchange"))],
    ])("%s goes below it, too", async (_, cover) => {
      ask(PAY);
      await untilArmed(stage);
      const raised = vi.spyOn(HTMLDialogElement.prototype, "showModal");
      cover();
      await vi.waitFor(() => expect(raised).toHaveBeenCalledOnce());
      expect(isArmed(stage)).toBe(false);
      await untilArmed(stage);
    });
  });

  test("by ordinary means is not above it: the top layer is", async () => {
    ask(PAY);
    add("div", `${COVER};position:fixed;z-index:2147483647`);
    await untilArmed(stage);
    const { x, y, width } = (stage.dialog as Element).getBoundingClientRect();
    const { host } = (stage.dialog as Element).getRootNode() as ShadowRoot;
    expect(document.elementFromPoint(x + width / 2, y + 10)).toBe(host);
  });
});

test("the dialog is in a closed shadow root, which no script of the page can look into", () => {
  ask(PAY);
  expect(stage.modes).toEqual(["closed"]);
});
