import { describe, expect, test } from "vitest";
import { buildPolicy, policyHash, type ViewPolicy } from "../src/csp.ts";
import type { OperatorPolicy } from "../src/operator-policy.ts";
import { checkNames } from "../src/operator-policy.ts";
import { expectGrammar } from "./header-grammar.ts";

const everything = {
  connectDomains: ["https://api.example.org", "wss://rt.example.org"],
  resourceDomains: ["https://cdn.example.net"],
  frameDomains: ["https://maps.example.com"],
  baseUriDomains: ["https://base.example.com"],
};
const yes = { approved: [{ list: "frameDomains", source: "https://maps.example.com" }] } as const;

function directive(policy: ViewPolicy, name: string): string | undefined {
  return policy.directives.find(([key]) => key === name)?.[1];
}

function codes(policy: ViewPolicy): string[] {
  return policy.rejected.map(({ list, code }) => `${list} ${code}`);
}

function connect(...connectDomains: unknown[]): { csp: object } {
  return { csp: { connectDomains } };
}

describe("without metadata", () => {
  test.each([[undefined], [{}], [{ csp: {} }], [{ csp: undefined }], [{ permissions: {} }]])(
    "SBX-08: %j gets the restrictive default, which names no server at all",
    (meta) => {
      const policy = buildPolicy(meta);
      expect(policy.directives).toEqual([
        ["default-src", "'none'"],
        ["script-src", "'unsafe-inline' 'wasm-unsafe-eval' blob: data:"],
        ["style-src", "'unsafe-inline' blob: data:"],
        ["img-src", "data: blob:"],
        ["font-src", "data: blob:"],
        ["media-src", "data: blob:"],
        ["connect-src", "data: blob:"],
        ["worker-src", "blob: data:"],
        ["frame-src", "'none'"],
        ["object-src", "'none'"],
        ["manifest-src", "'none'"],
        ["base-uri", "'none'"],
        ["form-action", "'none'"],
      ]);
      expect(policy.connectionAllowlist).toBe("();redirects=allow");
      expect(policy).toMatchObject({ egress: [], rejected: [], allow: "", needsConsent: [] });
      expect(policy.grant).toEqual({ csp: {}, permissions: {} });
    },
  );
});

describe("with declared domains", () => {
  const policy = buildPolicy({ csp: everything }, yes);

  test("SBX-04: each list stands in its directives and nowhere else", () => {
    expectGrammar(policy);
    expect(directive(policy, "connect-src")).toBe(
      "data: blob: https://api.example.org wss://rt.example.org",
    );
    for (const name of ["script-src", "style-src", "img-src", "font-src", "media-src"]) {
      expect(directive(policy, name)).toMatch(/ https:\/\/cdn\.example\.net$/);
    }
    const text = policy.directives.map((pair) => pair.join(" ")).join(";");
    expect(text.split("api.example.org")).toHaveLength(2);
    expect(text.split("cdn.example.net")).toHaveLength(6);
    expect(policy.rejected).toEqual([]);
  });

  test("SBX-05: frame-src is the declared and approved origins, else 'none'", () => {
    expect(directive(policy, "frame-src")).toBe("https://maps.example.com");
    expect(directive(buildPolicy({ csp: everything }), "frame-src")).toBe("'none'");
  });

  test("SBX-06: base-uri is the declared origins, else 'none' or what the operator chose", () => {
    expect(directive(policy, "base-uri")).toBe("https://base.example.com");
    expect(directive(buildPolicy({}), "base-uri")).toBe("'none'");
    expect(directive(buildPolicy({}, { baseUri: "self" }), "base-uri")).toBe("'self'");
    expect(directive(buildPolicy({ csp: everything }, { baseUri: "self" }), "base-uri")).toBe(
      "https://base.example.com",
    );
  });

  test("SBX-07: object-src is 'none' whatever is declared", () => {
    expect(directive(policy, "object-src")).toBe("'none'");
  });

  test("the allowlist holds all four lists, sockets by the scheme that it compares", () => {
    expect(policy.connectionAllowlist).toBe(
      '("https://api.example.org" "https://base.example.com" "https://cdn.example.net" "https://maps.example.com" "https://rt.example.org");redirects=allow',
    );
    expect(policy.egress).toHaveLength(5);
  });

  test("the grant for hostCapabilities is what is enforced", () => {
    expect(policy.grant.csp).toEqual(everything);
    expect(buildPolicy({ csp: everything }).grant.csp).not.toHaveProperty("frameDomains");
    const bare = buildPolicy(connect("api.example.org", "API.example.org", "nope"));
    expect(bare.grant.csp).toEqual({ connectDomains: ["https://api.example.org"] });
  });
});

describe("what only an operator can open", () => {
  test("frames and wildcards are left out until somebody approves them, list by list", () => {
    const meta = {
      csp: {
        connectDomains: ["https://*.example.org"],
        resourceDomains: ["https://*.example.org"],
        frameDomains: ["https://maps.example.com", "https://*.example.org"],
      },
    };
    const asked = buildPolicy(meta);
    expect(asked.egress).toEqual([]);
    expect(new Set(asked.rejected.map(({ code }) => code))).toEqual(new Set(["needs-consent"]));
    expect(asked.needsConsent).toEqual([
      { list: "connectDomains", source: "https://*.example.org" },
      { list: "resourceDomains", source: "https://*.example.org" },
      { list: "frameDomains", source: "https://maps.example.com" },
      { list: "frameDomains", source: "https://*.example.org" },
    ]);
    const some = buildPolicy(meta, { approved: asked.needsConsent.slice(0, 1) });
    expect(some.grant.csp).toEqual({ connectDomains: ["https://*.example.org"] });
    const all = buildPolicy(meta, { approved: asked.needsConsent });
    expect(all.rejected).toEqual([]);
    expect(directive(all, "frame-src")).toBe("https://*.example.org https://maps.example.com");
  });

  test("unsafe-eval and WebRTC are off by default", () => {
    const off = buildPolicy({});
    const on = buildPolicy({}, { unsafeEval: true, webrtc: true });
    expect(directive(off, "script-src")).not.toContain("'unsafe-eval'");
    expect(directive(on, "script-src")).toContain(" 'unsafe-eval' ");
    expect(off.connectionAllowlist).not.toContain("webrtc");
    expect(on.connectionAllowlist).toBe("();redirects=allow;webrtc=allow");
  });

  test.each<[string, OperatorPolicy, string[]]>([
    ["https://api.example.org", { allowDomains: ["example.org"] }, []],
    ["https://example.org", { allowDomains: ["example.org"] }, []],
    ["https://notexample.org", { allowDomains: ["example.org"] }, ["not-allowed"]],
    ["https://api.example.org", { allowDomains: [] }, ["not-allowed"]],
    ["https://api.example.org", { blockDomains: ["example.org"] }, ["blocked"]],
    ["https://notexample.org", { blockDomains: ["example.org"] }, []],
    ["https://*.example.org", { blockDomains: ["bad.example.org"] }, ["blocked"]],
    [
      "https://api.example.org",
      { allowDomains: ["example.org"], blockDomains: ["api.example.org"] },
      ["blocked"],
    ],
  ])("%s with %j gives %j", (source, operator, expected) => {
    const policy = buildPolicy(connect(source), operator);
    expect(policy.rejected.map(({ code }) => code)).toEqual(expected);
  });

  test("loopback can be declared in development alone", () => {
    const meta = connect("http://localhost:3000", "ws://localhost:3000");
    expect(buildPolicy(meta).egress).toEqual([]);
    const dev = buildPolicy(meta, { dev: true });
    expect(directive(dev, "connect-src")).toBe(
      "data: blob: http://localhost:3000 ws://localhost:3000",
    );
    expect(dev.connectionAllowlist).toBe('("http://localhost:3000");redirects=allow');
  });
});

describe("what is not as it should be", () => {
  test("sockets count in connectDomains alone", () => {
    const wss = ["wss://rt.example.org"];
    const meta = { csp: { connectDomains: wss, resourceDomains: wss, frameDomains: wss } };
    expect(codes(buildPolicy(meta))).toEqual([
      "resourceDomains websocket",
      "frameDomains websocket",
    ]);
  });

  test.each([
    ["a list", [], "ui not-an-object"],
    ["a string", "https://a.com", "ui not-an-object"],
    ["csp as a list", { csp: ["https://a.com"] }, "csp not-an-object"],
    ["csp as a string", { csp: "connect-src *" }, "csp not-an-object"],
    ["csp as null", { csp: null }, "csp not-an-object"],
    ["a list as a string", { csp: { connectDomains: "a.com" } }, "connectDomains not-a-list"],
    [
      "a list as an object",
      { csp: { connectDomains: { 0: "https://a.com", length: 1 } } },
      "connectDomains not-a-list",
    ],
    ["a list as a set", { csp: { connectDomains: new Set() } }, "connectDomains not-a-list"],
    ["a misspelt list", { csp: { connectDomain: ["https://a.com"] } }, "csp unknown-list"],
    ["a directive as a list", { csp: { "script-src": ["*"] } }, "csp unknown-list"],
    ["an own domain", { domain: "a.views.net" }, "domain domain"],
  ])("%s is reported and grants nothing (E99)", (_what, meta, expected) => {
    const policy = buildPolicy(meta);
    expect(codes(policy)).toEqual([expected]);
    expect(policy.egress).toEqual([]);
    expectGrammar(policy);
  });

  test("fonts of the host are in the policy of every View if the operator allows them", () => {
    const fonts = "https://fonts.example.com";
    const policy = buildPolicy(
      { csp: { resourceDomains: ["https://cdn.example.net", fonts] } },
      checkNames({ hostFonts: [fonts] }),
    );
    const directives = new Map(policy.directives);
    expect(directives.get("font-src")).toBe(`data: blob: https://cdn.example.net ${fonts}`);
    const alone = new Map(buildPolicy({}, { hostFonts: [fonts] }).directives);
    expect(alone.get("font-src")).toBe(`data: blob: ${fonts}`);
    expect(alone.get("style-src")).toBe(`'unsafe-inline' blob: data: ${fonts}`);
    expect([...alone.values()].filter((value) => value.includes(fonts))).toHaveLength(2);
    // They can receive data, so users and reviewers get to know them.
    expect(buildPolicy({}, { hostFonts: [fonts] }).egress).toEqual([fonts]);
    expectGrammar(policy);
  });

  test.each([
    ["an insecure origin", ["http://fonts.example.com"]],
    ["a wildcard", ["https://*.example.com"]],
    ["a path", ["https://fonts.example.com/css"]],
    ["a name", ["fonts.example.com"]],
    ["a directive", ["https://fonts.example.com; script-src *"]],
    ["a socket", ["wss://fonts.example.com"]],
    ["five origins", Array.from("abcde", (name) => `https://${name}.example.com`)],
  ])("hostFonts can't have %s", (_what, hostFonts) => {
    expect(() => checkNames({ hostFonts })).toThrow(/hostFonts/);
  });

  test("inherited properties, getters and proxies count for nothing (E99)", () => {
    const evil = ["https://evil.com"];
    const metas = [
      JSON.parse('{"__proto__":{"csp":{"connectDomains":["https://evil.com"]}}}'),
      JSON.parse('{"csp":{"__proto__":{"connectDomains":["https://evil.com"]}}}'),
      Object.create({ csp: { connectDomains: evil } }),
      { csp: Object.create({ connectDomains: evil }) },
      { csp: { connectDomains: Object.create(evil) } },
      {
        get csp(): object {
          return { connectDomains: evil };
        },
      },
      {
        csp: {
          get connectDomains(): string[] {
            return evil;
          },
        },
      },
      {
        csp: {
          connectDomains: Object.defineProperty([], 0, { get: () => "https://evil.com" }),
        },
      },
      { csp: new Proxy({}, { get: () => evil }) },
    ];
    for (const meta of metas) expect(buildPolicy(meta).egress).toEqual([]);
  });

  test("a polluted prototype does not become a policy", () => {
    const prototype = Object.prototype as Record<string, unknown>;
    prototype.csp = { connectDomains: ["https://evil.com"] };
    prototype.connectDomains = ["https://evil.com"];
    try {
      expect(buildPolicy({ csp: {} }).egress).toEqual([]);
      expect(buildPolicy({}).egress).toEqual([]);
    } finally {
      delete prototype.csp;
      delete prototype.connectDomains;
    }
  });

  test("a list ends after 32 entries, and its author learns how many were left out (E98)", () => {
    const many = Array.from({ length: 10_000 }, (_, at) => `https://h${at}.example.org`);
    const policy = buildPolicy(connect(...many));
    expect(policy.egress).toHaveLength(32);
    expect(policy.rejected).toMatchObject([{ code: "too-many", value: '"+9968"' }]);
  });

  test("a list that only claims to be long costs no time", () => {
    const sparse: string[] = [];
    sparse.length = 2 ** 32 - 1;
    expect(buildPolicy({ csp: { connectDomains: sparse } }).rejected).toHaveLength(33);
  });

  test("what would make a header longer than 8 KiB is left out, the rest stays (E98)", () => {
    const long = (at: number): string => `https://${"a".repeat(60)}.${"b".repeat(60)}.h${at}.com`;
    const list = Array.from({ length: 32 }, (_, at) => long(at));
    const policy = buildPolicy({ csp: { resourceDomains: list, connectDomains: list } });
    expectGrammar(policy);
    expect(policy.grant.csp.connectDomains).toHaveLength(32);
    expect(policy.grant.csp.resourceDomains?.length).toBeGreaterThan(0);
    expect(codes(policy)).toContain("resourceDomains header-full");
  });

  test("the reason names list, value and remedy", () => {
    const { rejected } = buildPolicy(connect("https://a.com/v1", "*"));
    expect(rejected.map(({ reason }) => reason)).toEqual([
      'connectDomains: "https://a.com/v1" has a path, query or fragment, but an origin is allowed as a whole. End it after the host.',
      'connectDomains: "*" would allow every server. Name the hosts that the app talks to.',
    ]);
  });
});

describe("the hash of a policy", () => {
  const hash = (meta: unknown, operator?: OperatorPolicy): Promise<string> =>
    policyHash(buildPolicy(meta, operator));

  test("is the same for the same policy, however it was declared", async () => {
    const one = await hash(connect("https://a.com", "https://b.com"));
    expect(one).toMatch(/^[0-9a-f]{64}$/);
    expect(await hash(connect("b.com", "A.com", "https://a.com", "nonsense"))).toBe(one);
  });

  test("differs as soon as a browser would enforce something else", async () => {
    const hashes = await Promise.all([
      hash({}),
      hash(connect("https://a.com")),
      hash({ csp: { resourceDomains: ["https://a.com"] } }),
      hash({ csp: { baseUriDomains: ["https://a.com"] } }),
      hash({}, { unsafeEval: true }),
      hash({}, { webrtc: true }),
      hash({}, { baseUri: "self" }),
      hash({ permissions: { camera: {} } }, { permissions: ["camera"] }),
    ]);
    expect(new Set(hashes).size).toBe(hashes.length);
  });
});
