import { LocalError } from "@vitrine/protocol";
import { describe, expect, test } from "vitest";
import type { SandboxErrorCode } from "../src/error-messages.ts";
import {
  createOrigins,
  type OriginsConfig,
  type ViewIdentity,
  type ViewVersion,
} from "../src/origins.ts";

const key = "0123456789abcdef0123456789abcdef";
const domain: OriginsConfig = {
  tier: "domain",
  hosts: ["https://chat.example"],
  domain: "https://usercontent.example",
  key,
};
const localhost: OriginsConfig = {
  tier: "localhost",
  hosts: ["http://app.localhost:5173"],
  port: 5174,
  key,
};
const single: OriginsConfig = { tier: "single-origin", hosts: ["https://chat.example"], key };
const version = { policyHash: "p", htmlHash: "h" };
const who: ViewIdentity = { tenant: "t", user: "u", server: "s", resource: "ui://r" };

function refusal(config: object): { code: string; message: string } {
  try {
    createOrigins(config as OriginsConfig);
  } catch (error) {
    if (error instanceof LocalError) return { code: error.code, message: error.message };
    throw error;
  }
  return { code: "accepted", message: "" };
}

describe("three tiers", () => {
  test("production has a proxy and Views below a domain of their own", async () => {
    const origins = createOrigins(domain);
    expect(origins.proxy).toBe("https://proxy.usercontent.example");
    expect(origins).toMatchObject({ opaque: false, prefix: "" });
    expect(origins.sandbox).toBe("allow-scripts allow-same-origin allow-forms");
    expect(await origins.viewOrigin(who, version)).toMatch(
      /^https:\/\/[a-z2-7]{32}\.usercontent\.example$/,
    );
    expect(origins.ownDomains).toEqual(["chat.example", "usercontent.example"]);
  });

  test("development has names below localhost, each a site for the browser", async () => {
    const origins = createOrigins(localhost);
    expect(origins.proxy).toBe("http://proxy.localhost:5174");
    expect(await origins.viewOrigin(who, version)).toMatch(
      /^http:\/\/[a-z2-7]{32}\.localhost:5174$/,
    );
    expect(origins.ownDomains).toEqual(["app.localhost:5173", "localhost:5174"]);
  });

  test("a single origin has Views without any origin", async () => {
    const origins = createOrigins(single);
    expect(origins).toMatchObject({
      proxy: "https://chat.example",
      prefix: "/sandbox",
      opaque: true,
      sandbox: "allow-scripts allow-forms",
    });
    expect(await origins.viewOrigin(who, version)).toBe("https://chat.example");
  });
});

describe("SBX-01: an unsafe setup throws with the reason", () => {
  test.each<[string, object, SandboxErrorCode]>([
    ["no host", { ...domain, hosts: [] }, "no-hosts"],
    [
      "the proxy as host",
      { ...domain, hosts: ["https://proxy.usercontent.example"] },
      "same-origin",
    ],
    ["the domain as host", { ...domain, hosts: ["https://usercontent.example"] }, "same-site"],
    [
      "a host among the Views",
      { ...domain, hosts: ["https://a.usercontent.example"] },
      "same-site",
    ],
    [
      "a sub-domain of the host",
      { ...domain, domain: "https://sandbox.chat.example" },
      "same-site",
    ],
    [
      "a sibling of the host",
      { ...domain, hosts: ["https://www.corp.co.uk"], domain: "https://views.corp.co.uk" },
      "same-site",
    ],
    ["the host on another port", { ...domain, domain: "https://chat.example:8443" }, "same-site"],
    [
      "one of several hosts too near",
      { ...domain, hosts: ["https://chat.example", "https://x.usercontent.example"] },
      "same-site",
    ],
    [
      "a domain on the suffix list that keeps the host among its Views",
      { ...domain, hosts: ["https://chat.github.io"], domain: "https://github.io" },
      "same-site",
    ],
    ["another port of localhost", { ...domain, domain: "http://localhost:8081" }, "localhost-port"],
    ["another port of loopback", { ...domain, domain: "http://127.0.0.1:8081" }, "localhost-port"],
    ["names below localhost", { ...domain, domain: "http://x.localhost:81" }, "localhost-port"],
    ["an address", { ...domain, domain: "https://203.0.113.7" }, "ip-origin"],
    ["an IPv6 address", { ...domain, domain: "https://[2001:db8::1]" }, "ip-origin"],
    ["an IPv6 host", { ...domain, hosts: ["http://[::1]:5173"] }, "ip-origin"],
    ["http for the host", { ...domain, hosts: ["http://chat.example"] }, "insecure-origin"],
    ["http for the Views", { ...domain, domain: "http://usercontent.example" }, "insecure-origin"],
    ["http in the local network", { ...domain, hosts: ["http://192.168.0.7"] }, "insecure-origin"],
    ["an extension", { ...domain, hosts: ["chrome-extension://abc"] }, "bad-origin"],
    ["a path", { ...domain, hosts: ["https://chat.example/app"] }, "bad-origin"],
    ["a slash", { ...domain, hosts: ["https://chat.example/"] }, "bad-origin"],
    ["upper case", { ...domain, hosts: ["https://Chat.example"] }, "bad-origin"],
    ["a wildcard", { ...domain, hosts: ["*"] }, "bad-wildcard"],
    ["an opaque host", { ...domain, hosts: ["null"] }, "bad-origin"],
    ["an injected directive", { ...domain, hosts: ["https://a.com; script-src *"] }, "bad-origin"],
    ["the same without a blank", { ...domain, hosts: ["https://a.com;sandbox"] }, "bad-origin"],
    ["a second policy", { ...domain, hosts: ["https://a.com,sandbox"] }, "bad-origin"],
    ["an injected domain", { ...domain, domain: "https://a.com;sandbox" }, "bad-origin"],
    [
      "more hosts than fit",
      { ...domain, hosts: Array.from({ length: 60 }, (_, at) => `https://h${at}.chat.example`) },
      "many-hosts",
    ],
    ["a short key", { ...domain, key: "secret" }, "short-key"],
    ["31 bytes", { ...domain, key: new Uint8Array(31) }, "short-key"],
    [
      "the proxy as dev host",
      { ...localhost, hosts: ["http://proxy.localhost:5174"] },
      "same-origin",
    ],
    ["the proxy's site", { ...localhost, hosts: ["http://proxy.localhost:5173"] }, "same-site"],
    ["below the proxy", { ...localhost, hosts: ["http://a.proxy.localhost:1"] }, "same-site"],
    ["no port", { ...localhost, port: 0 }, "bad-origin"],
    ["a port beyond", { ...localhost, port: 70_000 }, "bad-origin"],
    ["half a port", { ...localhost, port: 1.5 }, "bad-origin"],
    [
      "two hosts on one origin",
      { ...single, hosts: ["https://a.com", "https://b.com"] },
      "many-hosts",
    ],
    ["one origin and a domain", { ...single, domain: "https://usercontent.example" }, "mixed-tier"],
    ["one origin and a port", { ...single, port: 5174 }, "mixed-tier"],
    ["one origin and its origin", { ...single, sandbox: "allow-same-origin" }, "mixed-tier"],
    ["the same in capitals", { ...single, sandbox: "ALLOW-SAME-ORIGIN" }, "mixed-tier"],
    ["a flag that leads out", { ...domain, sandbox: "allow-top-navigation" }, "bad-flag"],
    ["a prefix that is none", { ...single, prefix: "/" }, "bad-prefix"],
    ["a prefix with a way up", { ...single, prefix: "/a/.." }, "bad-prefix"],
    ["a prefix with a blank", { ...single, prefix: "/a b" }, "bad-prefix"],
  ])("%s", (_what, config, code) => {
    const { code: found, message } = refusal(config);
    expect(found).toBe(code);
    // A sentence with a remedy, not only a code.
    expect(message).toMatch(/\. (?:Use|Configure|Create|Name|Write|Serve|Make|Remove)\b.*\.$/);
  });

  test("names that only look similar are accepted", () => {
    const accepted = [
      { ...domain, hosts: ["https://notusercontent.example"] },
      { ...domain, hosts: ["https://me.github.io"], domain: "https://me-views.github.io" },
      { ...domain, hosts: ["https://a.co.uk"], domain: "https://b.co.uk" },
      { ...localhost, hosts: ["http://localhost:5173"] },
      { ...localhost, hosts: ["http://localhost:5174"] },
      { ...localhost, hosts: ["http://127.0.0.1:5173"] },
      { ...single, hosts: ["http://localhost:3000"], prefix: "/a/b-c" },
    ];
    for (const config of accepted) expect(refusal(config).code).toBe("accepted");
  });
});

describe("the name of a View", () => {
  const origins = createOrigins(domain);
  const name = (identity: ViewIdentity, changed: Partial<ViewVersion> = {}): Promise<string> =>
    origins.viewOrigin(identity, { ...version, ...changed });

  test("is stable, a valid DNS label, and has 160 bits", async () => {
    const one = await name(who);
    expect(await name({ ...who })).toBe(one);
    expect(await createOrigins({ ...domain }).viewOrigin(who, version)).toBe(one);
    const label = new URL(one).hostname.split(".")[0] ?? "";
    expect(label).toMatch(/^[a-z2-7]{32}$/);
    expect(label.length * 5).toBeGreaterThanOrEqual(130);
  });

  test("differs by tenant, user, server, resource, policy, document and key (C54, C56, C57)", async () => {
    const other = createOrigins({ ...domain, key: key.replace("0", "1") });
    const names = await Promise.all([
      name(who),
      name({ ...who, tenant: "t2" }),
      name({ ...who, user: "u2" }),
      name({ ...who, server: "s2" }),
      name({ ...who, resource: "ui://r2" }),
      name(who, { policyHash: "p2" }),
      name(who, { htmlHash: "h2" }),
      // The two hashes must not stand in for each other.
      name(who, { policyHash: "h", htmlHash: "p" }),
      other.viewOrigin(who, version),
    ]);
    expect(new Set(names).size).toBe(names.length);
  });

  test("cannot be met by moving characters from one part to the next", async () => {
    const names = await Promise.all([
      name({ tenant: "ab", user: "c", server: "s", resource: "r" }),
      name({ tenant: "a", user: "bc", server: "s", resource: "r" }),
      name({ tenant: 'a","b', user: "c", server: "s", resource: "r" }),
      name({ tenant: "a\0b", user: "c", server: "s", resource: "r" }),
      name({ user: "abc", server: "s", resource: "r" }),
      name({ server: "abc", resource: "sr" }),
      name({ server: "\ud800", resource: "r" }),
      name({ server: "\ud801", resource: "r" }),
    ]);
    expect(new Set(names).size).toBe(names.length);
  });
});

describe("where a request belongs", () => {
  const label = "a".repeat(32);
  test.each([
    ["https://proxy.usercontent.example/views", "proxy", "/views"],
    // Behind a server that ends TLS the scheme is another one.
    ["http://proxy.usercontent.example/", "proxy", "/"],
    [`https://${label}.usercontent.example/v/x`, "view", "/v/x"],
  ])("%s is the %s's %s", (url, part, path) => {
    expect(createOrigins(domain).locate(new URL(url))).toMatchObject({ part, path });
  });

  test.each([
    "https://usercontent.example/",
    "https://chat.example/",
    "https://short.usercontent.example/",
    `https://${label}.evil.example/v/x`,
    `https://${label}.usercontent.example:8443/v/x`,
    `https://${label}.usercontent.example./v/x`,
    `https://x.${label}.usercontent.example/v/x`,
    `https://${label}usercontent.example/`,
  ])("%s is nobody's", (url) => {
    expect(createOrigins(domain).locate(new URL(url))).toBeUndefined();
  });

  test("on a single origin the prefix decides", () => {
    const origins = createOrigins(single);
    const at = (url: string): unknown => origins.locate(new URL(url));
    expect(at("https://chat.example/sandbox/v/x")).toMatchObject({ part: "both", path: "/v/x" });
    expect(at("https://chat.example/sandboxes/v/x")).toBeUndefined();
    expect(at("https://chat.example/v/x")).toBeUndefined();
    expect(at("https://evil.example/sandbox/v/x")).toBeUndefined();
  });
});
