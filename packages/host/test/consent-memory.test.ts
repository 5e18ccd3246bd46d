import { describe, expect, test, vi } from "vitest";
import type { ConsentRequest, ConsentSubject } from "../src/consent/consent.ts";
import { createConsent, toConsent } from "../src/consent/consent-memory.ts";
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
      "a tool that says it does not only read",
      { kind: "tool", tool: tool("x", { annotations: { readOnlyHint: false } }), arguments: {} },
      true,
    ],
    [
      "a tool whose hint is no boolean",
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

  test("trusts the operator's hosts, and not those that only look like them", async () => {
    const ask = vi.fn(() => false);
    const consent = createConsent(ask, { trustedHosts: ["docs.example", "*.wiki.example"] });
    expect(await consent(ofLink("docs.example"))).toBe(true);
    expect(await consent(ofLink("en.wiki.example"))).toBe(true);
    for (const host of [
      "evil-docs.example",
      "docs.example.evil.test",
      "a.docs.example",
      "wiki.example",
      "xwiki.example",
    ]) {
      expect(await consent(ofLink(host))).toBe(false);
    }
    expect(ask).toHaveBeenCalledTimes(5);
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
    await Promise.resolve();
    expect(ask).toHaveBeenCalledTimes(1);
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
    const memory = { get: (key: string) => store.get(key), set: store.set.bind(store) };
    await createConsent(() => ({ allow: true, remember: true }), { memory })(ofTool("book"));
    expect([...store.values()]).toEqual([true]);
    expect(await createConsent(undefined, { memory })(ofTool("book"))).toBe(true);
    for (const key of store.keys()) store.set(key, "yes");
    expect(await createConsent(undefined, { memory })(ofTool("book"))).toBe(false);
  });

  test("a question that was taken back is not asked", async () => {
    const ask = vi.fn(() => true);
    const request = { ...ofTool("book"), signal: AbortSignal.abort() };
    expect(await createConsent(ask)(request)).toBe(false);
    expect(ask).not.toHaveBeenCalled();
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
