// Templates on screen: the page of a template, served by a real MCP server, in our Host in Chromium.
//
//   const stage = await openTemplateStage();          // beforeAll
//   const shown = await stage.show(dataTable({ title: "Orders" }), {
//     result: { structuredContent: { rows } },        // or partialInput, input, cancelled: "reason"
//     theme: "dark",
//     tools: (server) => server.registerTool("save", …),   // what the View writes back to
//   });
//   await shown.frame.getByRole("button", { name: "Next page" }).click();
//   expect(await shown.violations()).toEqual([]);     // axe-core in the View's document
//   await shown.shoot("data-table-dark");             // a picture, if VITRINE_SHOTS names a folder
//   await stage.close();                              // afterAll; each `show` closes the one before

import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { join } from "node:path";
import { Client, InMemoryTransport } from "@modelcontextprotocol/client";
import { McpServer, type ToolAnnotations } from "@modelcontextprotocol/server";
import { type HostStage, openHostPage, openHostStage } from "@vitrine/internal/host-stage";
import type { CallToolResult } from "@vitrine/protocol/apps";
import type { Frame, Page } from "playwright";
import type { ViewSource } from "../../src/view-source.ts";
import type {} from "./pages/stage-page.ts";

const PROGRAM = new URL("./pages/stage-page.ts", import.meta.url);
const URI = "ui://test/view";
const MIME = "text/html;profile=mcp-app";
const require = createRequire(import.meta.url);

/** The view on screen and its data. */
export interface Scene {
  theme?: "light" | "dark";
  /** Send the theme's name and none of its variables. */
  bare?: boolean;
  /** Width of the Host's page; 900 by default. */
  width?: number;
  /** More of the host context: locale, timeZone, … */
  context?: object;
  partialInput?: Record<string, unknown>;
  input?: Record<string, unknown>;
  result?: Partial<CallToolResult>;
  cancelled?: string;
  /** The tool that shows the View: what it declares, and its answer when the View calls it. */
  tool?: { annotations?: ToolAnnotations; answer?: CallToolResult };
  /** Tools of the real server behind the View. */
  tools?(server: McpServer): void;
}

/** What axe found. */
export interface Violation {
  id: string;
  help: string;
  nodes: string[];
}

/** A View on screen. */
export interface Shown {
  page: Page;
  /** The View's own document. */
  frame: Frame;
  /** Calls that reached the real server, in their order. */
  calls: { name: string; arguments: unknown }[];
  /** What the View's document threw, or a policy refused. */
  errors: string[];
  /** Tells the View more of its tool call. */
  tell(data: Pick<Scene, "partialInput" | "input" | "result" | "cancelled">): Promise<void>;
  setContext(context: object): Promise<void>;
  /** As when somebody changes the theme of the Host. */
  setTheme(theme: "light" | "dark"): Promise<void>;
  violations(): Promise<Violation[]>;
  /** Text of the View, as a person sees it. */
  text(): Promise<string>;
  /** Saves a picture of each width, if `VITRINE_SHOTS` names a folder for them. */
  shoot(name: string, widths?: readonly number[]): Promise<void>;
}

export interface TemplateStage {
  show(view: ViewSource, scene?: Scene): Promise<Shown>;
  close(): Promise<void>;
}

/** Starts Sandbox, Host and Chromium; once in a file of tests. */
export async function openTemplateStage(): Promise<TemplateStage> {
  const stage: HostStage = await openHostStage();
  const axe = await readFile(require.resolve("axe-core/axe.min.js"), "utf8");
  let current: { page: Page; close(): Promise<void> } | undefined;
  const clear = async (): Promise<void> => {
    await current?.page.close();
    await current?.close();
    current = undefined;
  };
  return {
    show: async (view, scene = {}) => {
      await clear();
      const { theme = "light", width = 900, context = {}, bare } = scene;
      const served = await serve(view, scene);
      const page = await openHostPage(stage, {
        program: PROGRAM,
        viewport: { width, height: 700 },
      });
      current = { page, close: served.close };
      const errors: string[] = [];
      page.on("pageerror", (error) => errors.push(error.message));
      page.on("console", (message) => {
        if (message.type() === "error") errors.push(message.text());
      });
      await page.exposeFunction("askServer", (method: string, params: object, call: number) =>
        served.ask(method, params, (progress) =>
          page.evaluate(([call, progress]) => window.onServerProgress[call]?.(progress), [
            call,
            progress as never,
          ] as const),
        ),
      );
      const { locale = "en-GB", timeZone = "UTC" } = context as Record<string, string>;
      const tool = { ...served.tool };
      const options = {
        theme,
        bare: bare === true,
        context: { locale, timeZone, ...context },
        tool,
      };
      await page.evaluate((options) => window.stage.open(options), options);
      await page.waitForFunction(() => window.stage.host.views.get("view")?.stage === "shown");
      const frame = page.frames().find((item) => item.url().includes("/v/"));
      if (!frame) throw new Error("The View has no frame.");
      const shown: Shown = {
        page,
        frame,
        calls: served.calls,
        errors,
        tell: async (data) => {
          const { result } = data;
          const whole = result && { content: [], ...result };
          await page.evaluate((data) => window.stage.tell(data as never), {
            ...data,
            ...(whole && { result: whole }),
          });
          await rest(frame);
        },
        setContext: async (context) => {
          await page.evaluate((context) => window.stage.setContext(context), context);
          await rest(frame);
        },
        setTheme: async (theme) => {
          await page.evaluate((theme) => window.stage.setTheme(theme), theme);
          await rest(frame);
        },
        violations: () => inspect(frame, axe),
        // biome-ignore lint/performance/useDomNodeTextContent: what is hidden does not count.
        text: () => frame.locator("body").innerText(),
        shoot: (name, widths = []) => shoot(page, name, widths),
      };
      const { partialInput, input, result, cancelled } = scene;
      await shown.tell({
        ...(partialInput && { partialInput }),
        ...(input && { input }),
        ...(result && { result }),
        ...(cancelled !== undefined && { cancelled }),
      });
      return shown;
    },
    close: async () => {
      await clear();
      await stage.close();
    },
  };
}

/** The template behind a real server, and a real client that asks it. */
async function serve(view: ViewSource, { tools, tool = {} }: Scene) {
  const server = new McpServer({ name: "test", version: "1.0.0" });
  const meta = { ui: { resourceUri: URI } };
  const { annotations = {}, answer = { content: [] } } = tool;
  const shows = { title: "Show it", _meta: meta, annotations };
  server.registerTool("show", shows, async () => answer as never);
  server.registerResource("view", URI, { mimeType: MIME }, async () => ({
    contents: [{ uri: URI, mimeType: MIME, text: view.html(), _meta: { ui: view.meta ?? {} } }],
  }));
  tools?.(server);
  const [near, far] = InMemoryTransport.createLinkedPair();
  const client = new Client({ name: "test-host", version: "1.0.0" });
  await Promise.all([server.connect(far as never), client.connect(near)]);
  const listed = await client.listTools();
  const calls: Shown["calls"] = [];
  const ask = async (
    method: string,
    params: object,
    onprogress: (progress: unknown) => unknown,
  ): Promise<unknown> => {
    if (method === "tools/list") return client.listTools(params as never);
    if (method === "resources/read") return client.readResource(params as never);
    const { name, arguments: given } = params as { name: string; arguments: unknown };
    calls.push({ name, arguments: given });
    return client.callTool(params as never, { onprogress });
  };
  const close = async (): Promise<void> => {
    await client.close();
    await server.close();
  };
  return { tool: listed.tools.find(({ name }) => name === "show") ?? {}, ask, calls, close };
}

/** Runs axe in the View's document, whose policy does not bind the driver. */
async function inspect(frame: Frame, axe: string): Promise<Violation[]> {
  await frame.evaluate(`if (!window.axe) { ${axe} } undefined`);
  await settle(frame);
  return frame.evaluate(async () => {
    const { axe } = window as never as { axe: { run(root: Document): Promise<AxeResult> } };
    const { violations } = await axe.run(document);
    return violations.map(({ id, help, nodes }) => ({
      id,
      help,
      nodes: nodes.map(({ html, failureSummary }) => `${html} — ${failureSummary}`),
    }));
  });
}

interface AxeResult {
  violations: { id: string; help: string; nodes: { html: string; failureSummary: string }[] }[];
}

/** Colours in the middle of a transition are nobody's choice. */
async function settle(frame: Frame): Promise<void> {
  await frame.evaluate(() =>
    Promise.all(
      document
        .getAnimations()
        .filter((item) => item.effect?.getTiming().iterations !== Number.POSITIVE_INFINITY)
        .map((item) => item.finished.catch(() => {})),
    ),
  );
}

/** Lets the View render the data it received. */
async function rest(frame: Frame): Promise<void> {
  await frame.evaluate(async () => {
    for (let turn = 0; turn < 3; turn++) await new Promise(requestAnimationFrame);
  });
}

/** The page's height, once it has stayed the same for a while. */
async function restingHeight(page: Page): Promise<number> {
  let height = -1;
  for (let same = 0, turn = 0; same < 3 && turn < 30; turn++) {
    await page.waitForTimeout(120);
    const now = await page.evaluate(() => document.body.scrollHeight);
    same = now === height ? same + 1 : 0;
    height = now;
  }
  return height;
}

async function shoot(page: Page, name: string, widths: readonly number[]): Promise<void> {
  const folder = process.env.VITRINE_SHOTS;
  if (!folder) return;
  const before = page.viewportSize() ?? { width: 900, height: 700 };
  for (const width of widths.length > 0 ? widths : [before.width]) {
    await page.setViewportSize({ width, height: before.height });
    // The frame grows a moment after its content, and what was never in sight is not painted.
    const height = await restingHeight(page);
    await page.setViewportSize({ width, height: Math.max(before.height, height) });
    await page.waitForTimeout(150);
    const path = join(folder, `${name}${widths.length > 0 ? `-${width}` : ""}.png`);
    await page.screenshot({ path, clip: { x: 0, y: 0, width, height } });
  }
  await page.setViewportSize(before);
}
