import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { parseServerList } from "../../src/chat/servers/server-list.ts";
import { type DevSessions, openDevSessions, startersOf } from "../../src/dev/dev-sessions.ts";
import { closePages, newestView, openDevPage, viewPage } from "./dev-project.ts";

vi.setConfig({ hookTimeout: 90_000, testTimeout: 60_000 });

const STUDIO = fileURLToPath(new URL("dev-fixtures/studio.mjs", import.meta.url));
const ASKING = fileURLToPath(new URL("../../../../internal/src/asking-stdio.ts", import.meta.url));

let folder: string;
let dev: DevSessions;
let page: Page;
const failures: string[] = [];
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "vitrine-servers-"));
  const html = await viewPage(
    `globalThis.call = (name) => app.callServerTool({ name, arguments: {} }).then(() => "called", ({ message }) => message);`,
    "<p>Picture</p>",
  );
  await writeFile(join(folder, "picture.html"), html);
  const list = parseServerList(
    JSON.stringify({
      mcpServers: {
        studio: { command: "node", args: [STUDIO, folder] },
        asking: { command: "node", args: [ASKING] },
        broken: { command: "no-such-program" },
      },
    }),
    { folder, env: process.env },
  );
  dev = await openDevSessions(startersOf(list), {
    port: 0,
    anyPort: true,
    watch: [],
    folder,
    onEvent: () => {},
    onFailure: (name, reason) => failures.push(`${name}: ${reason}`),
  });
  page = await openDevPage(dev.first.url);
});
afterAll(async () => {
  await dev?.close();
  await closePages();
  await rm(folder, { recursive: true, force: true });
});

describe("several servers", () => {
  test("have a page each, and a menu that leads to the others", async () => {
    const picker = page.getByRole("combobox", { name: "Server", exact: true });
    expect(await picker.locator("option").allTextContents()).toEqual([
      "studio",
      "asking",
      expect.stringMatching(/^broken: The program "no-such-program" doesn't exist/),
    ]);
    expect(failures).toEqual([expect.stringMatching(/^broken: /)]);
    expect(await picker.locator("option").last().isDisabled()).toBe(true);
    const { origin } = new URL(page.url());
    await picker.selectOption("asking");
    await page.locator(".tools li button", { hasText: "ask" }).waitFor();
    expect(new URL(page.url()).origin).not.toBe(origin);
    expect(await page.locator(".tools li button").count()).toBe(1);
    await picker.selectOption("studio");
    await page.locator(".tools li button", { hasText: "picture" }).waitFor();
  });

  test("keep their tools from the views of the others", async () => {
    await page.locator(".tools li button", { hasText: "picture" }).click();
    await page.locator("form.input").getByRole("button", { name: /^Run/ }).click();
    const view = await newestView(page);
    await view.getByText("Picture").waitFor();
    await expect.poll(() => view.evaluate('call("picture")')).toBe("called");
    expect(await view.evaluate('call("ask")')).not.toBe("called");
  });
});
