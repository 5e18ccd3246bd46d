import { expect, test } from "vitest";
import type { RejectionCode } from "../src/rejection.ts";
import { parseSource, type SourceOptions } from "../src/source.ts";

const operator: SourceOptions = { ownDomains: ["chat-app.com", "views.net"] };

/** What a declared string becomes in a policy, or the code of its rejection. */
function read(value: unknown, options: SourceOptions = operator): string {
  const parsed = parseSource(value, options);
  return parsed.ok ? parsed.source.text : parsed.code;
}

const hostile: [unknown, RejectionCode][] = [
  // A second source, directive or header in one string (E93)
  ["https://a.com; connect-src *", "invisible"],
  ["https://a.com;connect-src", "punctuation"],
  ["https://a.com https://evil.com", "invisible"],
  ["https://a.com\thttps://evil.com", "invisible"],
  ["https://a.com\fhttps://evil.com", "invisible"],
  ["https://a.com\vhttps://evil.com", "invisible"],
  ["https://a.com\nSet-Cookie:a=b", "invisible"],
  ["https://a.com\r\n\r\n<script>", "invisible"],
  ["https://a.com\0", "invisible"],
  ["https://a.com\x7f", "invisible"],
  ["https://a.com\u00a0https://evil.com", "invisible"],
  ["https://a.com\u2028evil.com", "invisible"],
  ["https://a.com\u3000evil.com", "invisible"],
  ["\ufeffhttps://a.com", "invisible"],
  [" https://a.com", "invisible"],
  ["https://a.com ", "invisible"],
  ["https://a.com,https://evil.com", "punctuation"],
  ['https://a.com"', "punctuation"],
  ["https://a.com'", "punctuation"],
  ["https://a.com%0d%0aX:y", "port"],
  ["https://a.com%20evil.com", "host-name"],
  ["https://a.com%00", "host-name"],
  // Everything at once, keywords, schemes (E94)
  ["*", "everything"],
  ["https://*", "everything"],
  ["https://*:*", "everything"],
  ["*:443", "everything"],
  ["http://*:*/", "everything"],
  ["https:", "scheme-only"],
  ["http:", "scheme-only"],
  ["wss:", "scheme-only"],
  ["data:", "scheme-only"],
  ["blob:", "scheme-only"],
  ["https://", "scheme-only"],
  ["'self'", "keyword"],
  ["'none'", "keyword"],
  ["'unsafe-inline'", "keyword"],
  ["'unsafe-eval'", "keyword"],
  ["'nonce-abc'", "keyword"],
  ["'sha256-abc='", "keyword"],
  ["javascript:alert(1)", "scheme"],
  ["javascript://a.com", "scheme"],
  ["data:text/html", "scheme"],
  ["filesystem:https://a.com", "scheme"],
  ["ftp://a.com", "scheme"],
  ["chrome-extension://abc.com", "scheme"],
  ["//a.com", "scheme"],
  ["http://plain.com", "insecure"],
  ["ws://plain.com", "insecure"],
  // Wildcards that are anybody's (E30)
  ["*.com", "public-suffix"],
  ["https://*.co.uk", "public-suffix"],
  ["https://*.github.io", "public-suffix"],
  ["https://*.vercel.app", "public-suffix"],
  ["https://*.s3.amazonaws.com", "public-suffix"],
  ["https://*.run.app", "public-suffix"],
  ["https://github.io", "public-suffix"],
  ["https://com", "public-suffix"],
  ["https://a.*.com", "wildcard"],
  ["https://api*.a.com", "wildcard"],
  ["https://*.*.a.com", "wildcard"],
  ["https://a.com*", "wildcard"],
  // Names that are not what they seem (E96)
  ["https://good.com@evil.com", "credentials"],
  ["https://user:pw@a.com", "credentials"],
  ["https://a.com/path", "path"],
  ["https://a.com/?q", "path"],
  ["https://a.com?q", "path"],
  ["https://a.com#f", "path"],
  ["https://a.com//", "path"],
  ["https:\\\\a.com", "scheme"],
  ["https://a.com\\@evil.com", "credentials"],
  ["https://a.com\\evil", "path"],
  ["https://a\u200b.com", "invisible"],
  ["https://a\u00ad.com", "invisible"],
  ["https://\u202emoc.live.com", "invisible"],
  ["https://a\ufe0f.com", "invisible"],
  ["https://a\u{e0061}.com", "invisible"],
  ["https://\uff41.com", "host-name"],
  ["https://a\u3002com", "host-name"],
  ["https://\u2102.com", "host-name"],
  ["https://\u2460.com", "host-name"],
  ["https://a\ud800.com", "invisible"],
  ["https://a_b.com", "host-name"],
  ["https://-a.com", "host-name"],
  ["https://a-.com", "host-name"],
  ["https://a..com", "host-name"],
  ["https://.a.com", "host-name"],
  ["https://a.com.", "host-name"],
  ["https://(a).com", "host-name"],
  ["https://{a}.com", "host-name"],
  ["https://$&.com", "host-name"],
  [`https://${"a".repeat(64)}.com`, "host-name"],
  [`https://${"a.".repeat(127)}com`, "host-name"],
  [`https://${"a".repeat(300)}.com`, "length"],
  ["", "length"],
  // Ports
  ["https://a.com:0", "port"],
  ["https://a.com:00443", "port"],
  ["https://a.com:65536", "port"],
  ["https://a.com:99999", "port"],
  ["https://a.com:25", "port"],
  ["https://a.com:6667", "port"],
  ["https://a.com:*", "port"],
  ["https://a.com:", "port"],
  ["https://a.com:8a", "port"],
  ["https://a.com:-1", "port"],
  // Addresses and names inside the user's network (E28, E97)
  ["https://127.0.0.1", "ip-address"],
  ["https://127.1", "ip-address"],
  ["https://2130706433", "ip-address"],
  ["https://0x7f000001", "ip-address"],
  ["https://0x7f.1", "ip-address"],
  ["https://0177.0.0.1", "ip-address"],
  ["https://a.com.0x", "ip-address"],
  ["https://1.2.3.4:8443", "ip-address"],
  ["https://169.254.169.254", "ip-address"],
  ["https://192.168.0.1", "ip-address"],
  ["https://[::1]", "ip-address"],
  ["https://[::ffff:7f00:1]:8080", "ip-address"],
  ["https://\uff11\uff12\uff17.0.0.1", "host-name"],
  ["https://localhost", "single-label"],
  ["https://intranet", "single-label"],
  ["https://foo.localhost", "not-public"],
  ["https://router.local", "not-public"],
  ["https://metadata.google.internal", "not-public"],
  ["https://db.corp", "not-public"],
  ["https://a.test", "not-public"],
  ["https://abcdefghijklmnop.onion", "not-public"],
  ["https://1.0.168.192.in-addr.arpa", "not-public"],
  ["http://localhost:3000", "single-label"],
  ["http://127.0.0.1:3000", "ip-address"],
  // Ourselves
  ["https://chat-app.com", "own-domain"],
  ["https://api.chat-app.com:8443", "own-domain"],
  ["https://x.views.net", "own-domain"],
  // No strings
  [null, "not-a-string"],
  [undefined, "not-a-string"],
  [5, "not-a-string"],
  [{}, "not-a-string"],
  [["https://a.com"], "not-a-string"],
  [new String("https://a.com"), "not-a-string"],
  [{ toString: () => "https://a.com" }, "not-a-string"],
  [Symbol("https://a.com"), "not-a-string"],
];

test.each(hostile)("SBX-04: %j is refused as %s", (value, code) => {
  const parsed = parseSource(value, operator);
  expect(parsed).toMatchObject({ ok: false, code });
  // The reason can be logged as it is.
  expect(!parsed.ok && parsed.reason).toMatch(/^[\x20-\x7e]{20,600}$/);
});

test.each([
  ["api.example.org", "https://api.example.org"],
  ["https://api.example.org", "https://api.example.org"],
  ["HTTPS://API.Example.ORG:443/", "https://api.example.org"],
  ["https://api.example.org:8443", "https://api.example.org:8443"],
  ["https://api.example.org:80", "https://api.example.org:80"],
  ["wss://rt.example.org", "wss://rt.example.org"],
  ["wss://rt.example.org:443/", "wss://rt.example.org"],
  ["*.example.org", "https://*.example.org"],
  ["https://*.example.co.uk", "https://*.example.co.uk"],
  ["https://*.me.github.io", "https://*.me.github.io"],
  ["https://my-app.vercel.app", "https://my-app.vercel.app"],
  ["https://raw.githubusercontent.com", "https://raw.githubusercontent.com"],
  ["https://cdn.jsdelivr.net", "https://cdn.jsdelivr.net"],
  ["https://r3---sn-a.example.com", "https://r3---sn-a.example.com"],
  ["https://bücher.de", "https://xn--bcher-kva.de"],
  ["https://BÜCHER.de:8443/", "https://xn--bcher-kva.de:8443"],
  ["*.bücher.de", "https://*.xn--bcher-kva.de"],
  ["https://例え.jp", "https://xn--r8jz45g.jp"],
  // A homograph is shown as what it is.
  ["https://аррӏе.com", "https://xn--80ak6aa92e.com"],
  ["https://not-chat-app.com", "https://not-chat-app.com"],
])("%s stands in a policy as %s", (value, text) => {
  expect(read(value)).toBe(text);
});

test("a wildcard above one of our own names is refused, because it would reach it", () => {
  const options = { ownDomains: ["chat.corp-app.com"] };
  expect(read("https://*.corp-app.com", options)).toBe("own-domain");
  expect(read("https://api.corp-app.com", options)).toBe("https://api.corp-app.com");
});

test("zones of the operator's own network can be declared once the operator names them", () => {
  const options = { internalDomains: ["corp.internal", "wiki"] };
  expect(read("https://api.corp.internal", options)).toBe("https://api.corp.internal");
  expect(read("https://wiki", options)).toBe("https://wiki");
  expect(read("https://evilcorp.internal", options)).toBe("not-public");
  expect(read("http://api.corp.internal", options)).toBe("insecure");
  expect(read("https://10.0.0.1", options)).toBe("ip-address");
});

test("development accepts loopback without encryption, and nothing else without", () => {
  const options = { dev: true };
  expect(read("http://localhost:3000", options)).toBe("http://localhost:3000");
  expect(read("localhost:3000", options)).toBe("http://localhost:3000");
  expect(read("ws://localhost:3000", options)).toBe("ws://localhost:3000");
  expect(read("http://api.localhost:3000", options)).toBe("http://api.localhost:3000");
  expect(read("http://127.0.0.1:80", options)).toBe("http://127.0.0.1");
  expect(read("https://localhost:3000", options)).toBe("https://localhost:3000");
  expect(read("http://localhost:25", options)).toBe("port");
  expect(read("http://127.999.0.1", options)).toBe("host-name");
  expect(read("http://*.localhost", options)).toBe("wildcard");
  expect(read("http://192.168.0.1", options)).toBe("ip-address");
  expect(read("http://plain.com", options)).toBe("insecure");
});

test("in development the host's own ports are closed under every name of the machine", () => {
  const options = { dev: true, ownDomains: ["localhost:5173", "proxy.localhost:5174"] };
  for (const host of ["localhost", "127.0.0.1", "x.localhost"]) {
    expect(read(`http://${host}:5173`, options)).toBe("own-domain");
    expect(read(`ws://${host}:5174`, options)).toBe("own-domain");
    expect(read(`http://${host}:3000`, options)).toBe(`http://${host}:3000`);
  }
});

test("a long or unprintable value is shortened and escaped in the reason, and a remedy is named", () => {
  const parsed = parseSource(`https://a.com\u202e\n${"x".repeat(200)}`);
  const reason = parsed.ok ? "" : parsed.reason;
  expect(reason).toContain('"https://a.com\\u202e\\n');
  expect(reason).toContain('..."');
  expect(reason).toMatch(/Declare one origin per entry\.$/);
  expect(reason.length).toBeLessThan(220);
});
