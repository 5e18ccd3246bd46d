import { expect, test } from "vitest";
import { allowsFrame } from "../../src/sandbox/host-page-check.ts";
import { readSandboxPage } from "../../src/sandbox/sandbox-page.ts";

const PROXY = "https://proxy.usercontent.example";

test.each([
  ["*", true],
  ["https:", true],
  ["'self' https://proxy.usercontent.example", true],
  ["https://*.usercontent.example", true],
  ["proxy.usercontent.example", true],
  ["https://proxy.usercontent.example:443/", true],
  ["https://proxy.usercontent.example:*", true],
  ["'none'", false],
  ["'self'", false],
  ["http://proxy.usercontent.example", false],
  ["https://usercontent.example", false],
  ["https://proxy.usercontent.example:8443", false],
  ["https://*.proxy.usercontent.example", false],
  ["https://proxy.usercontent.example.evil.example", false],
  ["", false],
])("frame-src %s allows the sandbox: %s", (sources, isAllowed) => {
  expect(allowsFrame(sources, PROXY, "https://chat.example")).toBe(isAllowed);
});

test.each([
  "",
  "<html></html>",
  '<html data-vitrine="">',
  '<html data-vitrine="{">',
  '<html data-vitrine="null">',
  '<html data-vitrine="{&quot;hosts&quot;:1}">',
  '<html data-vitrine="{&quot;hosts&quot;:[1]}">',
])("%j isn't a page of a sandbox", (text) => {
  expect(readSandboxPage(text)).toBeUndefined();
});
