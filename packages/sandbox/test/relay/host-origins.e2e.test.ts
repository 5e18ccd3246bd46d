import { createHash } from "node:crypto";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer, type RequestListener, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { CHROMIUM, CHROMIUM_SWITCHES } from "@vitrine/internal/chromium";
import { type BrowserContext, chromium } from "playwright";
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from "vitest";
import { createNodeListener } from "../../src/adapters/node.ts";
import { createSandbox, type Sandbox } from "../../src/handler.ts";
import { KEY } from "../sandbox-stage.ts";

// Hosts other than one web page: names that a wildcard covers, and the page of an extension, whose scheme
// isn't the web's. Apps on Electron and Tauri have such schemes too.

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

/** A plain Host, as a script of its own: extensions run no inline scripts. */
const PROGRAM = `
const entrance = decodeURIComponent(location.hash.slice(1));
const html = "<script>parent.postMessage({ jsonrpc: '2.0', method: 'ui/notifications/hello' }, '*')</scr" + "ipt>";
window.received = [];
const frame = document.createElement("iframe");
addEventListener("message", ({ source, origin, data }) => {
  if (source !== frame.contentWindow) return;
  received.push(origin + " " + data.method);
  if (data.method !== "ui/notifications/sandbox-proxy-ready") return;
  const message = { jsonrpc: "2.0", method: "ui/notifications/sandbox-resource-ready", params: { html } };
  frame.contentWindow.postMessage(message, new URL(entrance).origin);
});
frame.onload = () => { window.loads = (window.loads ?? 0) + 1; };
frame.src = entrance;
document.body.append(frame);
`;
const PAGE = `<!doctype html><title>Host</title><body><script src="page.js"></script>`;

let folder: string;
let extension: string;
let context: BrowserContext;
let web: Server;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "vitrine-extension-"));
  const manifest = { manifest_version: 3, name: "Host", version: "1.0" };
  await writeFile(join(folder, "manifest.json"), JSON.stringify(manifest));
  await writeFile(join(folder, "page.html"), PAGE);
  await writeFile(join(folder, "page.js"), PROGRAM);
  extension = `chrome-extension://${extensionId(folder)}`;
  web = await listen((request, response) => {
    const isScript = request.url === "/page.js";
    response.setHeader("content-type", isScript ? "text/javascript" : "text/html");
    response.end(isScript ? PROGRAM : PAGE);
  });
  context = await chromium.launchPersistentContext(await mkdtemp(join(folder, "profile-")), {
    executablePath: CHROMIUM,
    headless: true,
    ignoreDefaultArgs: ["--disable-extensions"],
    args: [
      ...CHROMIUM_SWITCHES,
      `--disable-extensions-except=${folder}`,
      `--load-extension=${folder}`,
    ],
  });
});
afterAll(async () => {
  await context.close();
  web.close();
  await rm(folder, { recursive: true, force: true, maxRetries: 10 });
});

/** Chromium derives the id of an unpacked extension from its folder. */
function extensionId(path: string): string {
  const digest = createHash("sha256").update(path).digest("hex").slice(0, 32);
  return [...digest].map((digit) => "abcdefghijklmnop"[Number.parseInt(digit, 16)]).join("");
}

async function listen(listener: RequestListener): Promise<Server> {
  const server = createServer(listener).listen(0, "127.0.0.1");
  await once(server, "listening");
  return server;
}

const portOf = (server: Server): number => (server.address() as AddressInfo).port;

/** Opens a Host's page with a Sandbox that has these hosts, and returns the messages that it gets. */
async function openHost(address: string, hosts: string[]) {
  const holder: { sandbox?: Sandbox } = {};
  const server = await listen((request, response) =>
    createNodeListener(holder.sandbox as Sandbox)(request, response),
  );
  const sandbox = createSandbox({
    origins: { tier: "localhost", port: portOf(server), hosts, key: KEY },
  });
  holder.sandbox = sandbox;
  const page = await context.newPage();
  onTestFinished(async () => {
    await page.close();
    server.closeAllConnections();
    server.close();
    sandbox.close();
  });
  const { proxy } = sandbox.origins;
  await page.goto(`${address}#${encodeURIComponent(`${proxy}/`)}`);
  return {
    proxy,
    received: (): Promise<string[]> => page.evaluate("received"),
    loads: (): Promise<number> => page.evaluate("window.loads ?? 0"),
    notice: async (): Promise<string> =>
      (await page.frames()[1]?.getByRole("alert").textContent({ timeout: 5000 })) ?? "",
  };
}

const shows = async ({ proxy, received }: Awaited<ReturnType<typeof openHost>>): Promise<void> => {
  const ready = `${proxy} ui/notifications/sandbox-proxy-ready`;
  const hello = `${proxy} ui/notifications/hello`;
  await vi.waitFor(async () => expect(await received()).toEqual([ready, hello]));
};

describe("a page of an extension", () => {
  test("shows a view if the sandbox names it", async () => {
    await shows(await openHost(`${extension}/page.html`, [extension]));
  });

  test("shows none if the sandbox names another extension", async () => {
    const other = extension.replace(/.$/, (last) => (last === "a" ? "b" : "a"));
    const host = await openHost(`${extension}/page.html`, [other]);
    await vi.waitFor(async () => expect(await host.loads()).toBeGreaterThan(0));
    expect(await host.received()).toEqual([]);
  });

  test("shows none if the sandbox names the web only", async () => {
    const host = await openHost(`${extension}/page.html`, ["http://app.localhost:1"]);
    await vi.waitFor(async () => expect(await host.loads()).toBeGreaterThan(0));
    expect(await host.received()).toEqual([]);
  });
});

describe("a wildcard", () => {
  const hosts = (): string[] => [`http://*.app.localhost:${portOf(web)}`];
  const at = (name: string): string => `http://${name}:${portOf(web)}/page.html`;

  test("shows views on a name with one label more", async () => {
    await shows(await openHost(at("pr-7.app.localhost"), hosts()));
    await shows(await openHost(at("xn--bcher-kva.app.localhost"), hosts()));
  });

  test("next to another host", async () => {
    const both = ["http://chat.localhost:1", ...hosts()];
    await shows(await openHost(at("pr-8.app.localhost"), both));
  });

  test("not with two labels, although the policy of browsers would match", async () => {
    const host = await openHost(at("a.b.app.localhost"), hosts());
    await vi.waitFor(async () =>
      expect(await host.notice()).toContain("can't determine which host"),
    );
    expect(await host.received()).toEqual([]);
  });

  test.each(["app.localhost", "evilapp.localhost", "a.app.evil.localhost"])(
    "not on %s",
    async (name) => {
      const host = await openHost(at(name), hosts());
      await vi.waitFor(async () => expect(await host.loads()).toBeGreaterThan(0));
      expect(await host.received()).toEqual([]);
    },
  );
});
