import { describe, expect, test } from "vitest";
import { createMemoryStore } from "../src/view-store.ts";
import { directives, HOST, SINGLE, Stage, settings } from "./sandbox-stage.ts";

describe("flags of the View's frame", () => {
  test.each([
    [undefined, "allow-scripts allow-same-origin allow-forms"],
    ["allow-scripts", "allow-scripts"],
    ["ALLOW-Scripts\tallow-FORMS", "allow-scripts allow-forms"],
    ["allow-scripts allow-top-navigation allow-popups allow-modals", "allow-scripts"],
    ["allow-scripts allow-downloads allow-storage-access-by-user-activation", "allow-scripts"],
    ["allow-scripts; script-src *", ""],
    ["", ""],
  ])("SBX-14: the wish %j becomes %j in header and page (E108)", async (sandbox, flags) => {
    const stage = new Stage();
    const { page, viewUrl, ...view } = await stage.open(sandbox === undefined ? {} : { sandbox });
    expect(view.sandbox).toBe(flags);
    expect(settings(await page.text()).sandbox).toBe(flags);
    expect(directives(await stage.frame(viewUrl)).get("sandbox")).toBe(flags);
  });
});

describe("one origin for all (tier 3)", () => {
  test("proxy and View are without origin by header, below the prefix (C70)", async () => {
    const stage = new Stage({ origins: SINGLE });
    const { page, proxyUrl, viewUrl, ...view } = await stage.open({
      meta: { permissions: { camera: {} } },
    });
    expect(proxyUrl).toMatch(/^https:\/\/chat\.example\/sandbox\/p\/[a-z2-7]{32}$/);
    expect(viewUrl).toMatch(/^https:\/\/chat\.example\/sandbox\/v\/[a-z2-7]{32}$/);
    expect(view).toMatchObject({ viewOrigin: "null", proxyOrigin: "null", allow: "" });
    expect(directives(page).get("sandbox")).toBe("allow-scripts allow-forms");
    expect(directives(page).get("frame-ancestors")).toBe(HOST);
    expect(settings(await page.text())).toMatchObject({ origin: "null" });
    const policy = directives(await stage.frame(viewUrl));
    expect(policy.get("sandbox")).toBe("allow-scripts allow-forms");
    // No ancestor without origin matches any source, so the directive would shut the View out.
    expect(policy.has("frame-ancestors")).toBe(false);
    expect(page.headers.has("origin-agent-cluster")).toBe(false);
  });

  test("SBX-14: no wish gives the View the host's origin back", async () => {
    const stage = new Stage({ origins: SINGLE });
    const { viewUrl } = await stage.open({ sandbox: "allow-scripts allow-same-origin" });
    expect(directives(await stage.frame(viewUrl)).get("sandbox")).toBe("allow-scripts");
  });

  test("there is no entrance, and the rest of the host's pages are not ours", async () => {
    const stage = new Stage({ origins: SINGLE });
    expect((await stage.frame(`${HOST}/sandbox/`)).status).toBe(404);
    expect((await stage.post(`${HOST}/sandbox/views`, "{}")).status).toBe(404);
    expect(stage.sandbox.handles({ url: `${HOST}/` })).toBe(false);
    expect(stage.sandbox.handles({ url: `${HOST}/sandbox/v/x` })).toBe(true);
  });

  test("devices are refused with the reason", async () => {
    const stage = new Stage({ origins: SINGLE, policy: { permissions: ["camera"] } });
    const { rejected } = await stage.open({ meta: { permissions: { camera: {} } } });
    expect(rejected).toMatchObject([{ code: "needs-own-origin" }]);
  });
});

describe("register refuses", () => {
  test.each([
    ["no string", { html: 5 as unknown as string }, "bad-html"],
    ["half a character", { html: "<p>\ud800" }, "bad-html"],
    ["more than 5 MiB", { html: "x".repeat(5 * 2 ** 20 + 1) }, "large-html"],
    ["more than 5 MiB in UTF-8", { html: "é".repeat(3 * 2 ** 20) }, "large-html"],
    ["no server", { server: undefined as unknown as string }, "bad-identity"],
    ["a number as user", { user: 5 as unknown as string }, "bad-identity"],
    ["a block list that blocks nothing", { policy: { blockDomains: ["*.x.com"] } }, "bad-domain"],
  ])("%s", async (_what, view, code) => {
    await expect(new Stage().open(view)).rejects.toMatchObject({ code, name: "LocalError" });
  });

  test("a full store, until something has been opened or expired (E98)", async () => {
    const clock = (): number => stage.now;
    const stage: Stage = new Stage({
      store: createMemoryStore({ entries: 6, clock: () => clock() }),
    });
    await stage.open();
    const { viewUrl } = await stage.open();
    await expect(stage.open()).rejects.toMatchObject({ code: "store-full" });
    stage.now += 60_000;
    expect((await stage.frame(viewUrl)).status).toBe(410);
    await stage.open();
  });

  test("an operator's list with an entry that isn't a name", () => {
    for (const name of ["https://x.com", "*.x.com", "X.com", "", "x.com/", "x .com"]) {
      expect(() => new Stage({ policy: { blockDomains: [name] } })).toThrow(
        /Write it without scheme/,
      );
    }
  });
});

test("what the operator blocks stays blocked for a single View", async () => {
  const stage = new Stage({ policy: { blockDomains: ["bad.com"] } });
  const { egress } = await stage.open({
    meta: { csp: { connectDomains: ["https://bad.com", "https://good.com"] } },
    policy: { blockDomains: [] },
  });
  expect(egress).toEqual(["https://good.com"]);
});
