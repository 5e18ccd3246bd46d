import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import axe from "axe-core";
import { build } from "esbuild";
import type { Browser, Frame, Page } from "playwright-core";
import { launchChromium } from "../../src/browser/chromium.ts";
import { startDevServer } from "../../src/dev/dev-server.ts";
import {
  type DevEvent,
  type DevSession,
  type DevSessionOptions,
  openDevSession,
} from "../../src/dev/dev-session.ts";
import { readTarget } from "../../src/target/target.ts";

const WORKSHOP = fileURLToPath(new URL("dev-fixtures/workshop.mjs", import.meta.url));

let bundle: Promise<string> | undefined;

/** The page of a view that uses the Vitrine SDK; its script can use `app`. */
export async function viewPage(script: string, body = ""): Promise<string> {
  bundle ??= build({
    stdin: { contents: 'export { App } from "@vitrine/view";', resolveDir: import.meta.dirname },
    bundle: true,
    minify: true,
    write: false,
    format: "iife",
    globalName: "sdk",
    conditions: ["@vitrine/source", "module", "browser"],
    define: { "process.env.NODE_ENV": '"production"' },
  }).then(({ outputFiles: [file] }) => file?.text.replaceAll("</script", "<\\/script") ?? "");
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>View</title><style>
body { margin: 12px; font: 14px system-ui; color: CanvasText; color-scheme: light dark; }
</style></head><body>${body}<script>${await bundle}</script><script type="module">
const app = new sdk.App({ name: "Workshop", version: "1.0.0" }, {});
const $ = (id) => document.getElementById(id);
${script}
await app.connect();
</script></body></html>`;
}

/** A board that counts clicks and keeps the count. */
export function boardPage(heading = "Board"): Promise<string> {
  return viewPage(
    `app.ontoolinput = ({ arguments: { title } }) => { $("title").textContent = title; };
app.ontoolresult = ({ content }) => { $("result").textContent = content[0]?.text ?? "nothing"; };
app.ontoolcancelled = ({ reason }) => { $("result").textContent = "cancelled: " + reason; };
app.onhostcontextchanged = () => tell();
const tell = () => { const { theme, locale } = app.getHostContext() ?? {}; $("context").textContent = theme + " " + locale; };
const draw = () => { $("count").textContent = String(app.state.get() ?? 0); };
$("more").onclick = () => { app.state.set((app.state.get() ?? 0) + 1); draw(); };
queueMicrotask(async () => { while (!app.getHostContext()) await new Promise((go) => setTimeout(go, 5)); draw(); tell(); });`,
    `<h1>${heading}</h1><p id="title"></p><p id="result"></p><p id="context"></p><button id="more">More</button> <b id="count"></b>`,
  );
}

/** A folder with a server and its Views. */
export interface DevProject {
  readonly folder: string;
  write(name: string, text: string): Promise<void>;
  remove(): Promise<void>;
}

/** Makes one; its server is `server.mjs`. */
export async function makeProject(): Promise<DevProject> {
  const folder = await mkdtemp(join(tmpdir(), "vitrine-dev-"));
  const write = (name: string, text: string): Promise<void> => writeFile(join(folder, name), text);
  await write("board.html", await boardPage());
  await write(
    "broken.html",
    "<!doctype html><p>Here</p><script>throw new Error('first line')</script>",
  );
  await write(
    "blocked.html",
    await viewPage("fetch('https://api.example.com/x').catch(() => {});"),
  );
  await write(
    "talk.html",
    await viewPage(
      `app.ontoolinput = async () => {
  await app.updateModelContext({ content: [{ type: "text", text: "The user looks at Graz" }] });
  await app.sendLog({ level: "warning", data: "half full" });
};`,
      "<p>Talk</p>",
    ),
  );
  await writeServer(write, folder, "Hello");
  return { folder, write, remove: () => rm(folder, { recursive: true, force: true }) };
}

/** The program of the server, with another greeting. */
export async function writeServer(
  write: DevProject["write"],
  folder: string,
  greeting: string,
): Promise<void> {
  await write(
    "server.mjs",
    `globalThis.workshopGreeting = ${JSON.stringify(greeting)};
process.argv[2] = ${JSON.stringify(folder)};
await import(${JSON.stringify(pathToFileURL(WORKSHOP).href)});
`,
  );
}

/** A dev session with a page in Chromium. */
export interface DevStage {
  readonly session: DevSession;
  readonly page: Page;
  readonly events: DevEvent[];
  /** The newest View's own frame, once it is there. */
  view(): Promise<Frame>;
  close(): Promise<void>;
}

let browser: Browser | undefined;

/** Opens the page of a server, given as on the command line. */
export async function openDevStage(
  words: readonly string[],
  options: Partial<DevSessionOptions> & { width?: number; theme?: "light" | "dark" } = {},
): Promise<DevStage> {
  const { width = 1440, theme = "light", ...rest } = options;
  const events: DevEvent[] = [];
  const session = await openDevSession({
    start: (callbacks) => startDevServer(readTarget(words), callbacks),
    port: 0,
    watch: [],
    onEvent: (event) => events.push(event),
    ...rest,
  });
  const page = await openDevPage(session.url, { width, theme });
  return {
    session,
    page,
    events,
    view: () => newestView(page),
    close: async () => {
      await page.close();
      await session.close();
    },
  };
}

/** Opens the page of a session, wherever it runs. */
export async function openDevPage(
  url: string,
  { width = 1440, theme = "light" }: { width?: number; theme?: "light" | "dark" } = {},
): Promise<Page> {
  const page = await (await sharedBrowser()).newPage({
    viewport: { width, height: 900 },
    colorScheme: theme,
  });
  page.setDefaultTimeout(20_000);
  await page.goto(url);
  return page;
}

/** The Chromium of this worker. It ends with the process, because a start takes seconds. */
export async function sharedBrowser(): Promise<Browser> {
  browser ??= await launchChromium();
  return browser;
}

/** Closes every page of a test file. */
export async function closePages(): Promise<void> {
  await Promise.all((browser?.contexts() ?? []).map((context) => context.close()));
}

/** The newest View's own frame, once it is there. */
export async function newestView(page: Page): Promise<Frame> {
  for (const until = Date.now() + 20_000; Date.now() < until; await page.waitForTimeout(20)) {
    const views = page.frames().filter((frame) => frame.parentFrame()?.parentFrame());
    const view = views.at(-1);
    if (view && !view.isDetached()) return view;
  }
  throw new Error("No View came into the page.");
}

/** What axe finds in the page; views are somebody else's pages. */
export async function violations(page: Page): Promise<string[]> {
  await page.evaluate(axe.source);
  return page.evaluate(async () => {
    const { violations } = await window.axe.run(document, { iframes: false });
    return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(" | ")}`);
  });
}

declare global {
  interface Window {
    axe: typeof axe;
  }
}
