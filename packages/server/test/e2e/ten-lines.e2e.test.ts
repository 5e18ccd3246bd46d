// The server of the README, started as its reader starts it, and its View on a screen.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { StreamableHTTPClientTransport as Http2 } from "@modelcontextprotocol/client";
import { StdioClientTransport as Stdio2 } from "@modelcontextprotocol/client/stdio";
import { StdioClientTransport as Stdio1 } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport as Http1 } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { type HostStage, openHostPage, openHostStage } from "@vitrine/internal/host-stage";
import type { Page } from "playwright";
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from "vitest";
import { client1, client2 } from "../wires.ts";
import type {} from "./pages/ten-lines.ts";

vi.setConfig({ hookTimeout: 60_000 });

const PROGRAM = new URL("./pages/ten-lines.ts", import.meta.url);
const example = (name: string): string =>
  fileURLToPath(new URL(`../../../../examples/ten-lines/${name}`, import.meta.url));
const FLAGS = ["--experimental-strip-types", "--no-warnings", "--conditions=@vitrine/source"];

let stage: HostStage;
beforeAll(async () => {
  stage = await openHostStage();
});
afterAll(() => stage.close());

/** Asks the server something, as a client of either SDK does. */
type Ask = (method: string, params: object) => Promise<unknown>;

interface AskingClient {
  listTools(params: object): Promise<unknown>;
  listResources(params: object): Promise<unknown>;
  readResource(params: object): Promise<unknown>;
  callTool(params: object): Promise<unknown>;
  close(): Promise<void>;
}

function asked(client: AskingClient): Ask {
  onTestFinished(() => client.close());
  return (method, params) => {
    if (method === "tools/list") return client.listTools(params);
    if (method === "resources/list") return client.listResources(params);
    if (method === "resources/read") return client.readResource(params);
    return client.callTool(params);
  };
}

const stdio = { command: process.execPath, args: [...FLAGS, example("server.mjs")] };

async function overHttp(): Promise<URL> {
  const child = spawn(process.execPath, [...FLAGS, example("http.mjs"), "0"], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  onTestFinished(() => {
    child.kill();
  });
  const [printed] = await once(child.stdout, "data");
  return new URL(String(printed).trim());
}

const WAYS: Record<string, () => Promise<Ask>> = {
  "client 2.4, stdio, 2026-07-28": async () => {
    const client = client2();
    await client.connect(new Stdio2(stdio));
    expect(client.getProtocolEra()).toBe("modern");
    return asked(client as unknown as AskingClient);
  },
  "client 1.32, stdio, 2025-11-25": async () => {
    const client = client1();
    await client.connect(new Stdio1(stdio));
    return asked(client as unknown as AskingClient);
  },
  "client 2.4, HTTP, 2026-07-28": async () => {
    const client = client2();
    await client.connect(new Http2(await overHttp()));
    expect(client.getProtocolEra()).toBe("modern");
    return asked(client as unknown as AskingClient);
  },
  "client 1.32, HTTP, 2025-11-25": async () => {
    const client = client1();
    await client.connect(new Http1(await overHttp()) as never);
    return asked(client as unknown as AskingClient);
  },
};

async function openPage(ask: Ask): Promise<Page> {
  const page = await openHostPage(stage, { program: PROGRAM });
  onTestFinished(() => page.close());
  await page.exposeFunction("ask", ask);
  return page;
}

/** The text that the View shows, once it shows the number of eyes. */
async function shownText(page: Page, eyes: number): Promise<string> {
  await expect
    .poll(() => page.frames().some((frame) => frame.url().includes("/v/")), { timeout: 15_000 })
    .toBe(true);
  const frame = page.frames().find((one) => one.url().includes("/v/"));
  // biome-ignore lint/performance/useDomNodeTextContent: only the visible text, without the script.
  const read = (): string => document.body.innerText;
  const seen = async (): Promise<string> => (await frame?.evaluate(read)) ?? "";
  await expect.poll(seen, { timeout: 10_000 }).toMatch(new RegExp(`\\b${eyes}\\b`));
  return seen();
}

describe.each(Object.keys(WAYS))("%s", (way) => {
  test("the View of the README's server is on screen in our host", async () => {
    const page = await openPage(await (WAYS[way] as () => Promise<Ask>)());
    const result = await page.evaluate((entrance) => window.shown.ours(entrance), stage.entrance);
    const { structuredContent } = result as { structuredContent: { eyes: number } };
    expect(await shownText(page, structuredContent.eyes)).toContain("Eyes");
    const stageOf = (): Promise<unknown> =>
      page.evaluate(() => window.shown.host?.views.get("message-1")?.stage);
    await expect.poll(stageOf, { timeout: 10_000 }).toBe("shown");
    expect(await page.evaluate(() => window.shown.problems)).toEqual([]);
  });
});

describe.each(["2.0.4", "1.7.5"] as const)("the official AppBridge %s as the host", (version) => {
  test("shows the View of the README's server", async () => {
    const page = await openPage(
      await (WAYS["client 2.4, HTTP, 2026-07-28"] as () => Promise<Ask>)(),
    );
    const result = await page.evaluate(
      ([entrance, version]) => window.shown.official(entrance, version),
      [stage.entrance, version] as const,
    );
    const { structuredContent } = result as { structuredContent: { eyes: number } };
    expect(await shownText(page, structuredContent.eyes)).toContain("Eyes");
  });
});

test("the README shows the server that is tested here, in ten lines and its imports", async () => {
  const source = await readFile(example("server.mjs"), "utf8");
  const readme = await readFile(new URL("../../README.md", import.meta.url), "utf8");
  expect(readme).toContain(`\`\`\`js\n${source}\`\`\``);
  const body = source.split("\n").filter((line) => line && !line.startsWith("import"));
  expect(body).toHaveLength(10);
});
