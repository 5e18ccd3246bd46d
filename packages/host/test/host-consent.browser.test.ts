import { afterEach, describe, expect, test, vi } from "vitest";
import { userEvent } from "vitest/browser";
import type { ConsentRequest, ConsentSubject } from "../src/consent/consent.ts";
import { consentOf, forgetAnswersOf } from "../src/consent/host-consent.ts";
import type { HostOptions } from "../src/host-options.ts";
import { memoryStore, webStore } from "../src/view-record.ts";
import { openDialogStage, PAY, untilArmed } from "./consent-dialog-stage.ts";

const stage = openDialogStage();
const { signal } = new AbortController();

afterEach(() => localStorage.clear());

/** A page that has just been loaded, with its requests. */
function load(options: Partial<HostOptions> = {}) {
  const own: HostOptions = { sandbox: "https://sandbox.example", ...options };
  const { tenant, user } = own;
  const consent = consentOf(own);
  return {
    options: own,
    ask: (conversation: string, subject: ConsentSubject = PAY) =>
      consent({
        ...subject,
        view: { key: "a", server: "Billing", conversation },
        owner: { tenant, user },
        userActive: true,
        signal,
      } as ConsentRequest),
  };
}

/** Answers the open question. */
async function answer(scope: "once" | "conversation" | "always"): Promise<void> {
  await vi.waitFor(() => expect(stage.dialog).toBeDefined());
  await untilArmed(stage);
  await userEvent.click(stage.part(`input[value=${scope}]`));
  await stage.allow.click();
}

async function isAsked(asked: unknown): Promise<boolean> {
  const isDone = await Promise.race([
    Promise.resolve(asked).then(() => true),
    vi.waitFor(() => expect(stage.dialog).toBeDefined()).then(() => false),
  ]);
  if (!isDone) await stage.deny.click();
  return !isDone;
}

describe("an answer in the host's dialog", () => {
  const kept = (user?: string) => load({ store: webStore(), ...(user && { user }) });

  test("for always holds after a reload, in every conversation, for this user alone", async () => {
    const first = kept("ann").ask("one");
    await answer("always");
    expect(await first).toBe(true);
    expect(await kept("ann").ask("two")).toBe(true);
    expect(await isAsked(kept("bo").ask("one"))).toBe(true);
    expect(Object.values(localStorage)).toEqual(["true"]);
  });

  test("for a conversation holds there after a reload, and is deleted with it", async () => {
    const first = kept("ann").ask("one");
    await answer("conversation");
    expect(await first).toBe(true);
    expect(await kept("ann").ask("one")).toBe(true);
    expect(await isAsked(kept("ann").ask("two"))).toBe(true);
    await forgetAnswersOf(kept("ann").options, "one");
    expect(await isAsked(kept("ann").ask("one"))).toBe(true);
    expect(localStorage.length).toBe(0);
  });

  test("for always outlives the conversation it was given in", async () => {
    const first = kept("ann").ask("one");
    await answer("always");
    await first;
    await forgetAnswersOf(kept("ann").options, "one");
    expect(await kept("ann").ask("one")).toBe(true);
  });

  test("for the default conversation ends with the page, which never deletes it", async () => {
    const page = kept("ann");
    const first = page.ask("");
    await answer("conversation");
    await first;
    expect(await page.ask("")).toBe(true);
    expect(localStorage.length).toBe(0);
    expect(await isAsked(kept("ann").ask(""))).toBe(true);
  });

  test.each([
    ["a store that keeps no answers", { store: memoryStore(), user: "ann" }],
    ["a store and a user without a name", { store: webStore() }],
  ])("can't be for always with %s", async (_, options) => {
    const page = load(options);
    const first = page.ask("one");
    await vi.waitFor(() => expect(stage.dialog).toBeDefined());
    expect(stage.dialog?.querySelector("[value=always]")).toBeNull();
    await answer("conversation");
    await first;
    expect(await page.ask("one")).toBe(true);
    expect(localStorage.length).toBe(0);
  });

  test("goes to the memory that the product passes", async () => {
    const memory = webStore(localStorage, "mine:");
    const first = load({ consent: { memory } }).ask("one");
    await answer("always");
    await first;
    expect(Object.keys(localStorage)).toEqual([expect.stringMatching(/^mine:\[3,\[\],/)]);
    expect(await load({ consent: { memory } }).ask("two")).toBe(true);
  });

  test("that was edited in the store into something else is asked again", async () => {
    const first = kept("ann").ask("one");
    await answer("always");
    await first;
    const [key = ""] = Object.keys(localStorage);
    for (const value of ['"true"', "1", "{}", '{"allow":true}', "tru", ""]) {
      localStorage.setItem(key, value);
      expect(await isAsked(kept("ann").ask("one")), value).toBe(true);
    }
  });
});

test("a product's own question has the same memory", async () => {
  const ask = vi.fn(() => ({ allow: true, remember: "always" as const }));
  const options = { consent: ask, store: webStore(), user: "ann" };
  await load(options).ask("one");
  await load(options).ask("two");
  expect(ask).toHaveBeenCalledTimes(1);
});

test("a product can ask about read-only tools in the dialog", async () => {
  const look: ConsentSubject = {
    ...PAY,
    tool: { ...PAY.tool, annotations: { readOnlyHint: true } },
  };
  expect(await load().ask("one", look)).toBe(true);
  expect(await isAsked(load({ consent: { readOnlyTools: "ask" } }).ask("one", look))).toBe(true);
});

test("options keep the dialog and change its rule", async () => {
  const { ask } = load({ consent: { rule: ({ kind }) => (kind === "tool" ? "deny" : undefined) } });
  expect(await ask("one")).toBe(false);
  expect(await isAsked(ask("one", { kind: "message", content: [] }))).toBe(true);
});
