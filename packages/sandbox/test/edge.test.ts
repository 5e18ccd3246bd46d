import { readdir, readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { parseJson, readText } from "../src/request-body.ts";

const source = new URL("../src/", import.meta.url);

test("nothing but the adapters for Node knows Node, and those its types alone", async () => {
  const files = (await readdir(source, { recursive: true })).filter((name) => name.endsWith(".ts"));
  expect(files.length).toBeGreaterThan(20);
  for (const name of files) {
    const text = await readFile(new URL(name, source), "utf8");
    const imports = text.match(/^import .* from "node:[^"]+";$/gm) ?? [];
    if (name.startsWith("adapters/")) {
      for (const line of imports) expect(line).toMatch(/^import type /);
    } else {
      expect([name, imports]).toEqual([name, []]);
      // No globals of Node either.
      expect([name, /\b(?:Buffer|process)\.[a-z]|\brequire\(/.test(text)]).toEqual([name, false]);
    }
  }
});

test("adapters stay thin", async () => {
  for (const name of ["node.ts", "express.ts", "hono.ts", "node-message.ts"]) {
    const text = await readFile(new URL(`adapters/${name}`, source), "utf8");
    expect(text.split("\n").length).toBeLessThanOrEqual(60);
  }
});

test("a body is read up to its bound, by what it says and by what it has", async () => {
  const request = (body: BodyInit, headers = {}): Request =>
    new Request("https://x.com", { method: "POST", body, headers, duplex: "half" } as RequestInit);
  expect(await readText(request("12345"), 5)).toBe("12345");
  expect(await readText(request("123456"), 5)).toBeUndefined();
  expect(await readText(request("12345", { "content-length": "999" }), 5)).toBeUndefined();
  expect(await readText(request("123456", { "content-length": "1" }), 5)).toBeUndefined();
  expect(await readText(request("ééé"), 5)).toBeUndefined();
  expect(await readText(new Request("https://x.com", { method: "POST" }), 5)).toBe("");
  // A character that falls apart between two chunks is still one.
  const halves = new ReadableStream({
    start: (controller) => {
      controller.enqueue(new Uint8Array([0xc3]));
      controller.enqueue(new Uint8Array([0xa9]));
      controller.close();
    },
  });
  expect(await readText(request(halves), 5)).toBe("é");
  expect(await readText(request(new Uint8Array([0xff])), 5)).toBe("");
});

test("text that isn't JSON is undefined", () => {
  expect(parseJson("[1]")).toEqual([1]);
  expect(parseJson("{")).toBeUndefined();
});
