import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { Client } from "@modelcontextprotocol/client";
import { InMemoryTransport, McpServer } from "@modelcontextprotocol/server";
import { type HostStage, openHostPage, openHostStage } from "@vitrine/internal/host-stage";
import type { Frame, Page } from "playwright";
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from "vitest";
import { openViewFolder } from "../../src/discovery/index.ts";
import { buildViews } from "../../src/vite/index.ts";
import { type BuiltFolder, buildFolder, viteConfig, writeProject } from "../vite/view-build.ts";

vi.setConfig({ hookTimeout: 120_000, testTimeout: 60_000 });

declare global {
  interface Window {
    readDocument(uri: string): Promise<string>;
    tellChange(): void;
  }
}

let stage: HostStage;
let page: Page;
let built: BuiltFolder;
beforeAll(async () => {
  built = await buildFolder();
  stage = await openHostStage();
});
afterAll(async () => {
  await stage?.close();
  await built?.remove();
});
afterEach(() => page?.close());

/** Shows a View of the stage's Host; what it reads is asked of the test. */
async function show(read: (uri: string) => Promise<string>): Promise<string[]> {
  page = await openHostPage(stage);
  const complaints: string[] = [];
  page.on("console", (message) => {
    if (message.type() === "error") complaints.push(message.text());
  });
  await page.exposeFunction("readDocument", read);
  await page.evaluate((sandbox) => {
    const uri = "ui://weather/view";
    const { createHost, callbacksUpstream } = window.vitrine;
    const upstream = callbacksUpstream({
      server: "weather",
      listTools: async () => ({ tools: [] }),
      readResource: async ({ uri }) => {
        const text = await window.readDocument(uri);
        return { contents: [{ uri, mimeType: "text/html;profile=mcp-app", text }] };
      },
      onListChanged: (listener) => {
        const before = window.tellChange;
        window.tellChange = () => {
          before?.();
          listener("resources");
        };
        return () => {};
      },
    });
    // Authors change a View while it runs: its state is meant for the next version as well.
    const host = createHost({ sandbox, restoreAnyVersion: true });
    host.onDiagnostic(({ level, code, detail }) => {
      if (level !== "info") console.error(code, detail ?? "");
    });
    const inputSchema = { type: "object" as const };
    const tool = { name: "weather", inputSchema, _meta: { ui: { resourceUri: uri } } };
    const view = host.mount(document.body, { key: "1", upstream, tool });
    const structuredContent = { city: "Graz", degrees: 21 };
    view.update({
      input: {},
      result: { content: [{ type: "text", text: "" }], structuredContent },
    });
    // A host needs nothing else for hot reload: the Server notifies it of a change.
    upstream.onListChanged(() => void view.reload());
  }, stage.entrance);
  return complaints;
}

/** The View's document once it shows a text. */
async function untilShown(text: string, selector = "output"): Promise<Frame> {
  return vi.waitFor(
    async () => {
      const frames = page.frames().filter((frame) => frame.url().includes("/v/"));
      for (const frame of frames) {
        const shown = await frame.textContent(selector, { timeout: 500 }).catch(() => "");
        if (shown?.includes(text)) return frame;
      }
      throw new Error(`no View shows ${text}`);
    },
    { timeout: 20_000, interval: 50 },
  );
}

describe.each(["vanilla", "react", "vue", "svelte"])("a View built from %s", (name) => {
  test("runs under the locked policy of the Sandbox and shows its tool's result", async () => {
    const complaints = await show(() => built.html(name));
    const frame = await untilShown("Graz: 21 degrees </script><!-- </SCRIPT >");
    // What the style sheet spells out is text, too.
    const before = await frame.evaluate(() => {
      const element = document.querySelector("output:not(.weather *), .weather") as Element;
      return getComputedStyle(element, "::before").content;
    });
    expect(before).toContain("</style><b>");
    expect(await frame.locator("b").count()).toBe(0);
    expect(complaints).toEqual([]);
  });
});

test("a change of the source reloads the running View, which keeps its state", async () => {
  const program = (word: string): string => `
    import { App } from "@vitrine/view";
    const app = new App({ name: "weather", version: "1.0.0" });
    const output = document.body.appendChild(document.createElement("output"));
    const show = () => { output.textContent = "${word} " + (app.state.get()?.clicks ?? 0); };
    app.ontoolresult = show;
    output.onclick = () => { app.state.set({ clicks: (app.state.get()?.clicks ?? 0) + 1 }); show(); };
    await app.connect();
    show();
  `;
  await using project = await writeProject({ "views/weather/main.js": program("first") });
  const watching = await buildViews(
    {},
    {
      ...viteConfig(join(project.root, "dist"), project.root),
      build: { outDir: join(project.root, "dist"), watch: {} },
    },
  );
  const file = join(project.root, "dist/ui/weather/index.html");
  await vi.waitFor(() => readFile(file), { timeout: 20_000 });

  // A Server with the folder, and a client that is notified of its changes.
  const folder = openViewFolder(join(project.root, "dist"), { server: "weather", watch: true });
  const server = new McpServer({ name: "weather", version: "1.0.0" });
  folder.register(server);
  const client = new Client({ name: "host", version: "1.0.0" });
  client.setNotificationHandler("notifications/resources/list_changed", () =>
    page.evaluate(() => window.tellChange()),
  );
  const [ours, theirs] = InMemoryTransport.createLinkedPair();
  await Promise.all([server.connect(theirs), client.connect(ours)]);

  const complaints = await show(async () => {
    const { contents } = await client.readResource({ uri: "ui://weather/weather" });
    return (contents[0] as { text: string }).text;
  });
  const frame = await untilShown("first 0");
  await frame.click("output");
  await frame.click("output");
  await untilShown("first 2");

  await writeFile(join(project.root, "views/weather/main.js"), program("second"));
  await untilShown("second 2");
  expect(complaints).toEqual([]);

  await client.close();
  folder.close();
  await watching.close();
});
