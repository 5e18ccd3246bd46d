import { type HostStage, openHostPage, openHostStage } from "@vitrine/internal/host-stage";
import type { Frame, Page, Response } from "playwright";
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from "vitest";
import type {} from "./pages/hosted.ts";
import { sdkView } from "./sdk-view.ts";

vi.setConfig({ hookTimeout: 60_000 });

const PROGRAM = new URL("./pages/hosted.ts", import.meta.url);
let stage: HostStage;
let page: Page;
/** What the Sandbox answered, by the first letter of its path. */
let answers: Response[];
beforeAll(async () => {
  stage = await openHostStage({
    policy: { blockDomains: ["blocked.example"], permissions: ["geolocation"] },
  });
});
afterAll(() => stage.close());
afterEach(() => page?.close());

interface Showing {
  meta?: object;
  server?: string;
  key?: string;
  html?: string;
}

async function open(options: object = {}): Promise<void> {
  page = await openHostPage(stage, { program: PROGRAM });
  answers = [];
  page.on("response", (response) => answers.push(response));
  const settings = { entrance: stage.entrance, ...options };
  await page.evaluate((settings) => window.hosted.open(settings), settings);
}

async function show({ meta, server = "server", key = server, html }: Showing = {}): Promise<Frame> {
  const showing = { meta, server, key, html: html ?? (await sdkView("")) };
  await page.evaluate(({ meta, server, key, html }) => {
    const { hosted } = window;
    const upstream = hosted.upstream(server, [{ name: "show", html, ...(meta && { meta }) }]);
    hosted.host.mount(hosted.place(key), hosted.app(key, upstream, "show"));
  }, showing);
  await page.waitForFunction((key) => window.hosted.host.views.get(key)?.stage === "shown", key, {
    timeout: 20_000,
  });
  return page.frames().findLast((frame) => frame.url().includes("/v/")) as Frame;
}

function policyOf(): Map<string, string> {
  const view = answers.findLast((answer) => answer.url().includes("/v/"));
  const text = view?.headers()["content-security-policy"] ?? "";
  return new Map(
    text.split("; ").map((part) => {
      const [name = "", ...values] = part.split(" ");
      return [name, values.join(" ")];
    }),
  );
}

function details(code: string): Promise<(string | undefined)[]> {
  return page.evaluate(
    (code) =>
      window.hosted.diagnostics.filter((found) => found.code === code).map(({ detail }) => detail),
    code,
  );
}

const DOMAINS = {
  connectDomains: ["https://api.example.com"],
  resourceDomains: ["https://cdn.example.com"],
};

describe("the policy of a View", () => {
  test("is built from what its resource declares, and each kind stands in its place (HST-25, HST-28)", async () => {
    await open();
    await show({ meta: { csp: DOMAINS } });
    const policy = policyOf();
    expect(policy.get("connect-src")).toContain("https://api.example.com");
    expect(policy.get("connect-src")).not.toContain("cdn");
    expect(policy.get("img-src")).toContain("https://cdn.example.com");
    expect(policy.get("script-src")).toContain("https://cdn.example.com");
    expect(policy.get("img-src")).not.toContain("api");
  });

  test("allows no address where its resource declares none (HST-26)", async () => {
    await open();
    const view = await show();
    const policy = policyOf();
    expect(policy.get("default-src")).toBe("'none'");
    expect(policy.get("object-src")).toBe("'none'");
    expect([...policy.values()].join(" ")).not.toMatch(/https?:\/\/(?!app|proxy)/);
    const tried = await view.evaluate(async (url) => {
      const fetched = await fetch(url).then(
        () => "fetched",
        () => "blocked",
      );
      const image = await new Promise((resolve) => {
        const element = new Image();
        element.onload = () => resolve("loaded");
        element.onerror = () => resolve("blocked");
        element.src = url;
      });
      let evaluated = "evaluated";
      try {
        new Function("return 1")();
      } catch {
        evaluated = "blocked";
      }
      return [fetched, image, evaluated];
    }, stage.hostOrigin);
    expect(tried).toEqual(["blocked", "blocked", "blocked"]);
  });

  test("contains only declared and valid domains (HST-27, HST-29)", async () => {
    await open();
    const odd = [
      "https://*",
      "*",
      "'unsafe-eval'",
      "https://a.example; script-src *",
      "http://10.0.0.1",
    ];
    const view = await show({
      meta: { csp: { connectDomains: [...odd, "https://fine.example.com"] } },
    });
    const connect = policyOf().get("connect-src")?.split(" ");
    expect(connect?.filter((source) => source.includes("//"))).toEqual([
      "https://fine.example.com",
    ]);
    expect(policyOf().get("script-src")).not.toContain("*");
    const blocked = await view.evaluate(
      (url) =>
        new Promise((resolve) => {
          addEventListener("securitypolicyviolation", ({ effectiveDirective }) =>
            resolve(effectiveDirective),
          );
          fetch(url).catch(() => {});
        }),
      stage.hostOrigin,
    );
    expect(blocked).toBe("connect-src");
    expect(await details("policy-rejected")).toHaveLength(odd.length);
  });

  test("is written down with the hash of the document, and names who can learn what it shows (HST-30, HST-31)", async () => {
    await open();
    await show({ meta: { csp: DOMAINS } });
    const [detail] = await details("policy");
    const written = JSON.parse(detail ?? "{}");
    expect(written.htmlHash).toMatch(/^[0-9a-f]{64}$/);
    expect(written.grant.csp).toEqual(DOMAINS);
    const [domains] = await details("external-domains");
    expect(domains?.split(" ").sort()).toEqual([
      "https://api.example.com",
      "https://cdn.example.com",
    ]);
  });

  test("obeys the operator's lists, and the View receives what it was granted (HST-32)", async () => {
    await open();
    const asked = ["https://blocked.example", "https://fine.example.com"];
    const view = await show({ meta: { csp: { connectDomains: asked } } });
    expect(policyOf().get("connect-src")).not.toContain("blocked.example");
    const granted = await view.evaluate(
      () =>
        (
          window as never as { app: { getHostCapabilities(): { sandbox: unknown } } }
        ).app.getHostCapabilities().sandbox,
    );
    expect(granted).toMatchObject({ csp: { connectDomains: ["https://fine.example.com"] } });
  });

  test("gives features to both frames, and only those that were granted (HST-33)", async () => {
    await open();
    const view = await show({ meta: { permissions: { geolocation: {}, camera: {} } } });
    const allowed = (frame: Frame | null): Promise<boolean[] | undefined> | undefined =>
      frame?.evaluate(() => {
        const { featurePolicy } = document as never as {
          featurePolicy: { allowsFeature(name: string): boolean };
        };
        return ["geolocation", "camera"].map((name) => featurePolicy.allowsFeature(name));
      });
    expect(await allowed(view)).toEqual([true, false]);
    expect((await allowed(view.parentFrame()))?.[1]).toBe(false);
  });
});

describe("the Host", () => {
  test("shows the View that a tool names, and the text of a tool that names none (HST-03)", async () => {
    await open();
    const view = await show({ html: await sdkView("", { body: "<h1>This one</h1>" }) });
    expect(await view.locator("h1").textContent()).toBe("This one");
    await page.evaluate(() => {
      const { hosted } = window;
      const upstream = hosted.upstream("plain", []);
      const tool = { name: "plain", inputSchema: { type: "object" as const } };
      const view = hosted.host.mount(hosted.place("plain"), { key: "plain", upstream, tool });
      view.update({ result: { content: [{ type: "text", text: "only words" }] } });
    });
    await expect.poll(() => details("no-resource")).toHaveLength(1);
    expect(page.frames().filter((frame) => frame.url().includes("/v/"))).toHaveLength(1);
  });

  test("can look at the document before it is shown, and refuse it by its hash (HST-35)", async () => {
    await open();
    const html = await sdkView("");
    const seen = await page.evaluate(
      async ({ html, entrance }) => {
        const { hosted } = window;
        const hashes: string[] = [];
        const review = ({ hash }: { hash: string }): boolean => {
          hashes.push(hash);
          return hashes.length > 1;
        };
        hosted.open({ entrance, review });
        const upstream = hosted.upstream("server", [{ name: "show", html }]);
        const view = hosted.host.mount(hosted.place("a"), hosted.app("a", upstream, "show"));
        while (!hosted.diagnostics.some(({ code }) => code === "resource-refused")) {
          await new Promise((resolve) => setTimeout(resolve, 20));
        }
        const frames = document.querySelectorAll("iframe").length;
        await view.reload();
        while (view.stage !== "shown") await new Promise((resolve) => setTimeout(resolve, 20));
        return { hashes, frames };
      },
      { html, entrance: stage.entrance },
    );
    expect(seen.hashes[0]).toMatch(/^[0-9a-f]{64}$/);
    expect(seen.hashes[1]).toBe(seen.hashes[0]);
    expect(answers.filter((answer) => answer.url().includes("/v/"))).toHaveLength(1);
  });

  test("reports a View that comes back with another document (HST-35)", async () => {
    await open();
    await show({ key: "a" });
    await page.evaluate(() => window.hosted.host.views.get("a")?.close());
    await show({ key: "a", html: await sdkView("", { body: "<h1>Another</h1>" }) });
    expect(await details("resource-changed")).toEqual([
      expect.stringMatching(/^[0-9a-f]{64} → [0-9a-f]{64}$/),
    ]);
  });

  test("gives each Server an origin of its own, the same one whenever it comes back (HST-38)", async () => {
    await open({ way: "register" });
    const originOf = (view: Frame): string => new URL(view.url()).origin;
    const first = await show({ server: "a" });
    const second = await show({ server: "b" });
    expect(originOf(second)).not.toBe(originOf(first));
    const again = await show({ server: "a", key: "again" });
    expect(originOf(again)).toBe(originOf(first));
  });
});
