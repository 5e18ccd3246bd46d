import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { openScene, type Plot, viewOf } from "./scene.ts";
import { openStage, type Stage } from "./stage.ts";
import type { Part } from "./weakness.ts";

vi.setConfig({ testTimeout: 20_000, hookTimeout: 30_000 });

let stage: Stage;
beforeAll(async () => {
  stage = await openStage();
});
afterAll(() => stage.close());
beforeEach(() => {
  stage.outsiderRequests.length = 0;
});

// Each a way for a View to leave; `$` is where it wants to go.
const WAYS: [string, string][] = [
  ["location", `location = "$"`],
  ["location.replace", `location.replace("$")`],
  ["a meta refresh", `document.head.innerHTML = '<meta http-equiv="refresh" content="0;url=$">'`],
  [
    "a link",
    `const a = document.createElement("a"); a.href = "$"; document.body.append(a); a.click()`,
  ],
  ["window.open on itself", `window.open("$", "_self")`],
  [
    "a form",
    `const form = document.createElement("form"); form.action = "$"; document.body.append(form); form.submit()`,
  ],
];

const leaving = (code: string): Plot => {
  const html = viewOf(
    `done(); await rest(50); ${code.replace("$", `${stage.outsiderOrigin}/left?secret`)}`,
  );
  // Two other walls of the View's own document are taken away, to see this one alone.
  const policy = (part: Part, text: string): string =>
    part === "view" ? text.replace("form-action 'none'", "form-action *") : text;
  return { html, policy, headers: { view: ["connection-allowlist"] } };
};

describe("a View that leaves", () => {
  test.each(WAYS)("by %s gets nowhere and is stopped, and the reason said", async (_way, code) => {
    const scene = await openScene(stage, leaving(code));
    expect(await scene.killed()).toEqual({ code: "navigation", detail: stage.outsiderOrigin });
    const notice = scene.proxy().getByRole("alert");
    await notice.waitFor({ state: "visible" });
    expect(await notice.textContent()).toContain(
      `It tried to navigate to ${stage.outsiderOrigin}.`,
    );
    expect(stage.outsiderRequests).toEqual([]);
    // The View's frame is gone, and with it whatever ran there.
    expect(scene.page.frames()).toHaveLength(2);
  });

  test.each(["port", "single-origin"] as const)(
    "for another page of where it came from is stopped as well, in %s mode",
    async (mode) => {
      const html = viewOf(
        `done({ from: new URL(location.href).origin }); await rest(50); location = "/elsewhere";`,
      );
      const scene = await openScene(stage, { mode, html });
      const { from } = await scene.outcome();
      expect(await scene.killed()).toEqual({ code: "navigation", detail: from });
      const events = (await scene.received()).map(({ data }) => data);
      expect(events).toContainEqual({ violation: { directive: "frame-src", blocked: from } });
    },
  );

  test("is still there for the Host without the kill switch, as an error page", async () => {
    const scene = await openScene(stage, { ...leaving(`location = "$"`), without: "kill" });
    await scene.until();
    await scene.page.waitForTimeout(1000);
    expect(await scene.proxy().getByRole("alert").count()).toBe(0);
    expect(scene.page.frames()).toHaveLength(3);
    const logs = (await scene.received()).filter(({ data }) => Object(data).params?.logger);
    expect(logs).toEqual([]);
  });

  test("would get away if the relay's page had no frame-src", async () => {
    const plot = leaving(`location = "$"`);
    const policy = (part: Part, text: string): string =>
      part === "relay" ? text.replace(/frame-src [^;]+/, "frame-src *") : text;
    await openScene(stage, { ...plot, policy });
    await expect.poll(() => stage.outsiderRequests, { timeout: 5000 }).toEqual(["/left?secret"]);
  });
});

describe("the Host that leaves", () => {
  test("takes everything with it", async () => {
    const scene = await openScene(stage, { mode: "port", html: viewOf(`done();`) });
    await scene.until();
    await scene.page.evaluate(() => window.host.remove());
    await expect.poll(() => scene.page.frames().length, { timeout: 5000 }).toBe(1);
  });
});
