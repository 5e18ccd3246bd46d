import { describe, expect, test } from "vitest";
import type { Diagnostic } from "../src/handler.ts";
import { createMemoryStore, type ViewStore } from "../src/view-store.ts";
import { DOMAIN, directives, FRAME, HOST, PROXY, Stage } from "./sandbox-stage.ts";

const REPORT = { "content-type": "application/reports+json" };

function violation(blockedURL: string, effectiveDirective = "connect-src"): object {
  return { type: "csp-violation", body: { effectiveDirective, blockedURL, lineNumber: 3 } };
}

describe("everything else", () => {
  const label = "a".repeat(32);
  test.each([
    ["GET", "https://usercontent.example/"],
    ["GET", "https://evil.example/"],
    ["GET", `${HOST}/`],
    ["GET", `${PROXY}/views`],
    ["GET", `${PROXY}/p/`],
    ["GET", `${PROXY}/p/<id>`],
    ["GET", `${PROXY}/p/${label}/`],
    ["GET", `${PROXY}/P/${label}`],
    ["GET", `${PROXY}/v/${label}`],
    ["GET", `${PROXY}/r/${label}`],
    ["GET", `${PROXY}/constructor`],
    ["GET", `${PROXY}/favicon.ico`],
    ["GET", `${PROXY}/../v/${label}`],
    ["POST", `${PROXY}/`],
    ["POST", `${PROXY}/p/${label}`],
    ["POST", `${PROXY}/r/${label}`],
    ["OPTIONS", `${PROXY}/views`],
    ["HEAD", `${PROXY}/`],
    ["PUT", `${PROXY}/views`],
    ["GET", `https://${label}.usercontent.example/`],
    ["GET", `https://${label}.usercontent.example/p/${label}`],
    ["GET", `https://${label}.usercontent.example/sw.js`],
    ["POST", `https://${label}.usercontent.example/views`],
    ["HEAD", `https://${label}.usercontent.example/v/${label}`],
  ])("%s %s is 404 under a policy that allows nothing", async (method, url) => {
    const response = await new Stage().sandbox.fetch(new Request(url, { method, headers: FRAME }));
    expect(response.status).toBe(404);
    expect(Object.fromEntries(response.headers)).toEqual({
      "cache-control": "no-store",
      "content-security-policy": "default-src 'none'; sandbox",
      "content-type": "text/plain; charset=utf-8",
      "cross-origin-resource-policy": "same-origin",
      "referrer-policy": "no-referrer",
      "x-content-type-options": "nosniff",
    });
  });

  test("a page that every page may frame reports that the Sandbox is there, and nothing else", async () => {
    const { sandbox } = new Stage();
    const response = await sandbox.fetch(new Request(`${PROXY}/status`, { headers: FRAME }));
    const policy = response.headers.get("content-security-policy");
    expect(policy).toMatch(
      /^default-src 'none'; script-src 'sha256-[^']+'; base-uri 'none'; form-action 'none'; sandbox allow-scripts$/,
    );
    expect(await response.text()).toContain(
      '<script>parent.postMessage({ vitrine: "status" }, "*");</script>',
    );
    // Not for programs, which would learn the names of deployments.
    expect((await sandbox.fetch(new Request(`${PROXY}/status`))).status).toBe(403);
  });

  test("no answer redirects, sets a cookie or opens itself to other origins (B40, C60)", async () => {
    const stage = new Stage();
    const { viewUrl, proxyUrl, viewOrigin, viewId } = await stage.open();
    const cookie = { cookie: "a=b" };
    const answers = await Promise.all([
      stage.frame(`${PROXY}/`, cookie),
      stage.frame(proxyUrl, cookie),
      stage.frame(viewUrl, cookie),
      stage.frame(viewUrl, cookie),
      stage.get(viewUrl, cookie),
      stage.frame(`${viewOrigin}/x`, cookie),
      stage.enter(),
      stage.post(`${viewOrigin}/r/${viewId}`, "[]", REPORT),
    ]);
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 410, 403, 404, 201, 204]);
    for (const { headers, status } of answers) {
      expect(status < 300 || status >= 400).toBe(true);
      for (const name of ["set-cookie", "location", "refresh", "service-worker-allowed"]) {
        expect(headers.has(name)).toBe(false);
      }
      for (const name of headers.keys()) expect(name).not.toMatch(/^access-control-/);
      expect(headers.get("cache-control")).toBe("no-store");
      expect(headers.get("x-content-type-options")).toBe("nosniff");
      expect(headers.get("content-security-policy")).toMatch(/^default-src 'none';/);
    }
  });

  test("a View looks the same with and without cookies", async () => {
    const stage = new Stage();
    const plain = await stage.frame((await stage.open()).proxyUrl);
    const { proxyUrl } = await stage.open();
    const cookies = await stage.frame(proxyUrl, { cookie: `page=${"a".repeat(32)}` });
    const strip = (response: Response): string =>
      [...directives(response)].join().replaceAll(/[a-z2-7]{32}/g, "id");
    expect(strip(cookies)).toBe(strip(plain));
  });
});

describe("reports", () => {
  async function stageWithReports(config = {}): Promise<{
    stage: Stage;
    told: Diagnostic[];
    report(body: unknown, headers?: Record<string, string>): Promise<Response>;
    url: string;
  }> {
    const stage = new Stage(config);
    const told: Diagnostic[] = [];
    stage.sandbox.onDiagnostic((diagnostic) => told.push(diagnostic));
    const { viewOrigin, viewId } = await stage.open();
    const url = `${viewOrigin}/r/${viewId}`;
    const report = (body: unknown, headers = REPORT): Promise<Response> =>
      stage.post(url, typeof body === "string" ? body : JSON.stringify(body), headers);
    return { stage, told, report, url };
  }

  test("become words for the author: directive, origin, and the line to add", async () => {
    const { told, report } = await stageWithReports();
    const response = await report([violation("https://api.x.com/v1?token=secret#f")]);
    expect(response.status).toBe(204);
    expect(told).toEqual([
      {
        viewId: expect.stringMatching(/^[a-z2-7]{32}$/),
        server: "weather",
        resource: "ui://weather/main",
        kind: "blocked",
        code: "blocked",
        where: "connect-src",
        value: "https://api.x.com",
        message:
          'connect-src blocked "https://api.x.com". Add "connectDomains": ["https://api.x.com"] to _meta.ui.csp of the resource.',
        fix: '"connectDomains": ["https://api.x.com"]',
      },
    ]);
    // Paths and queries are where stolen data would stand.
    expect(JSON.stringify(told)).not.toContain("secret");
  });

  test("end after 100 for one View, however they are bundled", async () => {
    const { told, report } = await stageWithReports();
    const many = (count: number): object[] =>
      Array.from({ length: count }, () => violation("https://api.x.com"));
    await report(many(60));
    await report(many(60));
    expect(told).toHaveLength(100);
    expect((await report(many(1))).status).toBe(429);
    expect((await report([{}])).status).toBe(429);
    expect(told).toHaveLength(100);
  });

  test("count even if nothing in them can be read", async () => {
    const { told, report } = await stageWithReports({ limits: { reports: 3 } });
    for (const body of ["", "nonsense", "{}"]) expect((await report(body)).status).toBe(204);
    expect((await report([violation("https://a.com")])).status).toBe(429);
    expect(told).toEqual([]);
  });

  test("of one View leave another's room", async () => {
    const { stage, told, report } = await stageWithReports({ limits: { reports: 1 } });
    await report([violation("https://a.com")]);
    const other = await stage.open({ server: "other" });
    await stage.post(
      `${other.viewOrigin}/r/${other.viewId}`,
      JSON.stringify([violation("https://b.com")]),
      REPORT,
    );
    expect(told.map(({ server }) => server)).toEqual(["weather", "other"]);
  });

  test("are refused for Views nobody knows, under another name, too large, or of another type", async () => {
    const { stage, told, report, url } = await stageWithReports();
    const body = JSON.stringify([violation("https://a.com")]);
    const other = await stage.open({ server: "other" });
    const path = new URL(url).pathname;
    const statuses = [
      await stage.post(url.replace(/.{32}$/, "b".repeat(32)), body, REPORT),
      await stage.post(`${other.viewOrigin}${path}`, body, REPORT),
      await stage.post(`${PROXY}${path}`, body, REPORT),
      await report(body.padEnd(65_537)),
      await report(body, { "content-type": "text/plain" }),
    ].map(({ status }) => status);
    expect(statuses).toEqual([404, 404, 404, 413, 415]);
    expect(told).toEqual([]);
  });

  test("are taken after the View was opened, for an hour", async () => {
    const { stage, told, report } = await stageWithReports();
    stage.now += 3_599_000;
    await report([violation("https://a.com")]);
    expect(told).toHaveLength(1);
    stage.now += 1000;
    expect((await report([violation("https://a.com")])).status).toBe(404);
  });
});

describe("diagnostics", () => {
  test("tell what was left out at registration, also at the entrance", async () => {
    const stage = new Stage();
    const told: Diagnostic[] = [];
    const undo = stage.sandbox.onDiagnostic((diagnostic) => told.push(diagnostic));
    const { viewId } = await stage.open({ meta: { csp: { connectDomains: ["*"] } } });
    await stage.enter({ permissions: { camera: {} } });
    expect(told).toMatchObject([
      { viewId, kind: "rejected", code: "everything", where: "connectDomains", value: '"*"' },
      { kind: "rejected", code: "not-granted", where: "permissions" },
    ]);
    undo();
    undo();
    await stage.open({ meta: { csp: { connectDomains: ["*"] } } });
    expect(told).toHaveLength(2);
  });

  test("a listener that throws harms neither the View nor the other listeners", async () => {
    const stage = new Stage();
    let received = 0;
    stage.sandbox.onDiagnostic(() => {
      throw new Error("mine");
    });
    stage.sandbox.onDiagnostic(() => {
      received += 1;
    });
    await stage.open({ meta: 5 });
    expect(received).toBe(1);
  });
});

describe("close", () => {
  test("forgets what waits, answers 503 from then on, and can be called again", async () => {
    const stage = new Stage();
    const { viewUrl } = await stage.open();
    stage.sandbox.close();
    stage.sandbox.close();
    expect((await stage.frame(viewUrl)).status).toBe(503);
    await expect(stage.sandbox.register({ server: "s", resource: "r", html: "" })).rejects.toThrow(
      /was called after close\(\)\. Create another sandbox/,
    );
  });

  test("leaves a store alone that others may use", async () => {
    const store = createMemoryStore();
    const stage = new Stage({ store });
    await stage.open();
    await store.put("mine", "x", { ttl: 1000 });
    stage.sandbox.close();
    expect(await store.get("mine")).toBe("x");
  });
});

test("two servers with one store and one key serve each other's Views, each once", async () => {
  const store = createMemoryStore();
  const [one, two] = [new Stage({ store }), new Stage({ store })];
  const { viewUrl, proxyUrl } = await one.open();
  expect((await two.frame(proxyUrl)).status).toBe(200);
  const answers = await Promise.all([one.frame(viewUrl), two.frame(viewUrl)]);
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 410]);
});

test("a store that fails is an internal error for the client and told to the operator", async () => {
  const broken: ViewStore = {
    ...createMemoryStore(),
    get: () => Promise.reject(new Error("redis://user:password@10.0.0.1 is away")),
  };
  const stage = new Stage({ store: broken, origins: DOMAIN });
  const errors: unknown[] = [];
  stage.sandbox.onError((error) => errors.push(error));
  const response = await stage.frame(`${PROXY}/p/${"a".repeat(32)}`);
  expect(response.status).toBe(500);
  expect(await response.text()).toBe("Internal error.");
  expect(errors).toHaveLength(1);
});
