// The bundler is a process, so this isn't a unit test.

import { gzipSync } from "node:zlib";
import { beforeAll, expect, it } from "vitest";
import { type ConsoleFile, openConsole } from "../../src/admin/console.ts";

let find: (path: string) => ConsoleFile | undefined;
beforeAll(async () => {
  find = await openConsole();
});
const textOf = (path: string): string => Buffer.from(find(path)?.body ?? []).toString();

it("serves one page, one script and one style sheet, and nothing else", () => {
  expect(find("/")?.headers["content-type"]).toBe("text/html; charset=utf-8");
  expect(find("/main.js")?.headers["content-type"]).toBe("text/javascript; charset=utf-8");
  expect(find("/console.css")?.headers["content-type"]).toBe("text/css; charset=utf-8");
  for (const path of ["/index.html", "/main.tsx", "/../package.json", "/constructor", ""]) {
    expect(find(path)).toBeUndefined();
  }
});

it("allows no inline code, no other origin and no frame, on every file", () => {
  for (const path of ["/", "/main.js", "/console.css"]) {
    const { headers } = find(path) as ConsoleFile;
    const policy = headers["content-security-policy"]?.split("; ");
    expect(policy).toEqual([
      "default-src 'none'",
      "script-src 'self'",
      "style-src 'self'",
      "connect-src 'self'",
      "img-src 'self' data:",
      "frame-ancestors 'none'",
      "base-uri 'none'",
      "form-action 'none'",
      "require-trusted-types-for 'script'",
      "trusted-types 'none'",
    ]);
    expect(headers["x-content-type-options"]).toBe("nosniff");
    expect(headers["cross-origin-opener-policy"]).toBe("same-origin");
  }
  expect(textOf("/")).not.toMatch(
    /<style|style=|<script(?! type="module" src="\/main.js">)|\son\w+=/,
  );
});

it("stays below 24 kB of script and 5 kB of styles (gzip)", () => {
  expect(gzipSync(textOf("/main.js"), { level: 9 }).length).toBeLessThan(24_000);
  expect(gzipSync(textOf("/console.css"), { level: 9 }).length).toBeLessThan(5000);
});

it("never turns a string into markup", () => {
  // Preact itself has the word; none of our components uses it.
  expect(textOf("/main.js")).not.toMatch(
    /dangerouslySetInnerHTML:|insertAdjacentHTML|document\.write/,
  );
});
