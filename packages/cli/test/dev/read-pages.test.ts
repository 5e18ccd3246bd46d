import { createHash } from "node:crypto";
import type { Upstream } from "@vitrine/host";
import { expect, test } from "vitest";
import { keepReadPages } from "../../src/dev/read-pages.ts";

const hashOf = (text: string): string => createHash("sha256").update(text).digest("hex");

function serverOf(answers: unknown[]): Upstream {
  return {
    server: "fixture",
    capabilities: {},
    request: (async () => answers.shift()) as Upstream["request"],
    onListChanged: () => () => {},
  };
}

test("a page that was read is found by its hash, and no other is", async () => {
  const { upstream, pages } = keepReadPages(serverOf([{ contents: [{ text: "<p>é</p>" }] }]));
  await upstream.request("resources/read", { uri: "ui://a" });
  expect(pages.find(hashOf("<p>é</p>"))).toBe("<p>é</p>");
  expect(pages.find(hashOf("<p>e</p>"))).toBeUndefined();
  expect(pages.find("")).toBeUndefined();
});

test("the newest pages are kept, and one that is read again is new", async () => {
  const texts = ["a", "b", "c", "d", "e", "f", "g", "h", "a", "i"];
  const { upstream, pages } = keepReadPages(
    serverOf(texts.map((text) => ({ contents: [{ text }] }))),
  );
  for (const _ of texts) await upstream.request("resources/read", { uri: "ui://a" });
  expect(pages.find(hashOf("b"))).toBeUndefined();
  expect([..."acdefghi"].map((text) => pages.find(hashOf(text)))).toEqual([..."acdefghi"]);
});

test("whatever a server answers goes on as it is", async () => {
  const odd = [
    undefined,
    { contents: "none" },
    { contents: [null, { blob: "AAAA" }, { text: 5 }] },
  ];
  const { upstream } = keepReadPages(serverOf([...odd]));
  for (const answer of odd)
    expect(await upstream.request("resources/read", { uri: "ui://a" })).toBe(answer);
});
