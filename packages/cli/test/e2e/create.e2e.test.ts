// What `vitrine create` writes, run on the sources of this repository: built by its own Vite configuration,
// started by node as its scripts do, and shown by our Host in Chromium.

import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { type HostStage, openHostPage, openHostStage } from "@vitrine/internal/host-stage";
import type { Frame, Page } from "playwright";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { writeProject } from "../../src/create/project.ts";
import type { TemplateName } from "../../src/create/templates.ts";
import { connectServer, type ServerConnection } from "../../src/target/server-connection.ts";

vi.setConfig({ hookTimeout: 120_000, testTimeout: 90_000 });

declare global {
  interface Window {
    ask(method: string, params: object): Promise<never>;
    reloadView(): Promise<unknown>;
  }
}

const MODULES = fileURLToPath(new URL("../../../../node_modules", import.meta.url));
const ON_SOURCES = ["--conditions=@vitrine/source", "--experimental-strip-types", "--no-warnings"];
const BUILD = `
  import { build, defaultClientConditions } from "vite";
  const conditions = ["@vitrine/source", ...defaultClientConditions];
  await build({ logLevel: "error", resolve: { conditions } });
`;

/** A project that was created, built and started. */
interface Project extends AsyncDisposable {
  folder: string;
  server: ServerConnection;
}

let stage: HostStage;
beforeAll(async () => {
  stage = await openHostStage();
});
afterAll(() => stage?.close());

async function startProject(template: TemplateName): Promise<Project> {
  const folder = await mkdtemp(join(tmpdir(), `vitrine-${template}-`));
  await writeProject({ folder, name: "first-app", template, version: "0.1.0" });
  await symlink(MODULES, join(folder, "node_modules"));
  if (template !== "template-only") {
    const args = [...ON_SOURCES, "--input-type=module", "--eval", BUILD];
    const env = { ...process.env, NODE_ENV: "production" };
    await promisify(execFile)(process.execPath, args, { cwd: folder, env });
  }
  const args = [...ON_SOURCES, "server/main.ts"];
  const server = await connectServer({
    kind: "command",
    program: process.execPath,
    args,
    cwd: folder,
  });
  return {
    folder,
    server,
    [Symbol.asyncDispose]: async () => {
      await server.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** `npm test`, after a build, on the sources of this repository. */
async function runTests(folder: string): Promise<object> {
  const config = join(folder, "vitest.config.ts");
  const text = await readFile(config, "utf8");
  const conditions = '["@vitrine/source", "module", "node"]';
  const onSources = `resolve: { conditions: ${conditions} }, ssr: { resolve: { conditions: ${conditions} } }, test`;
  await writeFile(config, text.replace("test: {", `${onSources}: {`));
  const { NODE_ENV: _, VITEST: __, ...env } = process.env;
  const report = ["--reporter=json", "--outputFile=tests.json"];
  const args = [join(MODULES, "vitest/vitest.mjs"), "run", ...report];
  await promisify(execFile)(process.execPath, args, { cwd: folder, env });
  return JSON.parse(await readFile(join(folder, "tests.json"), "utf8"));
}

/** Opens the View of `show-tasks` in a page of our Host. */
async function show({
  server: { client },
}: Project): Promise<{ page: Page; complaints: string[] }> {
  const page = await openHostPage(stage);
  const complaints: string[] = [];
  page.on("console", (message) => {
    if (message.type() === "error") complaints.push(message.text());
  });
  await page.exposeFunction("ask", (method: string, params: { uri: string; name: string }) => {
    if (method === "tools/list") return client.listTools();
    return method === "resources/read" ? client.readResource(params) : client.callTool(params);
  });
  await page.evaluate(async (sandbox) => {
    const { createHost, callbacksUpstream } = window.vitrine;
    const host = createHost({ sandbox, consent: async () => true, context: { theme: "dark" } });
    host.onDiagnostic(({ level, code, detail }) => {
      if (level !== "info") console.error(code, detail ?? "");
    });
    const upstream = callbacksUpstream({
      server: "first-app",
      listTools: (params) => window.ask("tools/list", params ?? {}),
      readResource: (params) => window.ask("resources/read", params),
      callTool: (params) => window.ask("tools/call", params),
    });
    const { tools } = (await window.ask("tools/list", {})) as { tools: { name: string }[] };
    const tool = tools.find(({ name }) => name === "show-tasks") as never;
    const view = host.mount(document.body, { key: "message-1", upstream, tool });
    const result = await window.ask("tools/call", { name: "show-tasks", arguments: {} });
    view.update({ input: {}, result });
    window.reloadView = async () => void (await view.reload());
  }, stage.entrance);
  return { page, complaints };
}

/** The View's document, once it has such an element. */
async function untilShown(page: Page, selector: string): Promise<Frame> {
  return vi.waitFor(
    async () => {
      const frames = page.frames().filter((frame) => frame.url().includes("/v/"));
      for (const frame of frames) {
        const found = await frame
          .locator(selector)
          .count()
          .catch(() => 0);
        if (found > 0) return frame;
      }
      throw new Error(`no View shows ${selector}`);
    },
    { timeout: 30_000, interval: 100 },
  );
}

const listed = async (view: Frame): Promise<string[]> =>
  (await view.locator("li").allTextContents()).map((text) => text.trim());

const tasksOf = async ({ server }: Project): Promise<unknown> =>
  (await server.client.callTool({ name: "show-tasks", arguments: {} })).structuredContent;

describe.each(["vanilla", "react", "vue", "svelte"] as const)("a project with %s", (template) => {
  test("shows its tasks in the Host's theme, writes back, and keeps its state over a reload", async () => {
    await using project = await startProject(template);
    const { page, complaints } = await show(project);
    let view = await untilShown(page, "li");
    expect(await view.locator("li").count()).toBe(3);
    const background = await view.evaluate(() => getComputedStyle(document.body).backgroundColor);
    expect(background).toBe("rgb(26, 27, 30)");

    await view.getByLabel("Make it your own").click();
    await expect.poll(() => view.getByLabel("Make it your own").isChecked()).toBe(true);
    await view.getByLabel("New task").fill("Buy <milk>");
    await view.getByRole("button", { name: "Add" }).click();
    await untilShown(page, "li:nth-child(4)");
    const tasks = [
      { id: "1", title: "Open the view", done: true },
      { id: "2", title: "Change it, and watch it update", done: false },
      { id: "3", title: "Make it your own", done: true },
      { id: expect.any(String), title: "Buy <milk>", done: false },
    ];
    expect(await tasksOf(project)).toEqual({ tasks });

    await view.getByLabel("Open tasks only").check();
    await expect.poll(() => view.locator("li").count()).toBe(2);
    await page.evaluate(() => window.reloadView());
    view = await untilShown(page, "li");
    // What the Host repeats is the first result; what the server has now is shown, filtered as before.
    await expect
      .poll(() => listed(view), { timeout: 10_000 })
      .toEqual(["Change it, and watch it update", "Buy <milk>"]);
    expect(await view.getByLabel("Open tasks only").isChecked()).toBe(true);
    expect(complaints).toEqual([]);
    await page.close();

    const tests = await runTests(project.folder);
    expect(tests).toMatchObject({ success: true, numPassedTests: 6 });
  });

  test("tells a failed change in words and goes on", async () => {
    await using project = await startProject(template);
    const { page } = await show(project);
    const view = await untilShown(page, "li");
    // The server forgets everything, as after a restart, and then does not answer at all.
    await project.server.close();
    await view.getByLabel("Make it your own").click();
    await expect
      .poll(() => view.getByRole("alert").textContent(), { timeout: 10_000 })
      .not.toBe("");
    expect(await view.getByLabel("Make it your own").isChecked()).toBe(false);
    expect(await view.locator("li").count()).toBe(3);
    await page.close();
  });
});

test("a project of a template alone shows its board, and has the tool that the board moves cards by", async () => {
  await using project = await startProject("template-only");
  const { page, complaints } = await show(project);
  const view = await untilShown(page, "text=Make it your own");
  expect(await view.locator("body").textContent()).toMatch(/Open[\s\S]*Done/);
  const moved = await project.server.client.callTool({
    name: "move-task",
    arguments: { cardId: "3", fromColumn: "open", toColumn: "done" },
  });
  expect(moved.structuredContent).toEqual(await tasksOf(project));
  expect(complaints).toEqual([]);
  await page.close();
  const tests = await runTests(project.folder);
  expect(tests).toMatchObject({ success: true, numPassedTests: 6 });
});

test("a project answers over HTTP too, in a server of its own for each request", async () => {
  await using project = await startProject("template-only");
  const args = [...ON_SOURCES, "server/main.ts", "--http", "0"];
  const child = spawn(process.execPath, args, {
    cwd: project.folder,
    stdio: ["ignore", "pipe", "inherit"],
  });
  try {
    const [printed] = await once(child.stdout, "data");
    const url = new URL(String(printed).trim());
    const server = await connectServer({ kind: "url", url });
    const { tools } = await server.client.listTools();
    expect(tools.map(({ name }) => name)).toEqual(["show-tasks", "add-task", "move-task"]);
    await server.client.callTool({ name: "add-task", arguments: { title: "Over HTTP" } });
    const { structuredContent } = await server.client.callTool({ name: "show-tasks" });
    expect(JSON.stringify(structuredContent)).toContain("Over HTTP");
    await server.close();
    // From another site's page, by a name that leads here: refused.
    const foreign = { headers: { origin: "https://evil.example" }, method: "POST" };
    expect((await fetch(url, foreign)).status).toBe(403);
  } finally {
    child.kill();
  }
});
