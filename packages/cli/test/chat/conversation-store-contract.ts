import type { UIMessage } from "ai";
import { describe, expect, it } from "vitest";
import type { ConversationStore } from "../../src/chat/store/conversation-store.ts";

const said = (id: string, text: string, role: UIMessage["role"] = "user"): UIMessage => ({
  id,
  role,
  parts: [{ type: "text", text }],
});
const grant = { server: "shop", tool: "buy", definition: "d1" };

/** What every store of conversations does. `now` is the store's clock. */
export function testConversationStore(
  name: string,
  open: (now: () => number) => ConversationStore,
): void {
  describe(`${name} keeps conversations`, () => {
    let time = 0;
    const fresh = (): ConversationStore => open(() => ++time);

    it("with their messages, in order, and a title from the first message", () => {
      const store = fresh();
      const messages = [said("1", "  Plan a\n\ntrip\u202e "), said("2", "Where to?", "assistant")];
      store.save("a", messages);
      expect(store.read("a")).toMatchObject({ id: "a", title: "Plan a trip", messages });
      expect(store.read("b")).toBeUndefined();
      store.close();
    });

    it("and replaces what changed or was removed", () => {
      const store = fresh();
      store.save("a", [said("1", "One"), said("2", "Two", "assistant"), said("3", "Three")]);
      store.save("a", [said("1", "One"), said("4", "Four", "assistant")]);
      expect(store.read("a")?.messages.map(({ id }) => id)).toEqual(["1", "4"]);
      expect(store.read("a")?.title).toBe("One");
      store.close();
    });

    it("and lists the newest first", () => {
      const store = fresh();
      for (const id of ["a", "b", "a", "c"]) store.save(id, [said("1", id)]);
      expect(store.list().map(({ id }) => id)).toEqual(["c", "a", "b"]);
      store.close();
    });

    it("and renames them; an empty title or an unknown id changes nothing", () => {
      const store = fresh();
      store.save("a", [said("1", "One")]);
      expect(store.rename("a", " My\u0000 trip ")).toBe(true);
      expect(store.rename("a", " \u200b ")).toBe(false);
      expect(store.rename("b", "x")).toBe(false);
      store.save("a", [said("1", "Other")]);
      expect(store.read("a")?.title).toBe("My trip");
      store.close();
    });

    it("with the records of their views, and deletes both", () => {
      const store = fresh();
      store.save("a", [said("1", "One")]);
      store.setRecord("a", "a/1", { state: 1 });
      store.setRecord("a", "a/1", { state: 2 });
      store.setRecord("a", "a/2", { state: 3 });
      store.setRecord("a", "a/2", undefined);
      expect(store.read("a")?.records).toEqual({ "a/1": { state: 2 } });
      expect(store.delete("a")).toBe(true);
      expect(store.delete("a")).toBe(false);
      // A view may save once more while its conversation is deleted.
      store.setRecord("a", "a/1", { state: 4 });
      store.save("a", [said("1", "One")]);
      expect(store.read("a")?.records).toEqual({});
      store.close();
    });

    it("and remembers answers until they are removed", () => {
      const store = fresh();
      store.setAnswer("k", true);
      store.setAnswer("l", false);
      expect(store.answers()).toEqual({ k: true, l: false });
      store.setAnswer("k", undefined);
      expect(store.answers()).toEqual({ l: false });
      store.close();
    });

    it("and grants tools for one conversation, or for all", () => {
      const store = fresh();
      store.save("a", [said("1", "One")]);
      store.setGrant({ ...grant, conversation: "a" }, true);
      expect(store.hasGrant({ ...grant, conversation: "a" })).toBe(true);
      expect(store.hasGrant({ ...grant, conversation: "b" })).toBe(false);
      expect(store.hasGrant({ ...grant, definition: "d2", conversation: "a" })).toBe(false);
      store.delete("a");
      expect(store.hasGrant({ ...grant, conversation: "a" })).toBe(false);
      store.setGrant(grant, true);
      store.setGrant(grant, true);
      expect(store.grants()).toEqual([grant]);
      expect(store.hasGrant({ ...grant, conversation: "b" })).toBe(true);
      store.setGrant(grant, false);
      expect(store.grants()).toEqual([]);
      store.close();
    });
  });
}
