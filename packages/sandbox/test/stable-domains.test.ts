import { expect, test } from "vitest";
import { ENTRANCE, FRAME, HOST, HTML, PROXY, SINGLE, Stage, settings } from "./sandbox-stage.ts";

const DOMAIN_NAME = "https://acme.example";
const stableDomains = [{ domain: DOMAIN_NAME, server: "weather" }];
const meta = { domain: DOMAIN_NAME };

test("a configured domain gives the Views of its server one origin, whatever their user and version", async () => {
  const stage = new Stage({ stableDomains });
  const [stable] = await stage.sandbox.stableOrigins();
  expect(stable).toMatchObject({ domain: DOMAIN_NAME, server: "weather" });
  expect(stable?.origin).toMatch(/^https:\/\/[a-z2-7]{32}\.usercontent\.example$/);
  const views = [
    await stage.open({ meta }),
    await stage.open({ meta, user: "ada", html: `${HTML}new` }),
    await stage.open({ meta, resource: "ui://weather/other" }),
  ];
  for (const { viewOrigin, rejected, viewUrl } of views) {
    expect(viewOrigin).toBe(stable?.origin);
    expect(rejected).toEqual([]);
    expect((await stage.frame(viewUrl)).status).toBe(200);
  }
});

test.each([
  ["another server", { meta, server: "notes" }],
  ["another tenant", { meta, tenant: "b" }],
  ["another domain", { meta: { domain: "https://other.example" } }],
  ["a domain that isn't text", { meta: { domain: [DOMAIN_NAME] } }],
])("%s has an origin of its own, and its author receives a report", async (_who, view) => {
  const stage = new Stage({ stableDomains });
  const [stable] = await stage.sandbox.stableOrigins();
  const { viewOrigin, rejected } = await stage.open(view);
  expect(viewOrigin).not.toBe(stable?.origin);
  expect(rejected).toMatchObject([{ list: "domain", code: "domain" }]);
  expect(rejected[0]?.reason).toContain("stableDomains");
});

test("a View without the domain keeps its own origin", async () => {
  const stage = new Stage({ stableDomains });
  const [stable] = await stage.sandbox.stableOrigins();
  expect((await stage.open()).viewOrigin).not.toBe(stable?.origin);
});

test("a page that registers without a credential can't claim the domain of a server", async () => {
  const stage = new Stage({ stableDomains });
  const reported: string[] = [];
  stage.sandbox.onDiagnostic(({ where, code }) => reported.push(`${where} ${code}`));
  const entrance = await (await stage.frame(`${PROXY}/`)).text();
  const vitrine = { server: "weather", resource: "ui://weather/main", domain: DOMAIN_NAME };
  const response = await stage.sandbox.fetch(
    new Request(`${PROXY}/views`, {
      method: "POST",
      headers: { ...ENTRANCE, "vitrine-token": String(settings(entrance).token) },
      body: JSON.stringify({ html: HTML, vitrine, host: HOST }),
    }),
  );
  expect(response.status).toBe(201);
  const { path } = await response.json();
  const page = await stage.sandbox.fetch(new Request(`${PROXY}${path}`, { headers: FRAME }));
  const [stable] = await stage.sandbox.stableOrigins();
  expect(String(settings(await page.text()).view)).not.toContain(String(stable?.origin));
  expect(reported).toEqual(["domain domain"]);
});

test("a Sandbox whose Views have no origin can't have stable ones", () => {
  expect(() => new Stage({ origins: SINGLE, stableDomains })).toThrow(/stableDomains/);
});
