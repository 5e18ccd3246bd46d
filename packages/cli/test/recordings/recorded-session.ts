// Records a session in which a user works with a view, and replays it with the app as it is then.

import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Frame, Page } from "playwright-core";
import { startDevServer } from "../../src/dev/dev-server.ts";
import type { DevEvent } from "../../src/dev/dev-session.ts";
import { openDevSession } from "../../src/dev/dev-session.ts";
import type { Verdict } from "../../src/dev/page-protocol.ts";
import { parseRecording, type Recording } from "../../src/dev/recording.ts";
import { checkReplay } from "../../src/dev/replay-check.ts";
import { replayTools } from "../../src/dev/replayed-server.ts";
import { readTarget } from "../../src/target/target.ts";
import { newestView, sharedBrowser, viewPage } from "../e2e/dev-project.ts";

const SERVER = fileURLToPath(new URL("orders.mjs", import.meta.url));

/** The view's program: everything that a user does in it calls a tool. */
const PROGRAM = `
let orders = [];
const call = async (name, args) => { const { structuredContent } = await app.callServerTool({ name, arguments: args }); show(structuredContent); };
const show = (data) => {
  orders = data.orders;
  $("orders").replaceChildren(...orders.map(({ id, part, sent }) => {
    const item = document.createElement("li");
    item.innerHTML = '<label><input type="checkbox"> <span></span></label> <button>Remove</button>';
    item.querySelector("span").textContent = part;
    const box = item.querySelector("input");
    box.checked = sent;
    box.onchange = () => call("set_sent", { id, sent: box.checked });
    item.querySelector("button").onclick = () => call("remove_order", { id });
    return item;
  }));
};
app.ontoolresult = ({ structuredContent }) => show(structuredContent);
let timer;
const find = () => call("find_orders", { text: $("search").value, sort: $("sort").value });
$("search").oninput = () => { clearTimeout(timer); timer = setTimeout(find, 150); };
$("sort").onchange = find;
$("new").onsubmit = (event) => { event.preventDefault(); call("add_order", { part: $("part").value }); $("part").value = ""; };
`;
const BODY = `<label>Search <input id="search" type="search"></label>
<label>Order <select id="sort"><option value="up">Up</option><option value="down">Down</option></select></label>
<ul id="orders"></ul>
<form id="new"><input id="part" aria-label="New part"><input type="password" aria-label="PIN"><button>Add</button></form>`;

/** A folder with an app that can be changed. */
export interface RecordedProject {
  readonly folder: string;
  /** Changes the view's program. */
  change(from: string, to: string): Promise<void>;
  /** Records a session with clicks, texts, a key and a selection. */
  record(): Promise<Recording>;
  /** Replays a recording with the app's own view. */
  replay(recording: Recording): Promise<{ code: number; verdict: Verdict; printed: string }>;
  remove(): Promise<void>;
}

/** Creates the app. */
export async function createRecordedProject(): Promise<RecordedProject> {
  const folder = await mkdtemp(join(tmpdir(), "vitrine-recordings-"));
  const view = join(folder, "view.html");
  await writeFile(view, await viewPage(PROGRAM, BODY));
  const target = readTarget([process.execPath, SERVER, view]);
  return {
    folder,
    change: async (from, to) => {
      const text = await readFile(view, "utf8");
      if (!text.includes(from)) throw new Error(`The view doesn't contain ${from}`);
      await writeFile(view, text.replace(from, to));
    },
    record: async () => {
      const file = join(folder, "session.json");
      const session = await openDevSession({
        start: (callbacks) => startDevServer(target, callbacks),
        port: 0,
        watch: [],
        record: file,
        onEvent: () => {},
      });
      const page = await openPage(session.url);
      try {
        await work(page);
        // The page sends its last messages in batches.
        await page.waitForTimeout(500);
      } finally {
        await page.close();
        await session.close();
      }
      return parseRecording(await readFile(file, "utf8"));
    },
    replay: async (recording) => {
      let verdict: Verdict | undefined;
      const printed: string[] = [];
      const terminal = { complain: (text: string) => printed.push(text) } as never;
      const code = await checkReplay(
        {
          start: async (callbacks) =>
            replayTools(await startDevServer(target, callbacks), recording, callbacks),
          port: 0,
          watch: [],
          replay: recording,
          onEvent: (event: DevEvent) => {
            if (event.kind === "replayed") verdict = event.verdict;
          },
        },
        terminal,
      );
      return { code, verdict: verdict as Verdict, printed: printed.join("\n") };
    },
    remove: () => rm(folder, { recursive: true, force: true }),
  };
}

async function openPage(url: string): Promise<Page> {
  const page = await (await sharedBrowser()).newPage({ viewport: { width: 1440, height: 900 } });
  page.setDefaultTimeout(20_000);
  // The host asks in a closed shadow root, which Playwright doesn't see into.
  await page.addInitScript(() => {
    if (window !== window.parent) return;
    const attach = Element.prototype.attachShadow;
    Element.prototype.attachShadow = function (init) {
      return attach.call(this, { ...init, mode: "open" });
    };
  });
  await page.goto(url);
  return page;
}

/** The user's work: trusted input, as from a mouse and a keyboard. */
async function work(page: Page): Promise<void> {
  await page.locator(".tools li button", { hasText: "show_orders" }).first().click();
  const isEmpty = (await page.frames().length) < 3;
  if (isEmpty) await page.getByRole("button", { name: /^Run/ }).click();
  const view = await newestView(page);
  await view.getByText("Crank").waitFor();
  await view.getByLabel("Axle").click();
  await allow(page);
  await checked(view, "Axle");
  await view.getByLabel("Search").pressSequentially("a", { delay: 20 });
  await view.getByText("Belt").waitFor({ state: "detached" });
  await view.getByLabel("Search").fill("");
  await view.getByText("Belt").waitFor();
  // As a keyboard does; Playwright's own selection sends events that aren't a user's.
  await view.getByLabel("Order").press("ArrowDown");
  await view.locator("li:first-child", { hasText: "Crank" }).waitFor();
  await view.getByLabel("PIN").pressSequentially("1234");
  await view.getByLabel("New part").pressSequentially("Drum", { delay: 20 });
  await view.getByLabel("New part").press("Enter");
  await allow(page);
  await view.getByText("Drum").waitFor();
  // One of several with the same name.
  await view.getByRole("button", { name: "Remove" }).nth(1).click();
  await view.getByText("Belt").waitFor({ state: "detached" });
}

async function checked(view: Frame, label: string): Promise<void> {
  await view.locator("li", { hasText: label }).locator("input:checked").waitFor();
}

async function allow(page: Page): Promise<void> {
  await page
    .getByRole("button", { name: /^Allow/ })
    .first()
    .click();
}
