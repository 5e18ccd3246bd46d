import { describe, expect, test, vi } from "vitest";
import { userEvent } from "vitest/browser";
import { createConsentDialog } from "../src/consent/consent-dialog.ts";
import { openDialogStage, PAY, TOOL, untilArmed } from "./consent-dialog-stage.ts";

const stage = openDialogStage();
const { ask } = stage;
const no = { allow: false };

describe("an answer", () => {
  test("is yes after Allow", async () => {
    const asked = ask(PAY);
    await untilArmed(stage);
    await stage.allow.click();
    expect(asked.answer).toEqual({ allow: true, remember: false });
    expect(stage.dialog).toBeUndefined();
  });

  test("is no after Don’t allow, at once", async () => {
    const asked = ask(PAY);
    await stage.deny.click();
    expect(asked.answer).toEqual(no);
    expect(stage.dialog).toBeUndefined();
  });

  test("is no after Escape, and after a second one, which browsers do not ask about", async () => {
    const first = ask(PAY);
    const second = ask(PAY);
    await userEvent.keyboard("{Escape}");
    await vi.waitFor(() => expect(first.answer).toEqual(no));
    await userEvent.keyboard("{Escape}");
    await vi.waitFor(() => expect(second.answer).toEqual(no));
  });

  test("is no after Escape, though the page has another use for the key", async () => {
    const use = vi.fn((event: Event) => event.preventDefault());
    document.addEventListener("keydown", use);
    const asked = ask(PAY);
    await userEvent.keyboard("{Escape}");
    await vi.waitFor(() => expect(asked.answer).toEqual(no));
    document.removeEventListener("keydown", use);
    expect(use).not.toHaveBeenCalled();
  });

  test("is no when somebody closes the dialog", async () => {
    const asked = ask(PAY);
    stage.dialog?.close();
    await vi.waitFor(() => expect(asked.answer).toEqual(no));
  });

  test("is no when the page throws the dialog away", async () => {
    const asked = ask(PAY);
    const { host } = stage.part("h2").getRootNode() as ShadowRoot;
    host.remove();
    await vi.waitFor(() => expect(asked.answer).toEqual(no));
  });

  test("is no by keyboard alone, because the focus begins on Don’t allow", async () => {
    const asked = ask(PAY);
    await userEvent.keyboard("{Enter}");
    await vi.waitFor(() => expect(asked.answer).toEqual(no));
  });

  test("is yes by keyboard for who goes there", async () => {
    const asked = ask(PAY);
    await untilArmed(stage);
    await userEvent.keyboard("{Tab}{Enter}");
    await vi.waitFor(() => expect(asked.answer?.allow).toBe(true));
  });

  test("is no where nothing can be shown", async () => {
    const body = document.body;
    body.remove();
    const asked = ask(PAY);
    document.documentElement.append(body);
    await vi.waitFor(() => expect(asked.answer).toEqual(no));
  });
});

describe("remembering", () => {
  const always = "Always allow this tool for this server";

  test("is offered for a tool of a Server, and is off until somebody wants it", async () => {
    const asked = ask(PAY);
    await untilArmed(stage);
    const box = stage.dialog?.querySelector("input") as HTMLInputElement;
    expect(box.labels?.[0]?.textContent).toBe(always);
    expect(box.checked).toBe(false);
    await userEvent.click(box);
    await stage.allow.click();
    expect(asked.answer).toEqual({ allow: true, remember: true });
  });

  test.each([
    { kind: "app-tool", tool: TOOL, arguments: {} } as const,
    { kind: "message", content: [] } as const,
    { kind: "link", link: { href: "https://example.com/", host: "example.com" } } as const,
    { kind: "download", names: ["a.txt"], size: 1 } as const,
  ])("is not offered for $kind", (subject) => {
    ask(subject);
    expect(stage.dialog).toBeDefined();
    expect(stage.dialog?.querySelector("input")).toBeNull();
  });

  test("is not part of a refusal", async () => {
    const asked = ask(PAY);
    await untilArmed(stage);
    await userEvent.click(stage.part("input"));
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

  test("of one View are refused when five of them wait, and those of others are not", async () => {
    const asked = Array.from({ length: 7 }, (_, amount) => ask(pay(amount)));
    const other = ask(PAY, { key: "b" });
    await vi.waitFor(() => expect(asked[6]?.answer).toEqual(no));
    expect(asked.slice(0, 6).map(({ answer }) => answer)).toEqual(Array(6).fill(undefined));
    expect(other.answer).toBeUndefined();
  });

  test("of one View can be refused together", async () => {
    const asked = [ask(pay(1)), ask(PAY, { key: "b" }), ask(pay(2)), ask(pay(3))];
    const all = stage.part(".all");
    expect(all.textContent).toBe("Refuse all 3");
    await userEvent.click(all);
    expect(asked.map(({ answer }) => answer)).toEqual([no, undefined, no, no]);
    expect(stage.part(".all").checkVisibility()).toBe(false);
  });

  test("are taken back with their signal, shown or waiting", async () => {
    const asked = [ask(pay(1)), ask(pay(2)), ask(pay(3))];
    asked[1]?.takeBack();
    asked[0]?.takeBack();
    await vi.waitFor(() => expect(asked.map(({ answer }) => answer)).toEqual([no, no, undefined]));
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

describe("for everybody", () => {
  test("the dialog has a name and a description, and is modal", () => {
    ask(PAY);
    const { dialog } = stage;
    expect(dialog?.matches(":modal")).toBe(true);
    expect(dialog?.role).toBe("alertdialog");
    const root = dialog?.getRootNode() as ShadowRoot;
    const named = (attribute: string) =>
      root.getElementById(dialog?.getAttribute(attribute) ?? "")?.textContent ?? "";
    expect(named("aria-labelledby")).toBe("Let this app use a tool?");
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
    // The arguments can be scrolled by keyboard, too.
    expect([...visited]).toEqual(expect.arrayContaining(["deny", "allow", "box"]));
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

  test("it speaks the page's language", () => {
    const abort = new AbortController();
    const labels = { allow: "Erlauben", deny: "Nicht erlauben" };
    const view = { key: "a", server: "Billing" };
    void createConsentDialog({ labels })({
      ...PAY,
      view,
      userActive: true,
      signal: abort.signal,
    });
    expect(stage.dialog?.querySelector(".allow")?.textContent).toBe("Erlauben");
    expect(stage.text).toContain("Arguments");
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
