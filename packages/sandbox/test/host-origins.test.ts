import { LocalError } from "@vitrine/protocol";
import { describe, expect, test } from "vitest";
import { createSandbox } from "../src/handler.ts";
import { createOrigins, type OriginsConfig } from "../src/origins.ts";
import { parseSource } from "../src/source.ts";
import {
  DOMAIN,
  directives,
  ENTRANCE,
  FRAME,
  KEY,
  PROXY,
  Stage,
  settings,
} from "./sandbox-stage.ts";

const WILD = "https://*.preview.chat.example";
const domain = (hosts: string[], more: object = {}): OriginsConfig =>
  ({ ...DOMAIN, hosts, ...more }) as OriginsConfig;
const local = (hosts: string[]): OriginsConfig => ({
  tier: "localhost",
  port: 5174,
  hosts,
  key: KEY,
});

function refusal(make: () => unknown): string {
  try {
    make();
  } catch (error) {
    if (error instanceof LocalError) return error.code;
    throw error;
  }
  return "accepted";
}
const codeOf = (config: OriginsConfig): string => refusal(() => createOrigins(config));

describe("a wildcard", () => {
  test.each([
    ["https://pr-7.preview.chat.example", true],
    ["https://a.preview.chat.example", true],
    ["https://xn--bcher-kva.preview.chat.example", true],
    [`https://${"a".repeat(63)}.preview.chat.example`, true],
    // Not the name itself, and not two labels, which a policy would match.
    ["https://preview.chat.example", false],
    ["https://a.b.preview.chat.example", false],
    ["https://.preview.chat.example", false],
    [`https://${"a".repeat(64)}.preview.chat.example`, false],
    // Suffix and prefix tricks.
    ["https://evilpreview.chat.example", false],
    ["https://evil-preview.chat.example", false],
    ["https://a.preview.chat.example.evil.example", false],
    ["https://evil.example/.preview.chat.example", false],
    ["https://evil.example?.preview.chat.example", false],
    ["https://evil.example#.preview.chat.example", false],
    ["https://evil.example\\.preview.chat.example", false],
    ["https://user@a.preview.chat.example", false],
    ["https://a%2eb.preview.chat.example", false],
    // Another scheme, port, ending or spelling is another origin.
    ["http://a.preview.chat.example", false],
    ["wss://a.preview.chat.example", false],
    ["xhttps://a.preview.chat.example", false],
    ["https://a.preview.chat.example:8443", false],
    ["https://a.preview.chat.example:443", false],
    ["https://a.preview.chat.example.", false],
    ["https://a..preview.chat.example", false],
    ["https://a.preview.chat.example/", false],
    ["https://a.preview.chat.example\n", false],
    ["https://A.preview.chat.example", false],
    ["https://bücher.preview.chat.example", false],
    ["https://a.preview.xn--cht-1na.example", false],
    ["https://-a.preview.chat.example", false],
    ["https://a-.preview.chat.example", false],
    ["https://a_b.preview.chat.example", false],
    ["https://*.preview.chat.example", false],
    ["*", false],
    ["null", false],
    ["", false],
  ])("%j is a host: %s", (origin, isHost) => {
    expect(createOrigins(domain([WILD])).allows(origin)).toBe(isHost);
  });

  test("with a port matches that port only", () => {
    const { allows } = createOrigins(domain(["https://*.preview.chat.example:8443"]));
    expect(allows("https://a.preview.chat.example:8443")).toBe(true);
    for (const port of ["", ":443", ":84430", ":8443 ", ":18443"]) {
      expect(allows(`https://a.preview.chat.example${port}`)).toBe(false);
    }
  });

  test.each([
    ["*", "bad-wildcard"],
    ["https://*", "bad-wildcard"],
    ["https://*.", "bad-wildcard"],
    ["https://*.*.chat.example", "bad-wildcard"],
    ["https://a.*.chat.example", "bad-wildcard"],
    ["https://pr-*.chat.example", "bad-wildcard"],
    ["https://*chat.example", "bad-wildcard"],
    ["https://*.chat.example.", "bad-wildcard"],
    ["https://*.chat.example.:8443", "bad-wildcard"],
    ["https://*.chat.example:*", "bad-wildcard"],
    ["https://*.chat.example/", "bad-wildcard"],
    ["*.chat.example", "bad-wildcard"],
    ["wss://*.chat.example", "bad-wildcard"],
    ["tauri://*", "bad-origin"],
    ["chrome-extension://*", "bad-origin"],
    ["https://*.Chat.example", "bad-origin"],
    ["https://*.bücher.example", "bad-origin"],
    ["https://*.chat.example;script-src", "bad-origin"],
    ["https://*.chat.example; script-src *", "bad-origin"],
    ["https://*.chat.example:443", "bad-origin"],
    ["https://*.203.0.113.7", "bad-origin"],
    ["https://*.[2001:db8::1]", "bad-origin"],
    ["http://*.chat.example", "insecure-origin"],
    // Names that anyone can get.
    ["https://*.vercel.app", "open-wildcard"],
    ["https://*.pages.dev", "open-wildcard"],
    ["https://*.github.io", "open-wildcard"],
    ["https://*.run.app", "open-wildcard"],
    ["https://*.co.uk", "open-wildcard"],
    ["https://*.com", "open-wildcard"],
    // It would cover the sandbox and its views.
    ["https://*.usercontent.example", "same-site"],
    ["https://*.proxy.usercontent.example", "same-site"],
  ])("%s is rejected as %s", (host, code) => {
    expect(codeOf(domain([host]))).toBe(code);
  });

  test("works on localhost, where it must not cover the sandbox", () => {
    expect(codeOf(local(["http://*.app.localhost:5173"]))).toBe("accepted");
    expect(
      createOrigins(local(["http://*.app.localhost:5173"])).allows("http://a.app.localhost:5173"),
    ).toBe(true);
    for (const host of ["http://*.localhost:5173", "http://*.localhost:5174"]) {
      expect(codeOf(local([host]))).toBe("open-wildcard");
      expect(codeOf({ ...local([]), openHosts: [host] } as OriginsConfig)).toBe("same-site");
    }
    expect(codeOf(local(["http://*.proxy.localhost:5173"]))).toBe("same-site");
  });

  test("isn't possible on a single origin", () => {
    expect(codeOf({ tier: "single-origin", hosts: [WILD], key: KEY })).toBe("mixed-tier");
  });

  test("keeps views from reaching any of its names", () => {
    const { ownDomains } = createOrigins(domain([WILD]));
    expect(ownDomains).toContain("preview.chat.example");
    for (const name of [
      "a.preview.chat.example",
      "preview.chat.example",
      "*.preview.chat.example",
    ]) {
      expect(
        parseSource(`https://${name}`, { ownDomains, internalDomains: ["example"] }),
      ).toMatchObject({
        code: "own-domain",
      });
    }
  });

  test("a view is registered for one page that it covers, and never for the wildcard", async () => {
    const { sandbox } = new Stage({ origins: domain([WILD]) });
    const view = { server: "s", resource: "ui://r", html: "" };
    const own = { ...view, host: "https://pr-7.preview.chat.example" };
    await expect(sandbox.register(own)).resolves.toBeDefined();
    for (const host of [WILD, "https://a.b.preview.chat.example", "https://evil.example"]) {
      await expect(sandbox.register({ ...view, host })).rejects.toMatchObject({
        code: "bad-origin",
      });
      await expect(sandbox.issueCredential(view, { host })).rejects.toMatchObject({
        code: "bad-origin",
      });
    }
  });

  const HOST = "https://pr-7.preview.chat.example";
  const entranceOf = (stage: Stage, referer: string): Promise<Response> =>
    stage.get(`${PROXY}/`, { ...FRAME, referer });

  test("is replaced by the page that opens the entrance", async () => {
    const stage = new Stage({ origins: domain(["https://chat.example", WILD]) });
    const own = await entranceOf(stage, `${HOST}/chats/1`);
    expect(directives(own).get("frame-ancestors")).toBe(`https://chat.example ${HOST}`);
    expect(settings(await own.text())).toMatchObject({
      host: HOST,
      hosts: ["https://chat.example", HOST],
    });
  });

  test.each([
    "https://evil.example/",
    "https://a.b.preview.chat.example/",
    "https://chat.example/",
    "nonsense",
  ])("isn't changed by a page at %s", async (referer) => {
    const stage = new Stage({ origins: domain(["https://chat.example", WILD]) });
    const page = await entranceOf(stage, referer);
    expect(directives(page).get("frame-ancestors")).toBe(`https://chat.example ${WILD}`);
    expect(settings(await page.text())).not.toHaveProperty("host");
  });

  test("is replaced in a relay page by what the entrance found, if that is a host", async () => {
    const stage = new Stage({ origins: domain([WILD]) });
    for (const [host, expected] of [
      [HOST, HOST],
      ["https://evil.example", WILD],
      ["https://a.b.preview.chat.example", WILD],
      [WILD, WILD],
      [7, WILD],
    ]) {
      const { path } = (await (await stage.enter({ host })).json()) as { path: string };
      const page = await stage.frame(`${PROXY}${path}`);
      expect(directives(page).get("frame-ancestors")).toBe(expected);
      const view = await stage.frame(String(settings(await page.text()).view));
      expect(directives(view).get("frame-ancestors")).toBe(`${PROXY} ${expected}`);
    }
  });

  test("a credential's host wins over the entrance's claim", async () => {
    const stage = new Stage({ origins: domain([WILD]), registration: "credential" });
    const identity = { server: "s", resource: "ui://r" };
    const credential = await stage.sandbox.issueCredential(identity, { host: HOST });
    const body = JSON.stringify({ html: "<p>", host: "https://other.preview.chat.example" });
    const headers = { "vitrine-credential": credential };
    const answer = await stage.postView(body, { ...ENTRANCE, ...headers });
    const { path } = (await answer.json()) as { path: string };
    const page = await stage.frame(`${PROXY}${path}`);
    expect(directives(page).get("frame-ancestors")).toBe(HOST);
  });
});

describe("openHosts, names that anyone can get", () => {
  const open = { openHosts: ["https://*.vercel.app"] };
  const HOST = "https://pr-7.vercel.app";

  test("need credentials: anonymous registration doesn't start", () => {
    expect(refusal(() => createSandbox({ origins: domain([], open) }))).toBe("accepted");
    const anonymous = { origins: domain([], open), registration: "anonymous" } as const;
    expect(refusal(() => createSandbox(anonymous))).toBe("open-registration");
    // The default of localhost.
    expect(refusal(() => createSandbox({ origins: { ...local([]), ...open } }))).toBe(
      "open-registration",
    );
  });

  test("hold wildcards only, and none that covers the sandbox", () => {
    expect(codeOf(domain([], { openHosts: [HOST] }))).toBe("bad-wildcard");
    expect(codeOf(domain([], { openHosts: ["tauri://localhost"] }))).toBe("bad-wildcard");
    expect(codeOf(domain([], { ...open, domain: "https://views.vercel.app" }))).toBe("same-site");
  });

  test("every view needs one host", async () => {
    const { sandbox } = new Stage({
      origins: domain(["https://chat.example"], open),
      registration: "credential",
    });
    const view = { server: "s", resource: "ui://r", html: "" };
    await expect(sandbox.register(view)).rejects.toMatchObject({ code: "host-needed" });
    await expect(sandbox.issueCredential(view)).rejects.toMatchObject({ code: "host-needed" });
    await expect(sandbox.register({ ...view, host: HOST })).resolves.toBeDefined();
    const evil = { ...view, host: "https://vercel.app" };
    await expect(sandbox.register(evil)).rejects.toMatchObject({ code: "bad-origin" });
  });

  test("a view that only `authorize` admits has no host, and is rejected", async () => {
    const stage = new Stage({
      origins: domain([], open),
      registration: "credential",
      authorize: () => ({ identity: { server: "s", resource: "ui://r" } }),
    });
    expect((await stage.enter({ host: HOST })).status).toBe(403);
  });
});

describe("pages of apps and extensions", () => {
  const CHROME = `chrome-extension://${"abcdefghijklmnop".repeat(2)}`;
  const FIREFOX = "moz-extension://0a1b2c3d-0000-4aaa-8bbb-0123456789ab";
  const APPS = [
    "app://bundle",
    "app://-",
    "app://obsidian.md",
    "tauri://localhost",
    "capacitor://localhost",
    "ionic://localhost",
    "vscode-webview://1ab2c3d4e5f6",
    "vscode-file://vscode-app",
    CHROME,
    FIREFOX,
  ];

  test.each([
    ...APPS,
    "http://tauri.localhost",
    "https://tauri.localhost",
    "https://localhost",
    "http://localhost",
  ])("%s is a host, exactly", async (host) => {
    for (const origins of [domain([host]), local([host])]) {
      expect(codeOf(origins)).toBe("accepted");
      const { allows, hosts } = createOrigins(origins);
      expect(hosts).toEqual([host]);
      expect(allows(host)).toBe(true);
      for (const other of [
        `${host}/`,
        `${host}:1`,
        `${host}.evil`,
        `x${host}`,
        host.toUpperCase(),
        "null",
      ]) {
        expect([other, allows(other)]).toEqual([other, false]);
      }
    }
    const stage = new Stage({ origins: domain([host]) });
    const entrance = await stage.frame(`${PROXY}/`);
    expect(directives(entrance).get("frame-ancestors")).toBe(host);
  });

  test.each([
    "null",
    "file://",
    "file:///index.html",
    "data:text/html,x",
    "blob:https://chat.example",
    "about:blank",
    "javascript://chat.example",
    "htps://chat.example",
    "electron://app",
    "app://",
    "app:bundle",
    "app:///bundle",
    "app://./",
    "app://.",
    "app://bundle/",
    "app://bundle:80",
    "app://user@bundle",
    "app://Bundle",
    "app://bundle;",
    "app://bundle *",
    "app://a..b",
    "app://--",
    "APP://bundle",
    "tauri://",
    "tauri://localhost/index.html",
    "tauri://localhost; script-src *",
    "vscode-webview://",
    "vscode-webview://a b",
    "chrome-extension://abc",
    `${CHROME}a`,
    CHROME.replace("a", "z"),
    "moz-extension://0a1b2c3d",
    FIREFOX.toUpperCase(),
    "__proto__://localhost",
    "constructor://localhost",
  ])("%j isn't a host", (host) => {
    expect(codeOf(domain([host]))).toMatch(/^bad-(?:origin|wildcard)$/);
  });

  test("aren't names that views could reach, and don't hide names of other hosts", () => {
    const { ownDomains } = createOrigins(
      domain(["tauri://localhost", CHROME, "https://chat.example"]),
    );
    expect(ownDomains).toEqual(["chat.example", "usercontent.example"]);
  });

  test("can't serve views themselves", () => {
    expect(codeOf({ tier: "single-origin", hosts: ["app://bundle"], key: KEY })).toBe("mixed-tier");
  });
});
