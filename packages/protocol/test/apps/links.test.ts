import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { decideLink, type LinkOptions } from "../../src/apps/links.ts";

function verdict(url: unknown, options?: LinkOptions): string {
  const decision = decideLink(url, options);
  return decision.allow ? decision.href : decision.code;
}

// HST-70
describe("a link", () => {
  test.each([
    ["https://example.com", "https://example.com/"],
    ["https://example.com/a?b=c#d", "https://example.com/a?b=c#d"],
    ["http://example.com/", "http://example.com/"],
    ["HTTPS://EXAMPLE.COM/Path", "https://example.com/Path"],
    ["https://example.com:8443/x", "https://example.com:8443/x"],
    ["https://example.com/a/../b", "https://example.com/b"],
    ["https://bücher.example/", "https://xn--bcher-kva.example/"],
    ["https://example.com/ü?q=ü", "https://example.com/%C3%BC?q=%C3%BC"],
    ["https://8.8.8.8/", "https://8.8.8.8/"],
    ["https://[2606:4700::1111]/", "https://[2606:4700::1111]/"],
    ["https://example.com/?to=javascript:alert(1)", "https://example.com/?to=javascript:alert(1)"],
  ])("to the public web is opened in its normal form: %s", (url, href) => {
    expect(verdict(url)).toBe(href);
  });

  test.each([
    "javascript:alert(1)",
    "JaVaScRiPt:alert(1)",
    "javascript://example.com/%0aalert(1)",
    "data:text/html,<script>alert(1)</script>",
    "blob:https://example.com/0000",
    "file:///etc/passwd",
    "ftp://example.com/",
    "ws://example.com/",
    "smb://example.com/share",
    "vscode://file/etc/passwd",
    "ms-msdt:/id",
    "view-source:https://example.com",
    "about:blank",
    "ui://server/view",
    "mailto:a@example.com",
    "tel:+123",
    "filesystem:https://example.com/a",
    "intent://example.com#Intent;end",
  ])("with a scheme that is not the web's is refused: %s", (url) => {
    expect(verdict(url)).toBe("scheme");
  });

  test.each([
    "",
    "example.com",
    "//example.com",
    "/path",
    "?q",
    "https://",
    "https:example.com",
    "https:/example.com",
    "https:///example.com",
    "https://exa mple.com",
    " https://example.com",
    "https://example.com ",
    "https://example.com/a b",
    "java\nscript:alert(1)",
    "\tjavascript:alert(1)",
    "https://example.com\\@evil.example",
    "https:\\\\example.com",
    "https://example.com/\u0000",
    "https://example.com/\u202Egnp.exe",
    "https://exa\u200Bmple.com",
    "https://example.com/\uFEFF",
    "https://example.com/\u00A0",
    "https://example.com/\u2028",
    "https://example.com/\uD800",
    "https://[::1",
    "https://example.com:99999/",
    "https://%00.example/",
  ])("that reads differently from how it is parsed is refused: %j", (url) => {
    expect(verdict(url)).toBe("malformed");
  });

  test.each([undefined, null, 7, {}, ["https://example.com"], new URL("https://example.com")])(
    "that isn't a string is refused: %j",
    (url) => {
      expect(verdict(url)).toBe("malformed");
    },
  );

  test.each([
    "https://user@example.com/",
    "https://user:pass@example.com/",
    "https://:pass@example.com/",
    "https://paypal.com@evil.example/",
    "https://paypal.com%2f@evil.example/",
  ])("with a user name in front of its host is refused: %s", (url) => {
    expect(verdict(url)).toBe("credentials");
  });

  test("longer than the limit is refused before it is parsed", () => {
    const url = `https://example.com/${"a".repeat(2028)}`;
    expect(url).toHaveLength(2048);
    expect(verdict(url)).toBe(url);
    expect(verdict(`${url}a`)).toBe("too-long");
  });
});

describe("an option", () => {
  test("allows mail, without smuggled headers", () => {
    const options = { mailto: true };
    expect(verdict("mailto:a@example.com?subject=Hi%20there", options)).toBe(
      "mailto:a@example.com?subject=Hi%20there",
    );
    expect(verdict("mailto:a@example.com?subject=x%0d%0aBcc:b@example.com", options)).toBe(
      "malformed",
    );
    expect(verdict("mailto:a@example.com?subject=x%7F", options)).toBe("malformed");
    expect(verdict("tel:+123", options)).toBe("scheme");
    expect(decideLink("mailto:a@example.com", options)).toMatchObject({ host: "" });
  });

  test("refuses http", () => {
    expect(verdict("http://example.com", { httpsOnly: true })).toBe("scheme");
    expect(verdict("https://example.com", { httpsOnly: true })).toBe("https://example.com/");
  });

  test.each([
    "http://localhost:3000/",
    "http://127.0.0.1/",
    "http://0x7f.1/",
    "http://2130706433/",
    "http://[::1]/",
    "http://192.168.0.1/",
    "http://router/",
    "http://printer.local/",
    "http://169.254.169.254/latest/meta-data/",
  ])("is needed to reach %s", (url) => {
    expect(verdict(url)).toBe("private-host");
    expect(verdict(url, { privateHosts: true })).toBe(new URL(url).href);
  });

  test("keeps a View away from the Host's own pages", () => {
    const options = { ownOrigins: ["https://chat.example"] };
    expect(verdict("https://chat.example/logout", options)).toBe("own-origin");
    expect(verdict("https://CHAT.example:443/logout", options)).toBe("own-origin");
    // Browsers and servers lead these to the page above.
    expect(verdict("http://chat.example/logout", options)).toBe("own-origin");
    expect(verdict("https://chat.example./logout", options)).toBe("own-origin");
    expect(verdict("https://chat.example:8443/", options)).toBe("https://chat.example:8443/");
    expect(verdict("https://docs.chat.example/", options)).toBe("https://docs.chat.example/");
  });
});

test.each<[unknown, LinkOptions, string]>([
  [7, {}, "The url is the number 7; send a string."],
  ["nowhere", {}, 'The url is the string "nowhere"; send an absolute one.'],
  ["javascript:alert(1)", {}, '"javascript:" is not opened; use https: or http:'],
  ["http://a.example", { httpsOnly: true }, '"http:" is not opened; use https:'],
  ["https:a.example", {}, 'The url lacks "//" before its host; send https://a.example/'],
  ["https://u@a.example", {}, "The url hides a.example behind a user name; remove it."],
  ["http://10.0.0.1", {}, "10.0.0.1 is not public; the Host must allow private hosts."],
  [
    "https://a.example/x",
    { ownOrigins: ["https://a.example"] },
    "https://a.example is the Host itself; link to another site.",
  ],
])("the refusal of %j is a sentence with a remedy", (url, options, reason) => {
  expect(decideLink(url, options)).toMatchObject({ allow: false, reason });
});

test("whatever a View sends, only http and https without a user come out", () => {
  const pieces = fc.constantFrom(
    "https:",
    "http:",
    "javascript:",
    "//",
    "/",
    "\\",
    "@",
    ":",
    "a.example",
    "\t",
    " ",
    "%0a",
    "x",
    "#",
    "?",
    "[::1]",
    "１２７.1",
  );
  fc.assert(
    fc.property(
      fc.oneof(
        fc.webUrl(),
        fc.string(),
        fc.array(pieces).map((all) => all.join("")),
      ),
      (url) => {
        const decision = decideLink(url);
        if (!decision.allow) return;
        const parsed = new URL(decision.href);
        expect(["http:", "https:"]).toContain(parsed.protocol);
        expect(parsed.username + parsed.password).toBe("");
        expect(decision.host).toBe(parsed.hostname);
        // An allowed link stays allowed in its normal form, and doesn't change again.
        expect(decideLink(decision.href)).toEqual(decision);
      },
    ),
    { seed: 1865, numRuns: 5000 },
  );
});
