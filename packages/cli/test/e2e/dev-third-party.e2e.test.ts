import { existsSync, readdirSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, describe, expect, test, vi } from "vitest";
import { readGrants } from "../../src/dev/grants.ts";
import { closePages, type DevStage, openDevStage } from "./dev-project.ts";

vi.setConfig({ hookTimeout: 90_000, testTimeout: 120_000 });
afterAll(closePages);

const SOURCES = ["--experimental-strip-types", "--no-warnings", "--conditions=@vitrine/source"];
const path = (name: string): string => fileURLToPath(new URL(name, import.meta.url));
const caches = join(process.env.XDG_CACHE_HOME ?? join(homedir(), ".cache"), "vitrine");
const cached = (prefix: string): string | undefined =>
  existsSync(caches)
    ? readdirSync(caches)
        .filter((name) => name.startsWith(prefix) && existsSync(join(caches, name, "installed")))
        .map((name) => join(caches, name))[0]
    : undefined;

const run = ({ page }: DevStage): Promise<void> =>
  page.getByRole("button", { name: /^Run/ }).click();

test("a server of the ten-lines example shows its View", async () => {
  const stage = await openDevStage([
    "node",
    ...SOURCES,
    path("../../../../examples/ten-lines/server.mjs"),
  ]);
  await run(stage);
  await (await stage.view()).getByText("Eyes").waitFor();
  expect(await stage.page.locator(".era").textContent()).toContain("2026-07-28");
  await stage.close();
});

test("a server without UI gets Generate views, and they show what the tool gave", async () => {
  const stage = await openDevStage(["node", path("dev-fixtures/plain.mjs")]);
  const { page } = stage;
  await page.locator(".tools li button", { hasText: "people" }).first().click();
  await run(stage);
  const view = await stage.view();
  await view.getByText("Grace").first().waitFor();
  await page.getByLabel("Generate views").uncheck();
  await page.getByRole("heading", { name: "Text only" }).waitFor();
  await run(stage);
  await page.getByText("This tool has no view").waitFor();
  expect(await page.locator(".result pre").textContent()).toContain("Grace");
  await stage.close();
});

test("a tool's words that look like markup stay words", async () => {
  const stage = await openDevStage(["node", path("dev-fixtures/plain.mjs")]);
  const { page } = stage;
  await page.getByLabel("Generate views").uncheck();
  await page.locator(".tools li button", { hasText: "hostile" }).click();
  await run(stage);
  await expect
    .poll(() => page.locator(".result pre").textContent(), { timeout: 20_000 })
    .toContain("<script>");
  for (const name of ["Traffic", "Problems", "Model", "Logs"])
    await page.locator(".inspector").getByRole("tab", { name }).click();
  expect(await page.evaluate(() => document.body.dataset.ran)).toBeUndefined();
  expect(await page.locator("img").count()).toBe(0);
  await stage.close();
});

const LONG = { timeout: 20_000 };
const choose = async ({ page }: DevStage, name: string): Promise<void> => {
  await page.locator(".tools li button", { hasText: name }).click();
};
/** Of the View that replaces another, whose frame is about to go. */
const seen = (stage: DevStage): Promise<string> =>
  stage
    .view()
    .then((view) => view.locator("#out").textContent({ timeout: 2_000 }))
    .then((text) => text ?? "")
    .catch(() => "");
const problems = async ({ page }: DevStage): Promise<string> => {
  await page.getByRole("tab", { name: /^Problems/ }).click();
  return (await page.locator(".problems").textContent()) ?? "";
};

test("a View whose scripts are at an address that nobody answers at is blank with that reason", async () => {
  const stage = await openDevStage(["node", path("dev-fixtures/distant.mjs")]);
  const { page } = stage;
  await choose(stage, "distant");
  await run(stage);
  const words =
    /distant\.html needs https:\/\/cdn\.example\.com.* can't be reached from this machine/;
  await page.locator(".progress .why").getByText(words).waitFor({ timeout: 30_000 });
  const said = await problems(stage);
  expect(said).toMatch(/^Why nothing is visibleunreachableui:/);
  expect(said).toContain("Check that cdn.example.com answers here");
  // The next View that is shown has nothing of it.
  await choose(stage, "asks");
  await run(stage);
  await expect.poll(() => seen(stage), LONG).toContain("goes on without");
  expect(await page.locator(".progress .why").count()).toBe(0);
  await stage.close();
});

test("a library that asks whether it may run code is a note, and a View that cannot do without a problem", async () => {
  const stage = await openDevStage(["node", path("dev-fixtures/distant.mjs")]);
  const { page } = stage;
  await choose(stage, "asks");
  await run(stage);
  await (await stage.view()).getByText("goes on without").waitFor();
  await expect.poll(() => problems(stage), LONG).toContain("2 notes");
  expect(await problems(stage)).toContain("No problems found in this view.");
  await page.locator(".problems summary").click();
  await page.getByText("A library tested whether it may run text as code.").waitFor();

  await choose(stage, "needs");
  await run(stage);
  await expect.poll(() => seen(stage), LONG).toContain("EvalError");
  await expect.poll(() => problems(stage), LONG).toContain("Blocked by the policy: eval");
  await stage.close();
});

test("what an operator may grant is granted for a session", async () => {
  const stage = await openDevStage(["node", path("dev-fixtures/distant.mjs")], {
    policy: readGrants(["unsafe-eval"]),
  });
  await choose(stage, "needs");
  await run(stage);
  await (await stage.view()).getByText("ran: 42").waitFor();
  expect(await problems(stage)).toContain("No problems found in this view.");
  await stage.close();
});

// Both are installed by other runs (`npm run examples:official`, `npm run interop`), outside the tree.
const official = join(
  process.env.OFFICIAL_SERVERS ?? join(cached("official-servers-") ?? "absent", "node_modules"),
  "@modelcontextprotocol",
);
describe.skipIf(!existsSync(join(official, "server-budget-allocator")))(
  "official example servers",
  () => {
    test.each([
      ["budget-allocator", "Budget Allocator"],
      ["basic-react", "Get Server Time"],
    ])("%s is shown", async (name, seen) => {
      const program = join(official, `server-${name}/dist/index.js`);
      const stage = await openDevStage(["node", program, "--stdio"]);
      await run(stage);
      await (await stage.view()).getByText(seen).first().waitFor();
      expect(await stage.page.locator(".era").textContent()).toContain("2025-11-25");
      await stage.close();
    });
  },
);

// `npm run third-party` tests each of them completely, with the findings of `check`.
const python = (kit: string): string =>
  join(cached(`interop-python-${kit}-`) ?? "absent", "venv/bin/python");
test.skipIf(!existsSync(python("fastmcp")))(
  "a FastMCP app in Python is shown, and its parameters are a form",
  async () => {
    const stage = await openDevStage([python("fastmcp"), path("dev-fixtures/fastmcp_app.py")]);
    // Python takes its time to start, twice: the official client first asks a second process for its era.
    await stage.page.getByLabel("city").waitFor({ timeout: 60_000 });
    await stage.page.getByLabel("city").fill("Graz");
    await run(stage);
    await (await stage.view()).getByText("Graz: sunny").waitFor();
    await stage.close();
  },
);
