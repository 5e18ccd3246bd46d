import { describe, expect, test, vi } from "vitest";
import type { ConsentMemory } from "../src/consent/answers.ts";
import type { ConsentRequest, ConsentSubject } from "../src/consent/consent.ts";
import { createConsent, forgetAnswers, toConsent } from "../src/consent/consent-memory.ts";
import { readOnly, tool } from "./scripted-upstream.ts";

const { signal } = new AbortController();
const about = (subject: ConsentSubject, server = "weather"): ConsentRequest => ({
  ...subject,
  view: { key: "1", server },
  userActive: true,
  signal,
});
const ofTool = (name: string, server?: string): ConsentRequest =>
  about({ kind: "tool", tool: tool(name), arguments: {} }, server);
const ofLink = (host: string, server?: string): ConsentRequest =>
  about({ kind: "link", link: { href: `https://${host}/`, host } }, server);

describe("the default rule", () => {
  const asks: [string, ConsentSubject, boolean][] = [
    ["a tool", { kind: "tool", tool: tool("book"), arguments: {} }, true],
    ["a tool that only reads", { kind: "tool", tool: readOnly("look"), arguments: {} }, false],
    [
      "a tool that is declared not to be read-only",
      { kind: "tool", tool: tool("x", { annotations: { readOnlyHint: false } }), arguments: {} },
      true,
    ],
    [
      "a tool whose hint isn't a boolean",
      {
        kind: "tool",
        tool: tool("x", { annotations: { readOnlyHint: "true" as never } }),
        arguments: {},
      },
      true,
    ],
    ["a tool of the View", { kind: "app-tool", tool: tool("draw"), arguments: {} }, true],
    ["a link", { kind: "link", link: { href: "https://a.example/", host: "a.example" } }, true],
    ["a message", { kind: "message", content: [] }, true],
    ["a download", { kind: "download", names: ["a"], size: 1 }, true],
    ["sampling", { kind: "sampling", params: {} }, true],
    ["external domains", { kind: "domains", domains: ["https://a.example"] }, true],
    ["a display mode", { kind: "display-mode", mode: "fullscreen" }, false],
  ];
  test.each(asks)("%s", async (_, subject, isAsked) => {
    const ask = vi.fn(() => true);
    expect(await createConsent(ask)(about(subject))).toBe(true);
    expect(ask).toHaveBeenCalledTimes(isAsked ? 1 : 0);
    expect(await createConsent()(about(subject))).toBe(!isAsked);
  });

  describe("S45: trusted hosts", () => {
    const trustedHosts = [
      "docs.example",
      "*.wiki.example",
      "http://localhost:3000",
      "https://shop.example:8443",
      "bücher.example",
    ];
    const consent = createConsent(undefined, { trustedHosts });
    const opens = (href: string) =>
      consent(about({ kind: "link", link: { href, host: new URL(href).hostname } }));

    test.each([
      "https://docs.example/a",
      "https://docs.example:443/",
      "https://en.wiki.example/",
      "http://localhost:3000/x",
      "https://shop.example:8443/",
      "https://bücher.example/",
    ])("%s opens without a question", async (href) => {
      expect(await opens(href)).toBe(true);
    });

    test.each([
      "http://docs.example/",
      "https://docs.example:8443/",
      "https://evil-docs.example/",
      "https://docs.example.evil.test/",
      "https://a.docs.example/",
      "https://wiki.example/",
      "https://xwiki.example/",
      "http://en.wiki.example/",
      "https://en.wiki.example:8443/",
      "https://localhost:3000/",
      "http://localhost/",
      "https://shop.example/",
      "mailto:a@docs.example",
    ])("%s needs one", async (href) => {
      expect(await opens(href)).toBe(false);
    });

    test.each(["", "*", "https://", "a b", "example.com/path", "*.*.example", "ftp://a.example"])(
      "the entry %j is an error",
      (entry) => {
        expect(() => createConsent(undefined, { trustedHosts: [entry] })).toThrow(
          /trustedHosts has/,
        );
      },
    );
  });

  test.each(["tool", "app-tool"] as const)(
    "asks about a read-only %s if the product wants that, once for a remembered answer",
    async (kind) => {
      const ask = vi.fn(() => ({ allow: true, remember: true }));
      const subject = { kind, tool: readOnly("look"), arguments: {} };
      const consent = createConsent(ask, { readOnlyTools: "ask" });
      expect(await consent(about(subject))).toBe(true);
      expect(await consent(about(subject))).toBe(true);
      expect(ask).toHaveBeenCalledTimes(1);
      expect(await createConsent(undefined, { readOnlyTools: "ask" })(about(subject))).toBe(false);
      expect(await createConsent(undefined, { readOnlyTools: "allow" })(about(subject))).toBe(true);
    },
  );

  test("a rule decides about read-only tools before that", async () => {
    const rule = () => "allow" as const;
    const consent = createConsent(undefined, { readOnlyTools: "ask", rule });
    expect(await consent(about({ kind: "tool", tool: readOnly("look"), arguments: {} }))).toBe(
      true,
    );
  });

  test("gives way to a rule of the Host's", async () => {
    const ask = vi.fn(() => true);
    const consent = createConsent(ask, {
      rule: ({ kind }) =>
        kind === "message" ? "allow" : kind === "display-mode" ? "ask" : undefined,
    });
    expect(await consent(about({ kind: "message", content: [] }))).toBe(true);
    expect(ask).not.toHaveBeenCalled();
    await consent(about({ kind: "display-mode", mode: "pip" }));
    await consent(ofTool("book"));
    expect(ask).toHaveBeenCalledTimes(2);
    const never = createConsent(ask, { rule: () => "deny" });
    expect(await never(about({ kind: "tool", tool: readOnly("look"), arguments: {} }))).toBe(false);
  });
});

describe("answers to be remembered", () => {
  test("hold for the same tool of the same Server, yes and no alike", async () => {
    const ask = vi.fn(({ kind, ...rest }: ConsentRequest) => ({
      allow: kind === "tool" && (rest as { tool: { name: string } }).tool.name === "book",
      remember: true,
    }));
    const consent = createConsent(ask);
    for (let n = 0; n < 3; n++) {
      expect(await consent(ofTool("book"))).toBe(true);
      expect(await consent(ofTool("burn"))).toBe(false);
    }
    expect(ask).toHaveBeenCalledTimes(2);
    await consent(ofTool("book", "bank"));
    await consent(about({ kind: "app-tool", tool: tool("book"), arguments: {} }));
    expect(ask).toHaveBeenCalledTimes(4);
  });

  test("hold for the kind, for a link only to the same host", async () => {
    const ask = vi.fn(() => ({ allow: true, remember: true }));
    const consent = createConsent(ask);
    await consent(about({ kind: "message", content: [] }));
    await consent(about({ kind: "message", content: [{ type: "text", text: "other" }] }));
    expect(ask).toHaveBeenCalledTimes(1);
    await consent(ofLink("a.example"));
    await consent(ofLink("a.example"));
    await consent(ofLink("b.example"));
    expect(ask).toHaveBeenCalledTimes(3);
    await consent(about({ kind: "domains", domains: ["b", "a"] }));
    await consent(about({ kind: "domains", domains: ["a", "b"] }));
    await consent(about({ kind: "domains", domains: ["a", "b", "c"] }));
    expect(ask).toHaveBeenCalledTimes(5);
  });

  test("S16: hold for one definition of a tool, in whatever order its keys come", async () => {
    const ask = vi.fn(() => ({ allow: true, remember: true }));
    const consent = createConsent(ask);
    const use = (more: object) =>
      consent(about({ kind: "tool", tool: tool("save", more), arguments: {} }));
    await use({ description: "Saves a note", title: "Save" });
    await use({ title: "Save", description: "Saves a note" });
    expect(ask).toHaveBeenCalledTimes(1);
    const changes = [
      { description: "Deletes everything", title: "Save" },
      { description: "Saves a note", title: "Delete account" },
      { description: "Saves a note", title: "Save", annotations: { destructiveHint: true } },
      {
        description: "Saves a note",
        title: "Save",
        inputSchema: { type: "object", properties: { account: {} } },
      },
    ];
    for (const change of changes) await use(change);
    expect(ask).toHaveBeenCalledTimes(1 + changes.length);
  });

  test("S16: hold for one tenant and user", async () => {
    const ask = vi.fn(() => ({ allow: true, remember: true }));
    const consent = createConsent(ask);
    const owners = [undefined, { user: "ann" }, { user: "bo" }, { tenant: "acme", user: "bo" }];
    for (let n = 0; n < 2; n++) {
      for (const owner of owners) await consent({ ...ofTool("book"), owner });
    }
    expect(ask).toHaveBeenCalledTimes(owners.length);
  });

  test("S16: hold for the exact scheme, host and port of a link", async () => {
    const ask = vi.fn(() => ({ allow: true, remember: true }));
    const consent = createConsent(ask);
    const origins = ["https://a.example", "http://a.example", "https://a.example:8443"];
    for (const origin of origins) {
      for (const path of ["/", "/x"]) {
        await consent(about({ kind: "link", link: { href: origin + path, host: "a.example" } }));
      }
    }
    expect(ask).toHaveBeenCalledTimes(origins.length);
  });

  test("S16: an answer stored under a key of an earlier version isn't found", async () => {
    const memory = new Map([[JSON.stringify(["weather", "tool", "book"]), true]]);
    expect(await createConsent(undefined, { memory })(ofTool("book"))).toBe(false);
  });

  test("are not held unless that was said", async () => {
    const ask = vi.fn(() => ({ allow: true }));
    const consent = createConsent(ask);
    await consent(ofTool("book"));
    await consent(ofTool("book"));
    expect(ask).toHaveBeenCalledTimes(2);
  });

  test("serve the questions that wait behind the first", async () => {
    const answers: ((answer: { allow: boolean; remember: boolean }) => void)[] = [];
    const ask = vi.fn(
      () => new Promise<{ allow: boolean; remember: boolean }>((resolve) => answers.push(resolve)),
    );
    const consent = createConsent(ask);
    const all = [1, 2, 3].map(() => consent(ofTool("book")));
    await vi.waitFor(() => expect(ask).toHaveBeenCalledTimes(1));
    answers[0]?.({ allow: true, remember: true });
    expect(await Promise.all(all)).toEqual([true, true, true]);
    expect(ask).toHaveBeenCalledTimes(1);
  });

  test("a question that failed does not answer the next", async () => {
    const ask = vi.fn().mockRejectedValueOnce(new Error("closed")).mockResolvedValueOnce(true);
    const consent = createConsent(ask);
    const both = await Promise.allSettled([consent(ofTool("book")), consent(ofTool("book"))]);
    expect(both.map(({ status }) => status)).toEqual(["rejected", "fulfilled"]);
    expect(ask).toHaveBeenCalledTimes(2);
  });

  test("may live in a place of the Host's, which is not trusted with more than yes and no", async () => {
    const store = new Map<string, unknown>();
    const memory = store as ConsentMemory & Map<string, unknown>;
    await createConsent(() => ({ allow: true, remember: true }), { memory })(ofTool("book"));
    expect([...store.values()]).toEqual([true]);
    expect(await createConsent(undefined, { memory })(ofTool("book"))).toBe(true);
    for (const key of store.keys()) store.set(key, "yes");
    expect(await createConsent(undefined, { memory })(ofTool("book"))).toBe(false);
  });

  test("are asked for again if the memory fails, and hold once", async () => {
    const fail = (): never => {
      throw new Error("down");
    };
    const memory = { get: fail, set: async () => fail(), delete: fail, keys: fail };
    const ask = vi.fn(() => ({ allow: true, remember: true }));
    const consent = createConsent(ask, { memory });
    expect(await consent(ofTool("book"))).toBe(true);
    expect(await consent(ofTool("book"))).toBe(true);
    expect(ask).toHaveBeenCalledTimes(2);
  });

  test("aren't stored for a tool whose name a store could not hold", async () => {
    const memory = new Map<string, boolean>();
    const consent = createConsent(() => ({ allow: true, remember: true }), { memory });
    expect(await consent(ofTool("x".repeat(5000)))).toBe(true);
    expect(memory.size).toBe(0);
  });

  test("a question that was taken back is not asked", async () => {
    const ask = vi.fn(() => true);
    const request = { ...ofTool("book"), signal: AbortSignal.abort() };
    expect(await createConsent(ask)(request)).toBe(false);
    expect(ask).not.toHaveBeenCalled();
  });
});

describe("an answer remembered for one conversation", () => {
  const inChat = (conversation: string, user?: string): ConsentRequest => {
    const request = ofTool("book");
    return { ...request, view: { ...request.view, conversation }, owner: { user } };
  };

  test("doesn't hold in another one, unlike one remembered for always", async () => {
    for (const remember of ["conversation", true, "always"] as const) {
      const ask = vi.fn(() => ({ allow: true, remember }));
      const consent = createConsent(ask);
      for (const id of ["one", "two", "one", "two"]) await consent(inChat(id));
      expect(ask).toHaveBeenCalledTimes(remember === "always" ? 1 : 2);
    }
  });

  test("is deleted with it, and no other answer is", async () => {
    const memory = new Map<string, boolean>();
    let remember: "conversation" | "always" = "conversation";
    const consent = createConsent(() => ({ allow: true, remember }), { memory });
    const chats = [inChat("one"), inChat('one"],null'), inChat("two"), inChat("one", "bo")];
    for (const request of chats) await consent(request);
    remember = "always";
    await consent({ ...ofTool("other"), owner: {} });
    expect(memory.size).toBe(5);
    await forgetAnswers(consent, "one", {});
    expect(memory.size).toBe(4);
    const closed = createConsent(undefined, { memory });
    const results = await Promise.all(chats.map((request) => closed(request)));
    expect(results).toEqual([false, true, true, true]);
  });
});

test("a function is asked under the default rule, a made consent stays as it is", async () => {
  const made = createConsent(() => true);
  expect(toConsent(made)).toBe(made);
  const ask = vi.fn(() => false);
  expect(await toConsent(ask)(about({ kind: "tool", tool: readOnly("look"), arguments: {} }))).toBe(
    true,
  );
  expect(ask).not.toHaveBeenCalled();
  expect(await toConsent(undefined)(ofTool("book"))).toBe(false);
});
