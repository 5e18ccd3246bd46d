// Views of two servers with the same tool and the same ui:// address, in one browser, through /mcp.

import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { openHostPage, openHostStage } from "@vitrine/internal/host-stage";
import type { Frame } from "playwright";
import { expect, test } from "vitest";
import { createStdioUpstream } from "../../src/upstreams/index.ts";
import { openStage, TOKEN } from "../stage.ts";
import { boardView } from "./board-view.ts";
import type {} from "./pages/chain.ts";

const BOARD = fileURLToPath(new URL("./servers/board.ts", import.meta.url));

test("views of the combined endpoint reach their own server, by the server's own names", async () => {
  const folder = await mkdtemp(join(tmpdir(), "vitrine-combined-"));
  await writeFile(join(folder, "view.html"), await boardView());
  const board = (id: string) => {
    const flags = ["--experimental-strip-types", "--no-warnings"];
    const argv: [string, ...string[]] = [process.execPath, ...flags, BOARD, id];
    return { upstream: createStdioUpstream({ id, argv: [...argv, join(folder, "view.html")] }) };
  };
  await using disposal = new AsyncDisposableStack();
  disposal.defer(() => rm(folder, { recursive: true, force: true }));
  const stage = await openHostStage({ registration: "credential" });
  disposal.defer(() => stage.close());
  const gateway = disposal.use(
    await openStage({
      origins: [stage.hostOrigin],
      sandbox: { entrance: stage.entrance, issue: stage.sandbox.issueCredential },
      servers: { kitchen: board("kitchen"), garden: board("garden") },
    }),
  );
  stage.connects.push(gateway.url, gateway.url.replace("http", "ws"));
  const page = await openHostPage(stage, {
    program: new URL("./pages/chain.ts", import.meta.url),
  });
  disposal.defer(() => page.close());
  await page.evaluate((options) => window.chain.open(options), {
    ...{ entrance: stage.entrance, gateway: gateway.url, token: TOKEN },
  });
  const views: Frame[] = [];
  for (const id of ["kitchen", "garden"]) {
    const uris = await page.evaluate((showing) => window.chain.showCombined(showing), {
      key: id,
      name: `${id}__show`,
    });
    expect(uris).toEqual(["ui://garden/board/view.html", "ui://kitchen/board/view.html"]);
    await page.waitForFunction((key) => window.chain.host.views.get(key)?.stage === "shown", id, {
      timeout: 20_000,
    });
    const view = page
      .frames()
      .find((frame) => frame.url().includes("/v/") && !views.includes(frame)) as Frame;
    views.push(view);
    await view.waitForFunction(() => document.body.dataset.result);
    // The result of the model's call, and a call of the view.
    expect(await view.evaluate(() => document.body.dataset.result)).toBe(`${id} is shown`);
    const added = await view.evaluate(() =>
      window.app.callServerTool({ name: "add", arguments: { note: "milk" } }),
    );
    expect(added.structuredContent).toMatchObject({ board: id, notes: ["milk"] });
    const tool = await view.evaluate(() => window.app.getHostContext()?.toolInfo?.tool);
    expect(tool).toMatchObject({
      name: "show",
      _meta: { ui: { resourceUri: "ui://board/view.html" } },
    });
    // An address that the host got from the combined endpoint.
    const read = await view.evaluate(
      (uri) => window.app.request({ method: "resources/read", params: { uri } }),
      `vitrine://${id}/board://notes`,
    );
    expect(JSON.stringify(read)).toContain("milk");
  }
  expect(await page.evaluate(() => window.chain.asked)).toEqual(["add", "add"]);
});
