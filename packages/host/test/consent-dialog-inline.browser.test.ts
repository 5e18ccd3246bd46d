import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { page, userEvent } from "vitest/browser";
import type { ConsentAnswer, ConsentRequest, ConsentSubject } from "../src/consent/consent.ts";
import { inlineDialog } from "../src/consent/consent-dialog-inline.ts";
import { consentOf } from "../src/consent/host-consent.ts";
import { addPlace, findPlace } from "../src/consent/question-place.ts";
import { createSurface, type Surface } from "../src/surface/surface.ts";
import { PAY } from "./consent-dialog-stage.ts";

const MESSAGE: ConsentSubject = {
  kind: "message",
  content: [{ type: "text", text: "Please book a table." }],
};
const LINK: ConsentSubject = {
  kind: "link",
  link: { href: "https://shop.example/a?b", host: "shop.example" },
};

const attach = Element.prototype.attachShadow;
let roots: ShadowRoot[] = [];
let cleanUps: (() => void)[] = [];
let composer: HTMLTextAreaElement;

beforeEach(async () => {
  await page.viewport(800, 700);
  vi.spyOn(Element.prototype, "attachShadow").mockImplementation(function (this: Element, init) {
    expect(init.mode).toBe("closed");
    const root = attach.call(this, { ...init, mode: "open" });
    roots.push(root);
    return root;
  });
  composer = document.createElement("textarea");
  document.body.append(composer);
  // Tests run in a frame, which does not have the focus at first.
  composer.focus();
});
afterEach(async () => {
  for (const cleanUp of cleanUps.reverse()) cleanUp();
  // The notice about a question that was withdrawn.
  for (const root of roots) root.querySelector<HTMLElement>("dialog .dismiss")?.click();
  document.body.replaceChildren();
  await vi.waitFor(() => expect(document.querySelector("[data-vitrine-shield]")).toBeNull());
  roots = [];
  cleanUps = [];
  vi.restoreAllMocks();
});

interface Shown {
  surface: Surface;
  frame: HTMLIFrameElement;
  ask(subject: ConsentSubject): Asked;
}

interface Asked {
  answer: ConsentAnswer | boolean | undefined;
  takeBack(): void;
}

/** A view whose frame is empty, in a real surface. */
function show(server = "Travel", options: object = {}): Shown {
  const surface = createSurface({ title: "A tool", server, modes: ["inline"] });
  surface.attach(document.body);
  surface.setSize({ height: 220 });
  surface.reveal();
  const frame = document.createElement("iframe");
  frame.srcdoc = "<button>in the view</button>";
  surface.body.append(frame);
  const view = { key: "a", server, conversation: "chat" };
  cleanUps.push(addPlace(options, view, { frame, shield: surface.shield }), () => surface.close());
  return {
    surface,
    frame,
    ask: (subject) => {
      const abort = new AbortController();
      const asked: Asked = { answer: undefined, takeBack: () => abort.abort() };
      const { signal } = abort;
      const request = { ...subject, view, userActive: true, signal } as ConsentRequest;
      const place = findPlace(options, request);
      const consent = "sandbox" in options ? consentOf(options as never) : undefined;
      const answer = consent?.(request) ?? (place && inlineDialog(place)(request));
      void Promise.resolve(answer).then((given) => {
        asked.answer = given;
      });
      cleanUps.push(() => abort.abort());
      return asked;
    },
  };
}

const find = (selector: string): HTMLElement | undefined =>
  roots
    .filter(({ host }) => host.isConnected && host.matches("[data-vitrine-question]"))
    .flatMap((root) => [...root.querySelectorAll<HTMLElement>(selector)])[0];
const isArmed = (): boolean => find(".allow")?.ariaDisabled === "false";
const pass = (time: number) => new Promise((resolve) => setTimeout(resolve, time));
const untilArmed = () =>
  vi.waitFor(() => expect(isArmed()).toBe(true), { timeout: 5000, interval: 10 });
const press = (selector: string) => userEvent.click(find(selector) as HTMLElement);
const modal = (): Element | null => document.querySelector("[data-vitrine-consent]");

describe("a question in the area of a view", () => {
  test("is allowed by Allow, and gives the area back to the view", async () => {
    const { ask, frame } = show();
    const asked = ask(MESSAGE);
    expect(modal()).toBeNull();
    expect(find(".content")?.textContent).toContain("Please book a table.");
    expect(find(".content")?.textContent).toContain("Travel");
    await untilArmed();
    await press(".allow");
    await vi.waitFor(() => expect(asked.answer).toEqual({ allow: true, remember: false }));
    expect(find(".panel")).toBeUndefined();
    expect(frame.checkVisibility()).toBe(true);
  });

  test("leaves the rest of the page usable, and the focus where it is", async () => {
    const { ask } = show();
    composer.focus();
    ask(MESSAGE);
    await userEvent.keyboard("hello ");
    await untilArmed();
    await userEvent.keyboard("world");
    expect(composer.value).toBe("hello world");
    expect(isArmed()).toBe(true);
  });

  test("gets the focus from the view that asks, and gives it back", async () => {
    const { ask, frame, surface } = show();
    frame.focus();
    const asked = ask(MESSAGE);
    const inside = () => (surface.body.getRootNode() as ShadowRoot).activeElement;
    expect(inside()?.matches("[data-vitrine-question]")).toBe(true);
    await userEvent.keyboard("{Enter} ");
    expect(asked.answer).toBeUndefined();
    await userEvent.keyboard("{Escape}");
    await vi.waitFor(() => expect(asked.answer).toEqual({ allow: false, remember: false }));
    expect(inside()).toBe(frame);
  });

  test("is allowed by keyboard", async () => {
    const { ask } = show();
    const asked = ask(LINK);
    await untilArmed();
    find(".allow")?.focus();
    await userEvent.keyboard("{Enter}");
    await vi.waitFor(() => expect(asked.answer).toMatchObject({ allow: true }));
  });

  test("is announced, and is a group with the question as its name", async () => {
    const { ask } = show();
    ask(MESSAGE);
    const name = "Send this message in your name?";
    expect(page.getByRole("group", { name }).elements().length).toBeGreaterThan(0);
    await vi.waitFor(() => expect(find("[role=status]")?.textContent).toBe(name));
  });

  test.each([
    ["Allow", ".allow", { allow: true, remember: "conversation" }],
    ["Don’t allow", ".deny", { allow: false, remember: "conversation" }],
  ])("isn't asked again if the user wants that, after %s", async (_, button, answer) => {
    const { ask } = show();
    const asked = ask(MESSAGE);
    await untilArmed();
    const box = find("input") as HTMLInputElement;
    expect(box.labels?.[0]?.textContent).toBe("Don’t ask again in this conversation");
    await userEvent.click(box);
    await press(button);
    await vi.waitFor(() => expect(asked.answer).toEqual(answer));
  });

  test("shows characters that could imitate or hide something", () => {
    const { ask } = show();
    const text = "<b>Verified</b> \u202eevil\u200b";
    ask({ kind: "message", content: [{ type: "text", text }] });
    expect(find(".box")?.textContent).toBe("<b>Verified</b> ⟨U+202E⟩evil⟨U+200B⟩");
    expect(find(".box b")).toBeUndefined();
  });
});

describe("Allow in a question in the page", () => {
  test("ignores clicks until everything was in sight for half a second", async () => {
    const { ask } = show();
    const asked = ask(MESSAGE);
    const begun = performance.now();
    let armed = Number.NaN;
    while (!asked.answer && performance.now() - begun < 5000) {
      if (isArmed() && Number.isNaN(armed)) armed = performance.now() - begun;
      const allow = find(".allow");
      allow?.dispatchEvent(new PointerEvent("pointerdown", { bubbles: true }));
      allow?.click();
      await pass(20);
    }
    expect(armed).toBeGreaterThanOrEqual(500);
    expect(asked.answer).toMatchObject({ allow: true });
  });

  test("waits until the user has seen all of a long message", async () => {
    const { ask } = show();
    const text = Array.from({ length: 100 }, (_, line) => `line ${line}`).join("\n");
    ask({ kind: "message", content: [{ type: "text", text }] });
    await pass(1000);
    expect(isArmed()).toBe(false);
    while (!find(".more")?.hidden) {
      find(".more")?.click();
      await pass(60);
    }
    await untilArmed();
  });

  test.each([
    [
      "is pushed down",
      () => composer.before(Object.assign(document.createElement("p"), { textContent: "new" })),
    ],
    ["changes its width", () => Object.assign(document.body.style, { width: "500px" })],
    ["loses the window's focus", () => vi.spyOn(document, "hasFocus").mockReturnValue(false)],
  ])("stops working when the question %s", async (_, change) => {
    const { ask } = show();
    ask(MESSAGE);
    await untilArmed();
    change();
    await vi.waitFor(() => expect(isArmed()).toBe(false), { interval: 5 });
    document.body.style.width = "";
  });

  test.each([
    ["a part of the page", "background:#fff"],
    ["something that lets clicks pass", "background:#fff;pointer-events:none"],
  ])("doesn't work while %s covers the text", async (_, style) => {
    const { ask } = show();
    const asked = ask(MESSAGE);
    const { left, top, width, height } = (find(".box") as HTMLElement).getBoundingClientRect();
    const cover = document.createElement("div");
    cover.style.cssText = `position:fixed;left:${left}px;top:${top}px;width:${width}px;height:${height}px;${style}`;
    document.body.append(cover);
    await pass(1200);
    expect(isArmed()).toBe(false);
    find(".allow")?.click();
    expect(asked.answer).toBeUndefined();
    cover.remove();
    await untilArmed();
  });

  test("doesn't work while a part of the question is outside the window", async () => {
    const { ask } = show();
    ask(MESSAGE);
    const space = document.createElement("div");
    const { height } = (find(".panel") as HTMLElement).getBoundingClientRect();
    space.style.height = `${innerHeight - height}px`;
    composer.before(space);
    await pass(1200);
    expect(isArmed()).toBe(false);
    space.remove();
    await untilArmed();
  });

  test("swallows presses on the area after an answer: they were meant for the question", async () => {
    const { ask } = show();
    const asked = ask(MESSAGE);
    await untilArmed();
    const box = (find(".allow") as HTMLElement).getBoundingClientRect();
    await press(".allow");
    await vi.waitFor(() => expect(asked.answer).toBeDefined());
    const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
    const isShielded = () =>
      document.elementFromPoint(x, y)?.closest("[data-vitrine-shield]") !== null;
    expect(isShielded()).toBe(true);
    await vi.waitFor(() => expect(isShielded()).toBe(false));
  });
});

describe("S36: a question in the page that is withdrawn", () => {
  test("is replaced by a notice, and the next one takes longer", async () => {
    const { ask } = show();
    const first = ask(LINK);
    const second = ask(MESSAGE);
    await untilArmed();
    first.takeBack();
    await vi.waitFor(() => expect(first.answer).toEqual({ allow: false }));
    expect(find(".content")?.textContent).toContain("withdrew");
    expect(find(".allow")).toBeUndefined();
    await press(".dismiss");
    expect(find(".content")?.textContent).toContain("Please book a table.");
    await pass(1200);
    expect(isArmed()).toBe(false);
    await untilArmed();
    expect(second.answer).toBeUndefined();
  });

  test("is denied when the view leaves the page", async () => {
    const { ask, surface } = show();
    const asked = ask(MESSAGE);
    surface.element.remove();
    await vi.waitFor(() => expect(asked.answer).toEqual({ allow: false }));
  });
});

test("S39: views of the server that asks aren't drawn while it asks; other views are", async () => {
  const [asking, same, other] = [show(), show("Travel", {}), show("Bank", {})];
  const asked = asking.ask(MESSAGE);
  const drawn = () => [asking, same, other].map(({ frame }) => frame.checkVisibility());
  expect(drawn()).toEqual([false, false, true]);
  expect(asking.surface.body.offsetHeight).toBeGreaterThanOrEqual(220);
  await press(".deny");
  await vi.waitFor(() => expect(asked.answer).toBeDefined());
  expect(drawn()).toEqual([true, true, true]);
});

describe("a host", () => {
  const sandbox = "https://sandbox.example";

  test("asks about messages and links in the page, and about tools in a modal dialog", async () => {
    const { ask } = show("Travel", { sandbox });
    const link = ask(LINK);
    await vi.waitFor(() => expect(find(".deny")).toBeDefined());
    expect(modal()).toBeNull();
    await press(".deny");
    await vi.waitFor(() => expect(link.answer).toBe(false));
    ask(PAY);
    await vi.waitFor(() => expect(modal()).not.toBeNull());
    expect(find(".panel")).toBeUndefined();
  });

  test("asks in a modal dialog only, if the product wants that", async () => {
    const { ask } = show("Travel", { sandbox, consent: { inline: false } });
    ask(MESSAGE);
    await vi.waitFor(() => expect(modal()).not.toBeNull());
  });

  test("asks in a modal dialog if the view's area can't be seen", async () => {
    const { ask, surface } = show("Travel", { sandbox });
    surface.element.style.marginBlockStart = "3000px";
    ask(MESSAGE);
    await vi.waitFor(() => expect(modal()).not.toBeNull());
  });

  test("doesn't ask again in a conversation in which the user refused for all of it", async () => {
    const { ask } = show("Travel", { sandbox });
    const first = ask(MESSAGE);
    await vi.waitFor(() => expect(find(".deny")).toBeDefined());
    await untilArmed();
    await press("input");
    await press(".deny");
    await vi.waitFor(() => expect(first.answer).toBe(false));
    const second = ask(MESSAGE);
    await vi.waitFor(() => expect(second.answer).toBe(false));
    expect(find(".panel")).toBeUndefined();
  });
});
