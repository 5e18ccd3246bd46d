import { describe, expect, test } from "vitest";
import { arabic } from "../src/messages/ar.ts";
import { german } from "../src/messages/de.ts";
import { english } from "../src/messages/en.ts";
import { spanish } from "../src/messages/es.ts";
import { french } from "../src/messages/fr.ts";
import { japanese } from "../src/messages/ja.ts";
import type { Messages } from "../src/messages/messages.ts";
import { simplifiedChinese } from "../src/messages/zh-hans.ts";

const CATALOGUES = [german, spanish, french, japanese, simplifiedChinese, arabic];

/** Every text by its path. */
function textsOf(part: object, path = ""): Map<string, string> {
  const texts = Object.entries(part).flatMap(([key, value]): [string, string][] =>
    typeof value === "string" ? [[`${path}${key}`, value]] : [...textsOf(value, `${path}${key}.`)],
  );
  return new Map(texts);
}

const placeholders = (text: string): string[] => text.match(/\{\w+\}/g) ?? [];

describe.each([english, ...CATALOGUES])("the catalogue in $language", (catalogue: Messages) => {
  const texts = textsOf(catalogue);

  test("has exactly the texts of the English one", () => {
    expect([...texts.keys()].sort()).toEqual([...textsOf(english).keys()].sort());
  });

  test("has no empty text, and the placeholders of the English one", () => {
    for (const [path, text] of textsOf(english)) {
      expect(texts.get(path)?.trim(), path).toBeTruthy();
      expect(placeholders(texts.get(path) ?? ""), path).toEqual(placeholders(text));
    }
  });

  test("mentions no options, codes, ports and no host", () => {
    for (const [path, text] of texts) {
      expect(text, path).not.toMatch(
        /\bhost\b|sandbox|iframe|console|createHost|https?:|localhost|\d{3}|[{](?!count})/i,
      );
    }
  });
});

describe.each(CATALOGUES)("the catalogue in $language", (catalogue) => {
  test("leaves no text in English", () => {
    // A word may be spelt the same in both languages; a sentence can't be.
    const same = [...textsOf(english)].filter(
      ([path, text]) => textsOf(catalogue).get(path) === text && path !== "direction",
    );
    expect(same).toEqual([]);
  });

  test("is written in the script and direction of its language", () => {
    const { script, textInfo } = new Intl.Locale(catalogue.language).maximize() as Intl.Locale & {
      textInfo?: { direction: string };
    };
    if (textInfo) expect(catalogue.direction).toBe(textInfo.direction);
    const scripts: Record<string, RegExp> = {
      Latn: /\p{Script=Latin}/u,
      Jpan: /[\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Han}]/u,
      Hans: /\p{Script=Han}/u,
      Arab: /\p{Script=Arabic}/u,
    };
    const { language: _, direction: __, ...parts } = catalogue;
    for (const [path, text] of textsOf(parts)) {
      expect(text, path).toMatch(scripts[script ?? ""] ?? /^$/);
    }
  });
});
