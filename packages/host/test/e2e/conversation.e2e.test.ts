import { type HostStage, openHostPage, openHostStage } from "@vitrine/internal/host-stage";
import fc from "fast-check";
import type { Page } from "playwright";
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from "vitest";
import type {} from "./pages/hosted.ts";
import { viewOf } from "./scene.ts";

vi.setConfig({ hookTimeout: 60_000 });

const PROGRAM = new URL("./pages/hosted.ts", import.meta.url);
/** A View that sends its input to the model. */
const NOTE = viewOf(`
addEventListener("message", ({ data }) => {
  if (data.method !== "ui/notifications/tool-input") return;
  const content = [{ type: "text", text: data.params.arguments.note }];
  send({ id: "note", method: "ui/update-model-context", params: { content } });
});
greet();`);

let stage: HostStage;
let page: Page;
beforeAll(async () => {
  stage = await openHostStage();
});
afterAll(() => stage.close());
afterEach(() => page?.close());

async function openPage(): Promise<void> {
  page = await openHostPage(stage, { program: PROGRAM });
  await openHost();
}

async function openHost(): Promise<void> {
  await page.evaluate((entrance) => {
    const { hosted } = window;
    const records = new Map<string, unknown>();
    Object.assign(window, { records });
    // This file is about contexts, and its views fill more than a screen.
    hosted.open({ entrance, store: records as never, startOffScreen: true });
  }, stage.entrance);
}

/** Shows a note in a conversation and waits until the model would get it. */
async function write(conversation: string, key: string, note: string): Promise<void> {
  await page.evaluate(
    ({ conversation, key, note, html }) => {
      const { hosted } = window;
      const upstream = hosted.upstream("server", [{ name: "show", html }]);
      const view = hosted.host
        .conversation(conversation)
        .mount(hosted.place(`${conversation}-${key}`), hosted.app(key, upstream, "show"));
      view.update({ input: { note } });
    },
    { conversation, key, note, html: NOTE },
  );
  await expect
    .poll(async () => (await notes(conversation))[key], { timeout: 10_000 })
    .toBeDefined();
}

/** What the model would get in a conversation's next turn. */
function notes(conversation: string): Promise<Record<string, string>> {
  return page.evaluate((conversation) => {
    const entries = window.hosted.host.conversation(conversation).modelContext.snapshot();
    const textOf = ({ content }: (typeof entries)[number]) =>
      content?.map((block) => ("text" in block ? block.text : "")).join("");
    return Object.fromEntries(entries.map((entry) => [entry.key, textOf(entry) ?? ""]));
  }, conversation);
}

/** Removes a View's element from the page, as a virtualised list does, and waits for its end. */
async function unmount(conversation: string, key: string): Promise<void> {
  await page.evaluate(
    ({ conversation, key }) => {
      const { hosted } = window;
      const place = hosted.place(`${conversation}-${key}`);
      place.remove();
      hosted.host.conversation(conversation).views.get(key)?.detach();
    },
    { conversation, key },
  );
}

function storedKeys(): Promise<string[]> {
  return page.evaluate(() => [
    ...(window as never as { records: Map<string, unknown> }).records.keys(),
  ]);
}

describe("a conversation", () => {
  test("H1: keeps its model context from another one, also right after its views were unmounted", async () => {
    await openPage();
    await write("first", "a", "the old note");
    await unmount("first", "a");
    await write("second", "a", "the new note");
    expect(await notes("second")).toEqual({ a: "the new note" });
    expect(await notes("first")).toEqual({ a: "the old note" });
    // Nor does the default conversation of the page get any of them.
    expect(await page.evaluate(() => window.hosted.host.modelContext.snapshot())).toEqual([]);
  });

  test("keeps the model context of a view whose element is gone, and shows it again", async () => {
    await openPage();
    await write("chat", "a", "kept");
    await unmount("chat", "a");
    await expect
      .poll(() => page.evaluate(() => window.hosted.host.conversation("chat").views.size))
      .toBe(0);
    expect(await notes("chat")).toEqual({ a: "kept" });
    await write("chat", "a", "kept");
    expect(await notes("chat")).toEqual({ a: "kept" });
  });

  test("removes a view that the product closes from the model context", async () => {
    await openPage();
    await write("chat", "a", "gone");
    await page.evaluate(() => window.hosted.host.conversation("chat").views.get("a")?.close());
    expect(await notes("chat")).toEqual({});
  });

  test("is deleted with its views, records and model context, and no other is", async () => {
    await openPage();
    await write("first", "a", "one");
    await write("first", "b", "two");
    await write("second", "a", "three");
    await unmount("first", "b");
    await page.evaluate(() => window.hosted.host.conversation("first").delete());
    expect(await notes("first")).toEqual({});
    expect(await notes("second")).toEqual({ a: "three" });
    // A document that is being closed still saves; its record must not come back.
    await page.waitForTimeout(500);
    expect(await storedKeys()).toEqual(["second/a"]);
  });

  test("can be used again after it was closed, and is the host's conversation with its id", async () => {
    await openPage();
    await write("chat", "a", "before");
    const isSame = await page.evaluate(async (html) => {
      const { hosted } = window;
      const chat = hosted.host.conversation("chat");
      await chat.close();
      const upstream = hosted.upstream("server", [{ name: "show", html }]);
      chat.mount(hosted.place("again"), hosted.app("a", upstream, "show"));
      return hosted.host.conversation("chat") === chat;
    }, NOTE);
    expect(isSame).toBe(true);
    await expect.poll(() => notes("chat")).toEqual({ a: "before" });
  });

  test("is exported and imported, so that its context is known before any view is mounted", async () => {
    await openPage();
    await write("chat", "a", "roams");
    const records = await page.evaluate(() =>
      window.hosted.host.conversation("chat").exportRecords(),
    );
    await page.reload();
    await openHost();
    expect(await notes("chat")).toEqual({});
    const load = (id: string): Promise<void> =>
      page.evaluate(
        ({ id, records }) => window.hosted.host.conversation(id).importRecords(records),
        { id, records },
      );
    await load("chat");
    expect(await notes("chat")).toEqual({ a: "roams" });
    // Records of one conversation are nothing to another.
    await load("other");
    expect(await notes("other")).toEqual({});
  });
});

type Step = { act: keyof typeof ACTS; conversation: string; key: string };
type Notes = Record<string, string>;

/** Each act, and what it does to the notes that are expected. */
const ACTS = {
  write: async (id: string, key: string, own: Notes) => {
    own[key] = `${id} ${key}`;
    await write(id, key, `${id} ${key}`);
  },
  unmount,
  forget: async (id: string, key: string, own: Notes) => {
    delete own[key];
    await page.evaluate(({ id, key }) => window.hosted.host.conversation(id).forget(key), {
      id,
      key,
    });
  },
  delete: async (id: string, _key: string, own: Notes) => {
    for (const key of Object.keys(own)) delete own[key];
    await page.evaluate((id) => window.hosted.host.conversation(id).delete(), id);
  },
};

test("a snapshot contains exactly the views of its conversation, whatever is mounted and unmounted", async () => {
  await openPage();
  const step: fc.Arbitrary<Step> = fc.record({
    act: fc.constantFrom("write", "write", "write", "unmount", "unmount", "forget", "delete"),
    // Ids and keys that would be the same if they were only joined.
    conversation: fc.constantFrom("one", "two", "one/two"),
    key: fc.constantFrom("a", "b", "two/a"),
  });
  let round = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 12 }), async (steps) => {
      round++;
      const expected: Record<string, Notes> = {};
      for (const { act, conversation, key } of steps) {
        const id = `${conversation}:${round}`;
        expected[id] ??= {};
        await ACTS[act](id, key, expected[id]);
        const ids = Object.keys(expected);
        const found = await Promise.all(ids.map(async (id) => [id, await notes(id)]));
        expect(Object.fromEntries(found)).toEqual(expected);
      }
    }),
    { numRuns: 8 },
  );
}, 120_000);
