import { createHash } from "node:crypto";
import { expect, test } from "vitest";
import { relayHash, writePage } from "../src/page.ts";
import { RELAY_SCRIPT } from "../src/relay-script.ts";
import { settings } from "./sandbox-stage.ts";

test("data next to the script can't leave its attribute", () => {
  const hostile = {
    view: `"><script>alert(1)</script><a title='`,
    allow: "&quot;&#39;<!--\u2028\0",
    nested: [{ "</html>": "]]>" }],
  };
  const html = writePage(hostile);
  expect(settings(html)).toEqual(hostile);
  // One script, one attribute, and nothing between them that a parser could take for markup.
  expect(html.split("<script").length).toBe(2);
  const [before = "", attribute = "", after = ""] = html.split('"', 5).slice(2);
  expect(before).toBe(" data-vitrine=");
  expect(attribute).not.toMatch(/[<>"']/);
  expect(after).toMatch(/^><head><meta charset=/);
});

test("the hash is that of the script in the page, byte for byte", async () => {
  const [, script = ""] = /<script>(.*)<\/script>/s.exec(writePage({})) ?? [];
  const hash = createHash("sha256").update(script).digest("base64");
  expect(await relayHash()).toBe(`'sha256-${hash}'`);
  expect(script).toBe(RELAY_SCRIPT);
});
