import fc from "fast-check";
import { describe, expect, test } from "vitest";
import * as shown from "../src/consent/consent-dialog-text.ts";
import { ENGLISH_CONSENT } from "../src/messages/english-consent.ts";

const showName = (text: string) => shown.showName(text, ENGLISH_CONSENT);
const showText = (text: string) => shown.showText(text, ENGLISH_CONSENT);
const showJson = (value: unknown) => shown.showJson(value, ENGLISH_CONSENT);

describe("a name that a View or Server chose", () => {
  test.each([
    ["Pay a bill", "Pay a bill"],
    ["größer, 数据, دفع, 👍🏽", "größer, 数据, دفع, 👍🏽"],
    ["a family 👨‍👩‍👧 and a heart ❤️", "a family 👨‍👩‍👧 and a heart ❤️"],
    ["می‌خواهم", "می‌خواهم"],
    ["a heart on fire ❤\ufe0f\u200d🔥", "a heart on fire ❤\ufe0f\u200d🔥"],
  ])("is shown as it is when it is only text: %s", (name, shown) => {
    expect(showName(name)).toBe(shown);
  });

  test.each([
    ["turns the direction", "safe\u202Egnp.exe", "safe⟨U+202E⟩gnp.exe"],
    ["isolates", "\u2066a\u2069", "⟨U+2066⟩a⟨U+2069⟩"],
    ["is invisible", "re\u200Bad", "re⟨U+200B⟩ad"],
    ["joins nothing, between Latin letters", "re\u200Dad", "re⟨U+200D⟩ad"],
    [
      "joins nothing, in a chain (S15)",
      "é\u200c\u200d\u200c\ufe0f",
      "é\u200c\u200d⟨U+200C⟩⟨U+FE0F⟩",
    ],
    ["is a blank letter", "a\u3164b\u2800", "a⟨U+3164⟩b⟨U+2800⟩"],
    ["is a copy of ASCII for machines", "\u{E0041}\u{E0042}", "⟨U+E0041⟩⟨U+E0042⟩"],
    ["breaks the line", "Pay\nServer: Bank", "Pay⟨U+000A⟩Server: Bank"],
    ["breaks the line in Unicode", "a\u2028b\u2029c\u0085d", "a⟨U+2028⟩b⟨U+2029⟩c⟨U+0085⟩d"],
    ["is half a surrogate pair", "a\uD800b", "a⟨U+D800⟩b"],
    ["is a pile of marks", `e${"\u0301".repeat(50)}`, `e${"\u0301".repeat(4)}⟨46 marks⟩`],
  ])("shows what %s", (_, name, shown) => {
    expect(showName(name)).toBe(shown);
  });

  test("is cut where it is too long, with its length", () => {
    expect(showName("x".repeat(5000))).toBe(`${"x".repeat(200)}… (5000)`);
  });

  test("is one line without anything invisible, whatever it was", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (name) => {
        expect(showName(name)).not.toMatch(/[\p{Cc}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069]/u);
      }),
    );
  });
});

describe("a longer text", () => {
  test("keeps its lines and tabs", () => {
    expect(showText("a\n\n\tb").text).toBe("a\n\n\tb");
  });

  test("cannot push its end out of sight with blanks", () => {
    const { text } = showText(`pay 1${" ".repeat(5000)}then${"\n \n".repeat(900)}pay 1000`);
    expect(text).toBe("pay 1⟨5000 blanks⟩then⟨2700 blanks⟩pay 1000");
  });

  test("is cut where laying it out would take long, and how much is known", () => {
    const { text, cut } = showText("y".repeat(50_007));
    expect(text).toHaveLength(50_000);
    expect(cut).toBe(7);
  });
});

describe("arguments", () => {
  test("are indented JSON, where nothing hides in a string", () => {
    expect(showJson({ to: "a\u202Eb\n", list: [1] }).text).toBe(
      '{\n  "to": "a⟨U+202E⟩b\\n",\n  "list": [\n    1\n  ]\n}',
    );
    expect(showJson(undefined).text).toBe("undefined");
  });
});
