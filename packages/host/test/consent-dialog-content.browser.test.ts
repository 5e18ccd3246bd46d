import { describe, expect, test } from "vitest";
import { page } from "vitest/browser";
import type { ConsentSubject } from "../src/consent/consent.ts";
import { openDialogStage, PAY, TOOL } from "./consent-dialog-stage.ts";

const stage = openDialogStage();
const { ask } = stage;

const content = (): Element => stage.part(".content");

/** The text under each name, boxes included. */
function facts(): Record<string, string> {
  const pairs = [...content().querySelectorAll("dl > div")].map(({ children }) => [...children]);
  const boxes = [...content().querySelectorAll(".box")].map((box) => [
    box.previousElementSibling,
    box,
  ]);
  return Object.fromEntries(
    [...pairs, ...boxes].map(([name, value]) => [name?.textContent, value?.textContent]),
  );
}

const notes = (): (string | null)[] =>
  [...content().querySelectorAll(".note")].map((note) => note.textContent);

describe("who asks", () => {
  test("is the Server by the Host's name, and the View by what it claims", () => {
    const appInfo = { name: "bank", title: "Your Bank", version: "1" };
    ask(PAY, { server: "billing.example", appInfo });
    expect(facts()).toMatchObject({ Server: "billing.example", "Calls itself": "Your Bank" });
  });

  test("is only the Server where the View doesn't introduce itself", () => {
    ask(PAY);
    expect(Object.keys(facts())).toEqual(["Server", "Tool", "Details"]);
  });

  test("did so without a click, if that is known", () => {
    const asked = ask(PAY, { userActive: false });
    expect(notes()).toEqual(["You didn’t click in the app. It asks on its own."]);
    asked.takeBack();
    stage.part(".dismiss").click();
    ask(PAY);
    expect(notes()).toEqual([]);
  });
});

describe("what is asked for", () => {
  test("a tool: title, name and every argument", () => {
    ask({ kind: "tool", tool: TOOL, arguments: { amount: 12, to: { name: "Bo" } } });
    expect(facts()).toMatchObject({
      Tool: "Pay a bill pay",
      Details: '{\n  "amount": 12,\n  "to": {\n    "name": "Bo"\n  }\n}',
    });
  });

  test("a tool without title or arguments, that can delete", () => {
    const tool = { ...TOOL, title: undefined, annotations: { destructiveHint: true } };
    ask({ kind: "tool", tool, arguments: {} });
    expect(facts()).toMatchObject({ Tool: "pay", Details: "none" });
    expect(notes()).toEqual(["This tool can change or delete things."]);
  });

  test("a link: its host by itself, then all of it with the host marked", () => {
    const host = "paypal.com.xn--e1awd7f.example";
    ask({ kind: "link", link: { href: `http://${host}/a?next=${host}#z`, host } });
    expect(facts()).toMatchObject({
      Site: host,
      "Full address": `http://${host}/a?next=${host}#z`,
    });
    expect([...content().querySelectorAll("b")].map((mark) => mark.textContent)).toEqual([host]);
    expect(notes()).toHaveLength(2);
  });

  test("a link to write a mail, which has no host", () => {
    ask({ kind: "link", link: { href: "mailto:a@example.com", host: "" } });
    expect(facts()).toEqual({ Server: "Billing", "Full address": "mailto:a@example.com" });
  });

  test("S40: a message: its words, and what is attached", () => {
    ask({
      kind: "message",
      content: [
        { type: "text", text: "Pay it\nnow" },
        { type: "image", data: "A".repeat(4000), mimeType: "image/png" },
        {
          type: "resource_link",
          uri: `file:///${"a".repeat(300)}.csv`,
          name: "link name",
          title: "link title",
          description: "link words",
          mimeType: "text/csv",
          size: 2000,
        },
        { type: "resource", resource: { uri: "ui://x/notes", text: "secret words" } },
        { type: "resource", resource: { uri: "ui://x/b", blob: "AAAA", mimeType: "font/ttf" } },
      ],
    });
    const text = stage.text;
    const link = [
      `${"a".repeat(300)}.csv`,
      "link name",
      "link title",
      "link words",
      "text/csv",
      "2 kB",
    ];
    const parts = ["Pay it\nnow", "image/png", "3 kB", ...link, "ui://x/notes", "secret words"];
    for (const part of [...parts, "font/ttf"]) expect(text).toContain(part);
    expect(notes()).toEqual(["The attachment can’t be previewed here."]);
  });

  test("S40: a download: names and sizes", () => {
    const names = ["a.csv", "b\u202Etxt.exe"];
    ask({ kind: "download", names, size: 1_843_200, sizes: [1_800_000, 43_200] });
    const files = "a.csv (1.8 MB)\nb⟨U+202E⟩txt.exe (43.2 kB)";
    expect(facts()).toMatchObject({ Files: files, Size: "1.8 MB" });
  });

  const others: [ConsentSubject, Record<string, string>][] = [
    [{ kind: "app-tool", tool: TOOL, arguments: { row: 4 } }, { Tool: "Pay a bill pay" }],
    [{ kind: "display-mode", mode: "fullscreen" }, { "Shown as": "full screen" }],
    [{ kind: "display-mode", mode: "hologram" }, { "Shown as": "hologram" }],
    [{ kind: "sampling", params: { maxTokens: 5 } }, { Request: '{\n  "maxTokens": 5\n}' }],
    [
      { kind: "domains", domains: ["a.example", "*.b.example"] },
      { Sites: "a.example\n*.b.example" },
    ],
  ];
  test.each(others)("%j", (subject, shown) => {
    ask(subject);
    expect(facts()).toMatchObject({ Server: "Billing", ...shown });
    expect(content().querySelector("h2")?.textContent).toMatch(/\?$/);
  });
});

describe("text from a View or Server", () => {
  const evil = '<img src=x onerror="window.hacked = true"><b>bold</b>';
  const tool = { ...TOOL, name: evil, title: evil };
  const subjects: ConsentSubject[] = [
    { kind: "tool", tool, arguments: { [evil]: evil } },
    { kind: "app-tool", tool, arguments: { [evil]: evil } },
    { kind: "link", link: { href: evil, host: evil } },
    { kind: "message", content: [{ type: "text", text: evil }] },
    { kind: "message", content: [{ type: "resource_link", uri: evil, name: evil }] },
    { kind: "message", content: [{ type: "audio", data: "", mimeType: evil }] },
    { kind: "message", content: [{ type: "resource", resource: { uri: evil, text: evil } }] },
    { kind: "download", names: [evil], size: 0 },
    { kind: "display-mode", mode: evil },
    { kind: "sampling", params: evil },
    { kind: "domains", domains: [evil] },
  ];
  test.each(subjects)("is shown as text and never as HTML: $kind", async (subject) => {
    ask(subject, { server: evil, appInfo: { name: evil, version: evil } });
    expect(stage.text).toContain("<img");
    const tags = new Set([...content().querySelectorAll("*")].map(({ localName }) => localName));
    expect(
      [...tags].filter((tag) => !/^(?:h2|dl|dt|dd|div|p|bdi|strong|code|b)$/.test(tag)),
    ).toEqual([]);
    expect(content().querySelector("[src], [onerror], [href]")).toBeNull();
    expect((window as { hacked?: boolean }).hacked).toBeUndefined();
  });

  test("cannot push the buttons out of sight, on a small screen either", async () => {
    await page.viewport(360, 640);
    const long = "x".repeat(40_000);
    const appInfo = { name: long, version: "1" };
    ask(
      { kind: "tool", tool: { ...TOOL, name: long, title: long }, arguments: { long } },
      { appInfo },
    );
    for (const name of ["deny", "allow"]) {
      const box = stage.part(`.${name}`).getBoundingClientRect();
      expect(box.left).toBeGreaterThan(0);
      expect(box.right).toBeLessThan(360);
      expect(box.bottom).toBeLessThan(640);
    }
    const { scrollWidth, clientWidth } = content();
    expect(scrollWidth).toBe(clientWidth);
    await page.viewport(414, 896);
  });
});

describe("direction", () => {
  test("follows the page, but addresses and JSON read from left to right", () => {
    document.documentElement.dir = "rtl";
    ask({ kind: "link", link: { href: "https://example.com/a", host: "example.com" } });
    const { left, right } = stage.part(".deny").getBoundingClientRect();
    const allow = stage.part(".allow").getBoundingClientRect();
    expect(left).toBeGreaterThan(allow.right);
    expect(right).toBeGreaterThan(left);
    expect(getComputedStyle(content().querySelector(".box > div") as Element).direction).toBe(
      "ltr",
    );
    expect(getComputedStyle(content()).direction).toBe("rtl");
    document.documentElement.removeAttribute("dir");
  });
});
