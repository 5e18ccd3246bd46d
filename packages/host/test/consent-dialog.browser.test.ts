import { describe, expect, test, vi } from "vitest";
import { page, userEvent } from "vitest/browser";
import { createConsentDialog } from "../src/consent/consent-dialog.ts";
import { isArmed, openDialogStage, PAY, pass, TOOL, untilArmed } from "./consent-dialog-stage.ts";

const stage = openDialogStage();
const { ask } = stage;
const no = { allow: false };

describe("an answer", () => {
  test("is allowed by Allow", async () => {
    const asked = ask(PAY);
    await untilArmed(stage);
    await stage.allow.click();
    expect(asked.answer).toEqual({ allow: true, remember: false });
    expect(stage.dialog).toBeUndefined();
  });

  test("is denied by Don’t allow, at once", async () => {
    const asked = ask(PAY);
    await stage.deny.click();
    expect(asked.answer).toEqual(no);
    expect(stage.dialog).toBeUndefined();
  });

  test("is denied by Escape, and by a second Escape, which browsers don't let a page cancel", async () => {
    const first = ask(PAY);
    const second = ask(PAY);
    await userEvent.keyboard("{Escape}");
    await vi.waitFor(() => expect(first.answer).toEqual(no));
    await userEvent.keyboard("{Escape}");
    await vi.waitFor(() => expect(second.answer).toEqual(no));
  });

  test("is denied by Escape, even if the page handles the key itself", async () => {
    const use = vi.fn((event: Event) => event.preventDefault());
    document.addEventListener("keydown", use);
    const asked = ask(PAY);
    await userEvent.keyboard("{Escape}");
    await vi.waitFor(() => expect(asked.answer).toEqual(no));
    document.removeEventListener("keydown", use);
    expect(use).not.toHaveBeenCalled();
  });

  test("is denied when a script closes the dialog", async () => {
    const asked = ask(PAY);
    stage.dialog?.close();
    await vi.waitFor(() => expect(asked.answer).toEqual(no));
  });

  test("is denied when the page removes the dialog", async () => {
    const asked = ask(PAY);
    const { host } = stage.part("h2").getRootNode() as ShadowRoot;
    host.remove();
    await vi.waitFor(() => expect(asked.answer).toEqual(no));
  });

  test("is denied by Enter, because the focus starts on Don’t allow", async () => {
    const asked = ask(PAY);
    await userEvent.keyboard("{Enter}");
    await vi.waitFor(() => expect(asked.answer).toEqual(no));
  });

  test("is allowed by keyboard after moving to Allow", async () => {
    const asked = ask(PAY);
    await untilArmed(stage);
    await userEvent.keyboard("{Tab}{Enter}");
    await vi.waitFor(() => expect(asked.answer?.allow).toBe(true));
  });

  test("is denied where nothing can be shown", async () => {
    const body = document.body;
    body.remove();
    const asked = ask(PAY);
    document.documentElement.append(body);
    await vi.waitFor(() => expect(asked.answer).toEqual(no));
  });
});

describe("remembering", () => {
  const link = { href: "https://example.com/", host: "example.com" };
  const choices = (): (string | undefined)[] =>
    [...(stage.dialog?.querySelectorAll("input") ?? [])].map((one) => one.labels?.[0]?.textContent);
  const pick = (scope: string) => userEvent.click(stage.part(`input[value=${scope}]`));

  test.each(["conversation", "always"])("lasts as long as the user picks: %s", async (scope) => {
    const asked = ask(PAY);
    await untilArmed(stage);
    await pick(scope);
    await stage.allow.click();
    expect(asked.answer).toEqual({ allow: true, remember: scope });
  });

  test("is off unless the user picks a scope", async () => {
    const asked = ask(PAY);
    await untilArmed(stage);
    expect(choices()).toEqual(["Allow once", "Allow in this conversation", "Always allow"]);
    expect(stage.part("legend").textContent).toBe("This tool of this server");
    await stage.allow.click();
    expect(asked.answer).toEqual({ allow: true, remember: false });
  });

  test("can be picked with the arrow keys", async () => {
    const asked = ask(PAY);
    await untilArmed(stage);
    stage.part("input").focus();
    await userEvent.keyboard("{ArrowDown}{ArrowDown}");
    await stage.allow.click();
    expect(asked.answer).toEqual({ allow: true, remember: "always" });
  });

  test("can't be picked before Allow works", async () => {
    ask(PAY);
    stage.part("input[value=always]").click();
    expect(stage.part("input:checked")).toHaveProperty("value", "once");
  });

  test.each([
    { kind: "tool", tool: TOOL, arguments: {}, offers: 3 } as const,
    { kind: "link", link, offers: 3 } as const,
    { kind: "message", content: [], offers: 2 } as const,
    { kind: "app-tool", tool: TOOL, arguments: {}, offers: 0 } as const,
    { kind: "download", names: ["a.txt"], size: 1, offers: 0 } as const,
    { kind: "sampling", params: {}, offers: 0 } as const,
  ])("offers $offers choices for $kind", ({ offers, ...subject }) => {
    ask(subject);
    expect(stage.dialog).toBeDefined();
    expect(choices()).toHaveLength(offers);
  });

  test("is not part of a refusal", async () => {
    const asked = ask(PAY);
    await untilArmed(stage);
    await pick("always");
    await stage.deny.click();
    expect(asked.answer).toEqual(no);
  });
});

describe("several questions", () => {
  const pay = (amount: number) => ({ ...PAY, arguments: { amount } });

  test("are asked one after the other", async () => {
    const asked = [ask(pay(1)), ask(pay(2), { key: "b" })];
    expect(stage.text).toContain('"amount": 1');
    await stage.deny.click();
    expect(asked.map(({ answer }) => answer)).toEqual([no, undefined]);
    expect(stage.text).toContain('"amount": 2');
    await stage.deny.click();
    expect(asked[1]?.answer).toEqual(no);
  });

  test("are taken back with their signal, also while they wait", async () => {
    const asked = [ask(pay(1)), ask(pay(2)), ask(pay(3))];
    asked[1]?.takeBack();
    await vi.waitFor(() => expect(asked[1]?.answer).toEqual(no));
    expect(stage.text).toContain('"amount": 1');
    await stage.deny.click();
    expect(stage.text).toContain('"amount": 3');
  });

  test("are not even shown when they were taken back before", async () => {
    const signal = AbortSignal.abort();
    const view = { key: "a", server: "Billing" };
    const answer = createConsentDialog()({ ...PAY, view, userActive: true, signal });
    expect(await answer).toEqual(no);
    expect(stage.modes).toEqual([]);
  });
});

describe("S36: a question that is withdrawn", () => {
  const pay = (amount: number) => ({ ...PAY, arguments: { amount } });

  test("closes with a notice, and the next one isn't shown in its place", async () => {
    const asked = [ask(pay(1)), ask(pay(2))];
    await untilArmed(stage);
    asked[0]?.takeBack();
    await vi.waitFor(() => expect(asked[0]?.answer).toEqual(no));
    expect(stage.text).toMatch(/^The app withdrew its request/);
    expect(stage.dialog?.querySelector(".allow")).toBeNull();
    await userEvent.click(stage.part(".dismiss"));
    expect(stage.text).toContain('"amount": 2');
    expect(isArmed(stage)).toBe(false);
    expect(asked[1]?.answer).toBeUndefined();
  });

  test("gives way to the next one after some time, which is armed later than others", async () => {
    const asked = [ask(pay(1)), ask(pay(2), { key: "b" })];
    asked[0]?.takeBack();
    await vi.waitFor(() => expect(stage.text).toContain('"amount": 2'), { timeout: 6000 });
    const before = performance.now();
    await untilArmed(stage);
    expect(performance.now() - before).toBeGreaterThan(1400);
    await stage.allow.click();
    expect(asked[1]?.answer?.allow).toBe(true);
  });

  test("has a notice that Escape closes, and the focus goes back", async () => {
    const field = document.body.appendChild(document.createElement("input"));
    field.focus();
    ask(PAY).takeBack();
    expect(stage.dialog).toBeDefined();
    await userEvent.keyboard("{Escape}");
    await vi.waitFor(() => expect(stage.dialog).toBeUndefined());
    expect(document.activeElement).toBe(field);
    field.remove();
  });
});

describe("S40: a request that is longer than the dialog", () => {
  const lines = Array.from({ length: 200 }, (_, line) => [`line${line}`, "ok"]);
  const LONG = { ...PAY, arguments: { ...Object.fromEntries(lines), to: "Mallory" } };
  const isAllVisible = (): boolean => !stage.part(".more").checkVisibility();

  test("can be allowed once all of it was in sight", async () => {
    const asked = ask(LONG);
    expect(stage.part(".more").textContent).toBe("Scroll down to read everything");
    await pass(1500);
    expect(isArmed(stage)).toBe(false);
    const content = stage.part(".content");
    for (let page = 0; !isAllVisible() && page < 100; page += 1) {
      content.scrollBy({ top: content.clientHeight - 40 });
      await pass(50);
    }
    await untilArmed(stage);
    await stage.allow.click();
    expect(asked.answer?.allow).toBe(true);
  });

  test("isn't in sight by a jump to its end", async () => {
    ask(LONG);
    await pass(300);
    const content = stage.part(".content");
    content.scrollTo({ top: content.scrollHeight });
    await pass(1500);
    expect(isArmed(stage)).toBe(false);
    expect(isAllVisible()).toBe(false);
  });

  test("can be read with one button, which leads to the first part that wasn't in sight", async () => {
    ask(LONG);
    for (let press = 0; press < 100; press += 1) {
      await pass(150);
      if (isAllVisible()) break;
      stage.part(".more").click();
    }
    await untilArmed(stage);
    expect(stage.part(".content").scrollTop).toBeGreaterThan(1000);
  });

  test("has to be read again after its lines have moved", async () => {
    const { innerWidth, innerHeight } = window;
    ask(LONG);
    for (let press = 0; press < 100 && !isAllVisible(); press += 1) {
      await pass(150);
      stage.part(".more").click();
    }
    await untilArmed(stage);
    await page.viewport(360, innerHeight);
    await pass(1200);
    expect(isArmed(stage)).toBe(false);
    await page.viewport(innerWidth, innerHeight);
  });

  test("is refused with a reason where it is too long to be shown", async () => {
    const asked = ask({ ...PAY, arguments: { note: "n".repeat(51_000), to: "Mallory" } });
    await vi.waitFor(() =>
      expect(asked.answer).toEqual({
        allow: false,
        reason: expect.stringMatching(/\d+ characters/),
      }),
    );
    expect(stage.dialog).toBeUndefined();
  });
});

describe("S41: stopping the app", () => {
  test("is offered where the Host can do it", () => {
    ask(PAY);
    expect(stage.dialog?.querySelector(".stop")).toBeNull();
  });

  test("refuses the question and ends the app", async () => {
    const stop = vi.fn();
    const asked = ask(PAY, { stop });
    expect(stage.part(".stop").textContent).toBe("Stop this app");
    await userEvent.click(stage.part(".stop"));
    expect(asked.answer).toEqual(no);
    expect(stop).toHaveBeenCalledOnce();
    expect(stage.dialog).toBeUndefined();
  });
});

describe("for everybody", () => {
  test("the dialog has a name and a description, and is modal", () => {
    ask(PAY);
    const { dialog } = stage;
    expect(dialog?.matches(":modal")).toBe(true);
    expect(dialog?.role).toBe("alertdialog");
    const root = dialog?.getRootNode() as ShadowRoot;
    const named = (attribute: string) =>
      root.getElementById(dialog?.getAttribute(attribute) ?? "")?.textContent ?? "";
    expect(named("aria-labelledby")).toBe("Allow this app to use a tool?");
    expect(named("aria-describedby")).toMatch(/Billing.*Pay a bill/s);
  });

  test("the focus stays inside while it is open, and goes back where it was", async () => {
    const field = document.body.appendChild(document.createElement("input"));
    field.focus();
    ask(PAY);
    expect(document.activeElement).not.toBe(field);
    const root = stage.dialog?.getRootNode() as ShadowRoot;
    const visited = new Set<string>();
    for (let press = 0; press < 6; press += 1) {
      visited.add(root.activeElement?.className ?? "outside");
      await userEvent.keyboard("{Tab}");
      expect(document.activeElement).not.toBe(field);
    }
    // The request can be scrolled by keyboard, too.
    expect([...visited]).toEqual(expect.arrayContaining(["deny", "allow", "content"]));
    await stage.deny.click();
    await vi.waitFor(() => expect(document.activeElement).toBe(field));
    field.remove();
  });

  test("the page's own style does not reach in, or hide it", () => {
    const style = document.head.appendChild(document.createElement("style"));
    style.textContent = "div { display: none; opacity: 0 } button { display: none; color: red }";
    ask(PAY);
    expect(stage.dialog?.checkVisibility({ opacityProperty: true })).toBe(true);
    expect(stage.dialog?.querySelector(".deny")?.checkVisibility()).toBe(true);
    style.remove();
  });

  test("it uses the page's language", () => {
    const abort = new AbortController();
    const messages = { consent: { allow: "Erlauben", deny: "Nicht erlauben" } };
    const view = { key: "a", server: "Billing" };
    void createConsentDialog({ messages })({
      ...PAY,
      view,
      userActive: true,
      signal: abort.signal,
    });
    expect(stage.dialog?.querySelector(".allow")?.textContent).toBe("Erlauben");
    expect(stage.text).toContain("Details");
    abort.abort();
  });

  // The last one: a policy cannot be taken back.
  test("it works in a page whose policy allows no inline style", () => {
    const policy = document.head.appendChild(document.createElement("meta"));
    policy.httpEquiv = "Content-Security-Policy";
    policy.content = "style-src 'none'; require-trusted-types-for 'script'";
    ask(PAY);
    const { borderRadius } = getComputedStyle(stage.dialog as Element);
    expect(borderRadius).toBe("12px");
  });
});
