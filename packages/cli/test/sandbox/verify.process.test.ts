import { createMemoryStore } from "@vitrine/sandbox";
import { afterEach, describe, expect, test, vi } from "vitest";
import type { ProblemCode } from "../../src/sandbox/problem.ts";
import { type VerifyReport, verifySandbox } from "../../src/sandbox/verify.ts";
import {
  type Deployed,
  deploy,
  type Faults,
  foreign,
  KEY,
  type Setup,
  setHeader,
} from "./broken-proxy.ts";

vi.setConfig({ testTimeout: 60_000 });

const HOST = "http://app.localhost:1";
const opened: Deployed[] = [];
afterEach(() => {
  for (const deployed of opened.splice(0)) deployed.close();
});

async function verify(
  setup: Setup = {},
  options: Parameters<typeof verifySandbox>[1] = {},
): Promise<VerifyReport> {
  const deployed = await deploy(setup);
  opened.push(deployed);
  return verifySandbox(`http://localhost:${deployed.port}`, {
    host: HOST,
    patience: 10_000,
    ...options,
  });
}

const codes = ({ problems }: VerifyReport): string[] => problems.map(({ code }) => code);

test("a sound deployment has no problems, by its domain and by its entrance", async () => {
  const deployed = await deploy();
  opened.push(deployed);
  for (const name of ["localhost", "proxy.localhost"]) {
    const report = await verifySandbox(`http://${name}:${deployed.port}/`, { host: HOST });
    expect(report).toMatchObject({ hosts: [HOST], views: 6, problems: [] });
  }
});

test("instances with one key and one store are one sandbox", async () => {
  const store = createMemoryStore();
  expect((await verify({ instances: [{ store }, { store }, { store }] })).problems).toEqual([]);
});

test("a sandbox that needs credentials is checked completely with its key only", async () => {
  const setup: Setup = { instances: [{ registration: "credential" }] };
  const without = await verify(setup);
  expect(without.problems).toMatchObject([{ code: "unchecked", severity: "note" }]);
  expect(await verify(setup, { key: KEY })).toMatchObject({ views: 6, problems: [] });
  const wrong = await verify(setup, { key: KEY.replace("0", "1") });
  expect(codes(wrong)).toEqual(["keys-differ"]);
});

const policyOf = (change: (policy: string) => string): Faults => ({
  answer: (passing) => {
    const at = passing.headers.findIndex(
      (name) => name.toLowerCase() === "content-security-policy",
    );
    if (at >= 0) passing.headers[at + 1] = change(passing.headers[at + 1] ?? "");
  },
});
const adding = (name: string, value: string): Faults => ({
  answer: (passing) => void passing.headers.push(name, value),
});
const replacing = (name: string, value?: string): Faults => ({
  answer: (passing) => setHeader(passing, name, value),
});

describe("finds what a proxy breaks, with the remedy", () => {
  test.each<[string, Setup, ProblemCode, RegExp]>([
    [
      "another program",
      { instead: () => foreign(200, "<h1>Hello</h1>") },
      "not-a-sandbox",
      /status 200/,
    ],
    [
      "a redirect",
      { instead: () => foreign(302, "", ["location", "https://login.example/"]) },
      "redirect",
      /login\.example/,
    ],
    [
      "a dead upstream",
      { instead: () => foreign(502, "Bad gateway") },
      "failing",
      /502.*Bad gateway/,
    ],
    [
      "a changed Host",
      {
        ask: (headers) => {
          headers.host = "backend:8080";
        },
      },
      "unknown-host-name",
      /proxy\.localhost/,
    ],
    [
      "lost Sec-Fetch headers",
      {
        ask: (headers) => {
          delete headers["sec-fetch-dest"];
        },
      },
      "sec-fetch-lost",
      /Sec-Fetch-Dest/,
    ],
    [
      "a host that isn't allowed",
      { hosts: ["http://other.localhost:1"] },
      "host-not-allowed",
      /It allows http:\/\/other\.localhost:1/,
    ],
    [
      "no policy",
      replacing("content-security-policy"),
      "policy-missing",
      /no Content-Security-Policy/,
    ],
    [
      "a second policy",
      adding("content-security-policy", "default-src 'self'"),
      "policy-added",
      /default-src 'self'/,
    ],
    [
      "a joined policy",
      policyOf((text) => `${text}, frame-ancestors 'none'`),
      "policy-added",
      /frame-ancestors 'none'/,
    ],
    [
      "other ancestors",
      policyOf((text) => text.replace(/frame-ancestors [^;]+/, "frame-ancestors *")),
      "policy-changed",
      /frame-ancestors .* is "\*"/,
    ],
    [
      "no ancestors",
      policyOf((text) => text.replace(/frame-ancestors [^;]+; /, "")),
      "policy-changed",
      /frame-ancestors .* is missing/,
    ],
    [
      "a wider script-src",
      policyOf((text) => text.replace("script-src ", "script-src 'unsafe-inline' ")),
      "policy-changed",
      /script-src/,
    ],
    [
      "sniffing",
      replacing("x-content-type-options"),
      "header-missing",
      /X-Content-Type-Options is missing/,
    ],
    [
      "a referrer",
      replacing("referrer-policy", "origin"),
      "header-missing",
      /Referrer-Policy is "origin"/,
    ],
    [
      "caching allowed",
      replacing("cache-control", "public, max-age=60"),
      "header-missing",
      /Cache-Control is "public/,
    ],
    [
      "no embedder policy",
      replacing("cross-origin-embedder-policy"),
      "header-missing",
      /Cross-Origin-Embedder-Policy is missing/,
    ],
    [
      "open CORS",
      adding("access-control-allow-origin", "*"),
      "header-added",
      /Access-Control-Allow-Origin/,
    ],
    [
      "a permissions policy",
      adding("permissions-policy", "camera=*"),
      "header-added",
      /Permissions-Policy: camera=\*/,
    ],
    [
      "a wide cookie",
      adding("set-cookie", "bot=1; Domain=localhost"),
      "header-added",
      /cookie "bot"/,
    ],
    ["a cache's mark", adding("cf-cache-status", "HIT"), "cached", /cf-cache-status: HIT/],
    [
      "no POST",
      { instead: (method) => (method === "POST" ? foreign(405, "") : undefined) },
      "no-registration",
      /405/,
    ],
    [
      "a failing POST",
      { instead: (method) => (method === "POST" ? foreign(502, "") : undefined) },
      "failing",
      /502/,
    ],
    [
      "a lost Origin",
      {
        ask: (headers) => {
          delete headers.origin;
        },
      },
      "registration-headers",
      /Origin/,
    ],
    [
      "a lost token",
      {
        ask: (headers) => {
          delete headers["vitrine-token"];
        },
      },
      "keys-differ",
      /Vitrine-Token/,
    ],
    [
      "different keys",
      { instances: [{}, {}], key: (at) => KEY.replace("0", `${at}`) },
      "keys-differ",
      /different keys/,
    ],
    ["separate stores", { instances: [{}, {}, {}] }, "store-not-shared", /its own store/],
    [
      "a lost connection list",
      replacing("connection-allowlist"),
      "header-missing",
      /Connection-Allowlist is missing/,
    ],
    [
      "weaker permissions of views",
      replacing("permissions-policy", "camera=*"),
      "header-missing",
      /Permissions-Policy is "camera=\*"/,
    ],
  ])("%s", async (_what, setup, code, words) => {
    const report = await verify(setup);
    const found = report.problems.filter((one) => one.code === code);
    expect(codes(report)).toContain(code);
    expect(found.map(({ cause }) => cause).join("\n")).toMatch(words);
    for (const { severity, remedy } of found) {
      expect(severity).toBe("error");
      expect(remedy).toMatch(/^[A-Z].{20,}\.$/);
    }
  });
});

test.each<[string, (text: string) => string]>([
  [
    "an added script",
    (text) => text.replace("</body>", '<script src="/analytics.js"></script></body>'),
  ],
  ["a changed script", (text) => text.replace("<script>", "<script>/* loader */")],
  ["minified HTML", (text) => text.replace('<meta charset="utf-8">', "<meta charset=utf-8>")],
])("finds %s in the pages", async (_what, change) => {
  const report = await verify({
    answer: (passing) => {
      passing.body = Buffer.from(change(passing.body.toString()));
    },
  });
  expect(codes(report)).toContain("page-rewritten");
});

test("finds a script that is added to views only", async () => {
  const report = await verify({
    answer: (passing, path) => {
      if (!path.startsWith("/v/")) return;
      passing.body = Buffer.from(
        passing.body.toString().replace("</body>", "<script></script></body>"),
      );
    },
  });
  expect(report.problems).toMatchObject([
    { code: "page-rewritten", where: expect.stringContaining("/v/") },
  ]);
});

test("finds a cache, whether or not it adds a header", async () => {
  const kept = new Map<string, ReturnType<typeof foreign>>();
  const report = await verify({
    instead: (method, path, { host }) =>
      method === "GET" ? kept.get(`${host}${path}`) : undefined,
    answer: (passing, path, host) => {
      if (passing.status === 200)
        kept.set(`${host}${path}`, { ...passing, headers: [...passing.headers] });
    },
  });
  expect(codes(report)).toContain("cached");
  const views = await verify({
    instead: (method, path, { host }) =>
      method === "GET" && path.startsWith("/v/") ? kept.get(`${host}${path}`) : undefined,
    answer: (passing, path, host) => {
      if (passing.status === 200)
        kept.set(`${host}${path}`, { ...passing, headers: [...passing.headers] });
    },
  });
  expect(codes(views)).toEqual(["opened-twice"]);
});

test("finds names of views that go elsewhere", async () => {
  const report = await verify({
    instead: (_method, _path, { host = "" }) =>
      host.startsWith("proxy.") ? undefined : foreign(404, "no such site"),
  });
  expect(report.problems.find(({ code }) => code === "wildcard")).toMatchObject({
    cause: expect.stringContaining("something else than the sandbox answers with status 404"),
    remedy: expect.stringContaining("Route *.localhost to the sandbox"),
  });
});

test("warns of limits and of headers without a large effect", async () => {
  const headers = await verify({ ...adding("x-frame-options", "DENY"), maxHeaderSize: 16_384 });
  expect(codes(headers).sort()).toEqual(["header-added", "header-limit"]);
  const body = await verify({
    instead: (method, _path, { "content-length": length }) =>
      method === "POST" && Number(length) > 1_000_000 ? foreign(413, "too large") : undefined,
  });
  expect(codes(body)).toEqual(["body-limit"]);
  const reports = await verify({ ...replacing("reporting-endpoints") });
  expect(codes(reports)).toEqual(["no-reports"]);
  for (const { problems } of [headers, body, reports]) {
    expect(problems.every(({ severity }) => severity === "warning")).toBe(true);
  }
});

test("names a sandbox that nobody listens for", async () => {
  const deployed = await deploy();
  deployed.close();
  const report = await verifySandbox(`http://localhost:${deployed.port}`, { host: HOST });
  expect(report).toMatchObject({ hosts: undefined, problems: [{ code: "unreachable" }] });
});

test("a server that never answers is unreachable, not endless", async () => {
  const hanging = await deploy({
    instead: () => ({ ...foreign(200, ""), headers: ["content-length", "9"] }),
  });
  opened.push(hanging);
  const report = await verifySandbox(`http://localhost:${hanging.port}`, { patience: 300 });
  expect(codes(report)).toEqual(["unreachable"]);
});

test("text of a proxy can't change the terminal", async () => {
  const report = await verify({ instead: () => foreign(500, "\u001b]0;owned\u0007\n::error::x") });
  expect(report.problems[0]?.cause).not.toMatch(/\p{Cc}/u);
});
