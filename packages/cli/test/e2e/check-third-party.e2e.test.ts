import { existsSync, globSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from "vitest";
import { checkFile, checkServer } from "../../src/check/check.ts";
import { keepPictures } from "../../src/check/render/picture.ts";
import { writeContactSheet } from "../../src/check/report/contact-sheet.ts";
import { page } from "../check/broken-apps/app.ts";
import { checkBrokenApp, firstLines } from "../check/seeded-faults.ts";
import { closePages, sharedBrowser } from "./dev-project.ts";

vi.setConfig({ hookTimeout: 60_000, testTimeout: 180_000 });

let browser: Browser;
beforeAll(async () => {
  browser = await sharedBrowser();
});
afterAll(closePages);

/** Where `examples/official-servers` has put them; it takes 300 MB and the network. */
function officialServers(): string | undefined {
  const caches = process.env.XDG_CACHE_HOME ?? join(homedir(), ".cache");
  const found = globSync(join(caches, "vitrine", "official-servers-*", "node_modules"));
  return [process.env.OFFICIAL_SERVERS, ...found].find((folder) => folder && existsSync(folder));
}

const modules = officialServers();
const programOf = (name: string): string =>
  join(modules ?? "", "@modelcontextprotocol", `server-${name}`, "dist", "index.js");

test.skipIf(!modules).for(["basic-vanillajs", "budget-allocator", "cohort-heatmap"])(
  "the official server %s is shown, and nothing of it is called an error",
  async (name, { expect }) => {
    const report = await checkServer(
      { kind: "command", program: process.execPath, args: [programOf(name), "--stdio"] },
      { browser, network: false, runs: ["normal", "narrow"] },
    );
    expect(report.views.map(({ isShown }) => isShown)).toEqual([true]);
    expect(report.findings.filter(({ severity }) => severity === "error")).toEqual([]);
  },
);

test("recommends auto views to a server without a view", async () => {
  const report = await checkBrokenApp({ name: "without-a-view" }, browser);
  expect(report.diagnosis.verdict).toBe("no-ui");
  expect(firstLines(report)).toMatch(
    /^No view: None of the server's \d+ tools names a view.*\n→ .*@vitrine\/server\/auto-views/,
  );
});

test("a page by itself is checked as a View, by its path", async () => {
  const folder = await mkdtemp(join(tmpdir(), "vitrine-check-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  const file = join(folder, "view.html");
  await writeFile(file, page());
  const sound = await checkFile(file, { browser, network: false, runs: ["normal"] });
  expect(firstLines(sound)).toMatch(/^Healthy: 1 tool with 1 view/);

  await writeFile(file, page({ script: "document.querySelector('#nothing').focus();" }));
  const broken = await checkFile(file, {
    browser,
    network: false,
    runs: ["normal"],
    patience: 2_500,
  });
  expect(firstLines(broken)).toMatch(
    /Blank: A script of .*view\.html fails: TypeError.*\n→ .*\n {2}script-error · tool view · .*view\.html:14:\d+ · seen in Chromium/,
  );
});

test("a contact sheet shows a picture of each state, without scripts", async () => {
  const folder = await mkdtemp(join(tmpdir(), "vitrine-check-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  const file = join(folder, "view.html");
  await writeFile(file, page());
  const pictures = keepPictures();
  const report = await checkFile(file, {
    browser,
    network: false,
    runs: ["normal", "dark", "late"],
    onPicture: (picture) => pictures.add(picture),
  });
  const target = "<script>document.title = 'hostile'</script>";
  const written = await writeContactSheet(join(folder, "out"), {
    report: { ...report, target },
    pictures: pictures.all(),
  });
  const sheet = await browser.newPage();
  onTestFinished(() => sheet.close());
  const complaints: string[] = [];
  sheet.on("console", (message) => complaints.push(message.text()));
  await sheet.goto(pathToFileURL(written).href);
  expect(await sheet.getByRole("figure").allTextContents()).toEqual([
    expect.stringContaining("The normal run 800 px"),
    expect.stringContaining("Waiting 800 px"),
    expect.stringContaining("Dark 800 px"),
    expect.stringContaining("A late result 800 px"),
  ]);
  const widths = await sheet.locator("img").evaluateAll(async (images) => {
    await Promise.all(images.map((image) => (image as HTMLImageElement).decode()));
    return images.map((image) => (image as HTMLImageElement).naturalWidth > 100);
  });
  expect(widths).toEqual([true, true, true, true]);
  expect(await sheet.getByRole("heading", { level: 1 }).textContent()).toBe(target);
  expect(await sheet.title()).toContain("states of views");
  expect(complaints).toEqual([]);
});
