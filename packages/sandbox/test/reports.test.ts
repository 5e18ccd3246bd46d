import { describe, expect, test } from "vitest";
import type { OperatorPolicy } from "../src/operator-policy.ts";
import { explainViolation, readReports } from "../src/reports.ts";

function explain(directive: string, blocked: string, operator?: OperatorPolicy): string {
  return explainViolation({ directive, blocked }, operator).message;
}

function fix(directive: string, blocked: string, operator?: OperatorPolicy): string | undefined {
  return explainViolation({ directive, blocked }, operator).fix;
}

describe("what to write", () => {
  test.each([
    ["connect-src", "https://api.x.com", '"connectDomains": ["https://api.x.com"]'],
    ["connect-src", "wss://rt.x.com:8443", '"connectDomains": ["wss://rt.x.com:8443"]'],
    ["script-src-elem", "https://cdn.x.com", '"resourceDomains": ["https://cdn.x.com"]'],
    ["style-src-elem", "https://cdn.x.com", '"resourceDomains": ["https://cdn.x.com"]'],
    ["img-src", "https://cdn.x.com", '"resourceDomains": ["https://cdn.x.com"]'],
    ["font-src", "https://cdn.x.com", '"resourceDomains": ["https://cdn.x.com"]'],
    ["media-src", "https://cdn.x.com", '"resourceDomains": ["https://cdn.x.com"]'],
    ["base-uri", "https://x.com", '"baseUriDomains": ["https://x.com"]'],
    ["connection-allowlist", "https://x.com", '"connectDomains": ["https://x.com"]'],
  ])("%s of %s: add %s", (directive, blocked, line) => {
    expect(fix(directive, blocked)).toBe(line);
    expect(explain(directive, blocked)).toBe(
      `${directive} blocked "${blocked}". Add ${line} to _meta.ui.csp of the resource.`,
    );
  });

  test("a frame needs the line and somebody's approval", () => {
    expect(fix("frame-src", "https://maps.x.com")).toBe('"frameDomains": ["https://maps.x.com"]');
    expect(explain("frame-src", "https://maps.x.com")).toMatch(/has to approve it too\.$/);
  });

  test("what is not encrypted is advised encrypted", () => {
    expect(explain("img-src", "http://cdn.x.com")).toBe(
      'img-src blocked "http://cdn.x.com". Add "resourceDomains": ["https://cdn.x.com"] to _meta.ui.csp of the resource and load it encrypted.',
    );
    expect(fix("connect-src", "ws://rt.x.com")).toBe('"connectDomains": ["wss://rt.x.com"]');
  });

  test("loopback is advised in development alone", () => {
    expect(fix("connect-src", "http://localhost:3000", { dev: true })).toBe(
      '"connectDomains": ["http://localhost:3000"]',
    );
    expect(fix("connect-src", "http://localhost:3000")).toBeUndefined();
  });
});

describe("why no line helps", () => {
  test.each<[string, string, RegExp]>([
    ["form-action", "https://x.com", /Forms are never sent anywhere\. Read the fields/],
    ["object-src", "https://x.com", /Plugins are never loaded\. Use <img>/],
    ["worker-src", "https://x.com", /blob: or data: only\. Put the worker's code/],
    ["manifest-src", "https://x.com", /Remove the link/],
    ["frame-ancestors", "https://x.com", /shown by its host only/],
    ["script-src", "eval", /Build without eval .* ask the operator for unsafeEval/],
    ["script-src", "wasm-eval", /WebAssembly/],
    ["script-src", "inline", /Search the page for a <meta> policy/],
    ["frame-src", "data", /Use srcdoc/],
    ["connection-allowlist", "webrtc", /no list of domains can allow it/],
    ["navigate-to", "https://x.com", /Nothing a View can declare/],
    ["constructor", "toString", /Nothing a View can declare/],
    ["connect-src", "https://192.168.0.1", /cannot be allowed.*is an IP address/],
    ["connect-src", "https://x.internal", /cannot be allowed.*internalDomains/],
    ["connect-src", "https://x.co:25", /cannot be allowed.*port/],
    ["connect-src", "about", /cannot be allowed/],
  ])("%s of %s", (directive, blocked, words) => {
    expect(explain(directive, blocked)).toMatch(words);
    expect(fix(directive, blocked)).toBeUndefined();
  });

  test("the operator's lists are named as the reason", () => {
    expect(explain("connect-src", "https://x.com", { blockDomains: ["x.com"] })).toMatch(
      /is blocked by the operator/,
    );
    expect(explain("connect-src", "https://x.com", { allowDomains: [] })).toMatch(
      /isn't on the operator's list/,
    );
    expect(explain("connect-src", "https://x.com", { ownDomains: ["x.com"] })).toMatch(
      /belongs to the host itself/,
    );
  });
});

describe("what browsers send", () => {
  test("the Reporting API's csp-violation and connection-allowlist, as Chromium 156 writes them", () => {
    const reports = [
      {
        type: "csp-violation",
        url: "https://x.views.net/v/abc",
        body: {
          blockedURL: "https://evil.com/a?secret=1",
          effectiveDirective: "connect-src",
          lineNumber: 12,
          documentURL: "https://x.views.net/v/abc",
          originalPolicy: "default-src 'none'",
          disposition: "enforce",
        },
      },
      {
        type: "connection-allowlist",
        body: { url: "https://x.views.net/v/abc", connection: "webrtc", allowlist: [] },
      },
      {
        type: "connection-allowlist",
        body: { connection: "https://evil.com/a?secret=1", allowlist: [] },
      },
    ];
    expect(readReports(reports, 100)).toEqual([
      { directive: "connect-src", blocked: "https://evil.com", line: 12 },
      { directive: "connection-allowlist", blocked: "webrtc" },
      { directive: "connection-allowlist", blocked: "https://evil.com" },
    ]);
  });

  test("the older form of report-uri", () => {
    const report = {
      "csp-report": {
        "violated-directive": "img-src",
        "effective-directive": "img-src",
        "blocked-uri": "https://evil.com/x.png",
        "line-number": 4,
      },
    };
    expect(readReports(report, 100)).toEqual([
      { directive: "img-src", blocked: "https://evil.com", line: 4 },
    ]);
  });

  test("addresses without a host keep their scheme only", () => {
    const read = (blockedURL: string): string | undefined =>
      readReports([{ body: { effectiveDirective: "img-src", blockedURL } }], 1)[0]?.blocked;
    expect(read("data:text/html,secret")).toBe("data");
    expect(read("blob:https://x.com/secret")).toBe("blob");
    expect(read("https://user:pw@x.com/")).toBe("https://x.com");
    expect(read("inline")).toBe("inline");
  });

  test.each([
    [undefined],
    [null],
    [5],
    ["text"],
    [[]],
    [[null, 5, "x", []]],
    [[{ body: null }]],
    [[{ body: { effectiveDirective: 5, blockedURL: "https://a.com" } }]],
    [[{ body: { effectiveDirective: "a; b", blockedURL: "https://a.com" } }]],
    [[{ body: { effectiveDirective: "img-src\r\n", blockedURL: "https://a.com" } }]],
    [[{ body: { effectiveDirective: "img-src", blockedURL: { toString: (): string => "x" } } }]],
    [[{ body: { effectiveDirective: "img-src", blockedURL: "no address <b>" } }]],
    [[{ type: "connection-allowlist", body: {} }]],
    [[{ type: "connection-allowlist" }]],
  ])("%j isn't a report", (body) => {
    expect(readReports(body, 100)).toEqual([]);
  });

  test("more than asked for are not read", () => {
    const report = { body: { effectiveDirective: "img-src", blockedURL: "inline" } };
    expect(readReports(Array(50).fill(report), 7)).toHaveLength(7);
  });

  test("what a View invents cannot break out of the words", () => {
    const message = explain("img-src", 'https://x.com"]\u202e\n<b>');
    expect(message).toMatch(/^[\x20-\x7e]+$/);
    expect(message).toContain('"https://x.com\\"]\\u202e\\n<b>"');
  });
});
