import { type HostStage, openHostStage } from "@vitrine/internal/host-stage";
import type { Page } from "playwright";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { openPartsPage } from "./parts-page.ts";

vi.setConfig({ hookTimeout: 60_000 });

let stage: HostStage;
beforeAll(async () => {
  stage = await openHostStage();
});
afterAll(() => stage.close());

const probe = (page: Page, sandbox: string) =>
  page.evaluate((sandbox) => window.parts.probeEgress(sandbox), sandbox);

/** Stands in for the Sandbox's probe. */
async function pretend(page: Page, script: string): Promise<void> {
  const body = `<!doctype html><script>${script}</script>`;
  await page.route(`${stage.entrance}egress`, (route) =>
    route.fulfill({ contentType: "text/html", body }),
  );
}

test("the Sandbox's page finds out what this browser does, once for a page of the Host", async () => {
  const page = await openPartsPage(stage);
  const asked: string[] = [];
  page.on("request", (request) => asked.push(request.url()));
  const [first, second] = await Promise.all([
    probe(page, stage.entrance),
    probe(page, stage.entrance),
  ]);
  expect(first.egress).toMatch(/^(strict|partial)$/);
  expect(first.why).toMatch(/\w+ .*\.$/);
  expect(second).toEqual(first);
  expect(asked.filter((url) => url === `${stage.entrance}egress`)).toHaveLength(1);
  // Nothing of it is left in the page.
  await expect.poll(() => page.frames().length).toBe(1);
});

test("a probe on the Host's own origin is believed, since it has none", async () => {
  const page = await openPartsPage(stage);
  const { proxy, prefix } = stage.single.origins;
  const found = await probe(page, `${proxy}${prefix}/`);
  expect(found.why).not.toContain("did not answer");
});

test("a page that stays silent means partial, and is asked again", async () => {
  const page = await openPartsPage(stage);
  await pretend(page, "");
  const began = Date.now();
  expect(await probe(page, stage.entrance)).toEqual({
    egress: "partial",
    why: "The sandbox's probe did not answer.",
  });
  expect(Date.now() - began).toBeGreaterThan(2900);
  await pretend(
    page,
    `parent.postMessage({ vitrine: "egress", egress: "strict", why: "Now." }, "*");`,
  );
  expect(await probe(page, stage.entrance)).toEqual({ egress: "strict", why: "Now." });
});

test("every answer except strict means partial", async () => {
  const page = await openPartsPage(stage);
  await pretend(page, `parent.postMessage({ vitrine: "egress", egress: "STRICT", why: {} }, "*");`);
  expect(await probe(page, stage.entrance)).toMatchObject({ egress: "partial" });
});

test("another window's word does not count, nor another origin's in the frame", async () => {
  const page = await openPartsPage(stage);
  const lie = `parent.postMessage({ vitrine: "egress", egress: "strict", why: "A lie." }, "*");`;
  await page.route(`${stage.entrance}liar`, (route) =>
    route.fulfill({
      contentType: "text/html",
      body: `<script>setInterval(() => { ${lie} }, 100);</script>`,
    }),
  );
  await page.route(`${stage.hostOrigin}/liar`, (route) =>
    route.fulfill({ contentType: "text/html", body: `<script>${lie}</script>` }),
  );
  await page.evaluate((src) => {
    document.body.append(Object.assign(document.createElement("iframe"), { src }));
  }, `${stage.entrance}liar`);
  await pretend(page, `location = "${stage.hostOrigin}/liar";`);
  expect(await probe(page, stage.entrance)).toMatchObject({ egress: "partial" });
});

test("a Sandbox of which only the registration is known is partial", async () => {
  const page = await openPartsPage(stage);
  const found = await page.evaluate((entrance) => {
    const register = () => Promise.reject(new Error("not asked"));
    const { probeEgress } = window.parts;
    return Promise.all([probeEgress({ register }), probeEgress({ register, entrance })]);
  }, stage.entrance);
  expect(found[0]).toEqual({ egress: "partial", why: "The sandbox's address is unknown." });
  expect(found[1].why).not.toBe(found[0].why);
});
