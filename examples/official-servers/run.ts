// Shows all official example servers, as they are on npm, in Chromium: each View in the Sandbox, under
// our Host. Prints a table, keeps a picture of each, and fails when one does not hold what it should.
//
//   npm run examples:official                  all of them
//   npm run examples:official -- pdf threejs   these

import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import {
  type Asking,
  EXAMPLE_SERVERS,
  type ExampleServer,
  type Sight,
  startExampleServer,
} from "@vitrine/internal/example-servers";
import { type Browser, chromium, type Frame, type Page } from "playwright";
import { installServers } from "./install.ts";
import type { Story } from "./page.ts";
import { firstSeen, viewOf } from "./sights.ts";
import { serve } from "./stage.ts";

interface Row {
  server: string;
  stage: string;
  shown: string;
  asked: string;
  consents: number | string;
  ms: number | string;
  note: string;
  isGood: boolean;
}

type Input = Record<string, unknown>;

const PICTURES = fileURLToPath(new URL("pictures", import.meta.url));

const storyOf = (page: Page): Promise<Story> => page.evaluate(() => window.story);

/** Whether the View asks its server for what it should, by itself or at a click. */
async function asksServer(page: Page, view: Frame, asks: Asking): Promise<boolean> {
  const { method, tool = "", clicks = [] } = asks;
  // The first is the Host's own call, whose result the View shows.
  const before = clicks.length > 0 ? (await storyOf(page)).asked.length : 1;
  try {
    for (const click of clicks) {
      const target = view.locator(click).first();
      // Like a user: a canvas finds the object below the pointer before the press.
      await target.hover({ timeout: 5000 });
      await page.waitForTimeout(300);
      await target.click({ timeout: 5000 });
    }
  } catch {
    return false;
  }
  const wanted = `${method} ${tool}`.trim();
  for (const until = Date.now() + 5000; Date.now() < until; await page.waitForTimeout(50)) {
    if ((await storyOf(page)).asked.slice(before).includes(wanted)) return true;
  }
  return false;
}

async function show(example: ExampleServer, page: Page, url: string, input: Input): Promise<Row> {
  const { name, tool, shows, asks, internet } = example;
  const began = Date.now();
  const showing = { url, server: name, tool, input };
  const problem = page
    .evaluate((what) => window.show(what), showing)
    .then(
      () => "",
      (error) => String(error),
    );
  const view = await viewOf(page);
  const seen = view && (await firstSeen(view, internet ? [internet.without, shows] : [shows]));
  const ms = Date.now() - began;
  const hasAsked = !!asks && !!view && (await asksServer(page, view, asks));
  // Shown, or given up by the Host.
  const isOver = (): boolean => /shown|timeout/.test(JSON.stringify(window.story));
  await page.waitForFunction(isOver, null, { timeout: 30_000 }).catch(() => {});
  const story = await storyOf(page);
  return { server: name, ms, ...judge(example, { seen, hasAsked, story, problem: await problem }) };
}

interface Evidence {
  seen: Sight | undefined;
  hasAsked: boolean;
  story: Story;
  problem: string;
}

/** What the evidence comes to. */
function judge(example: ExampleServer, evidence: Evidence): Omit<Row, "server" | "ms"> {
  const { asks, internet } = example;
  const { seen, hasAsked, story, problem } = evidence;
  const { stage, consents, diagnostics } = story;
  const lacks = internet && seen === internet.without ? internet : undefined;
  // Of a server that needs the internet, the reason holds only without.
  const not = internet && !lacks ? undefined : asks?.not;
  const notes = [lacks && `needs the internet for ${lacks.for}`, not, problem, ...diagnostics];
  return {
    stage,
    shown: lacks ? (stage === "shown" ? "its own error" : "its text") : seen ? "yes" : "NO",
    asked: askedFor(asks, hasAsked, not),
    consents: consents.length,
    note: notes.filter(Boolean).join("; "),
    // Nor may it ask where it cannot: then the table of servers is out of date.
    isGood: !!seen && stage === (lacks?.stage ?? "shown") && hasAsked === (!!asks && !not),
  };
}

function askedFor(asks: Asking | undefined, hasAsked: boolean, not: string | undefined): string {
  if (!asks) return "nothing";
  const wanted = asks.tool ?? asks.method;
  return hasAsked ? wanted : not ? "cannot" : `${wanted}: NO`;
}

async function showAll(browser: Browser, address: string, names: string[]): Promise<Row[]> {
  const modules = await installServers();
  print({
    server: "server",
    stage: "stage",
    shown: "result shown",
    asked: "asked its server for",
    consents: "consents",
    ms: "ms",
    note: "",
  });
  const folder = await mkdtemp(join(tmpdir(), "official-servers-"));
  await mkdir(PICTURES, { recursive: true });
  const rows: Row[] = [];
  for (const example of EXAMPLE_SERVERS) {
    if (names.length && !names.includes(example.name)) continue;
    const server = await startExampleServer(example, { modules, folder });
    const page = await browser.newPage({ viewport: { width: 900, height: 700 } });
    await page.goto(address);
    await page.waitForFunction(() => "show" in window);
    const row = await show(example, page, server.url, server.input);
    // Charts and frames move to their places.
    await page.waitForTimeout(1000);
    await page.screenshot({ path: join(PICTURES, `${example.name}.png`) });
    await page.close();
    await server.close();
    print(row);
    rows.push(row);
  }
  await rm(folder, { recursive: true });
  return rows;
}

function print({ server, stage, shown, asked, consents, ms, note }: Omit<Row, "isGood">): void {
  const columns = [server, stage, shown, asked, `${consents}`, `${ms}`];
  const widths = [22, 12, 14, 24, 9, 6];
  console.log(columns.map((text, column) => text.padEnd(widths[column] ?? 0)).join(" "), note);
}

const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
  args: [
    "--no-sandbox",
    "--no-first-run",
    "--disable-background-networking",
    // Two of them draw with WebGL, on machines without a graphics card too.
    "--use-angle=swiftshader",
    "--enable-unsafe-swiftshader",
  ],
});
const served = await serve();
const rows = await showAll(browser, served.address, process.argv.slice(2));
await browser.close();
served.close();
const bad = rows.filter(({ isGood }) => !isGood);
console.log(
  `official servers: ${rows.length - bad.length} passed, ${bad.length} failed; ${PICTURES}`,
);
if (bad.length || !rows.length) process.exitCode = 1;
