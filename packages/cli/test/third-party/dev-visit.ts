// A server in `vitrine dev`, used as a person does: choose the tool, fill in its form, run it, look.

import { join } from "node:path";
import type { Browser, Frame, Locator, Page } from "playwright-core";
import { firstSeen, viewOf } from "../../../../examples/official-servers/sights.ts";
import { startProgram } from "./program.ts";
import type { Provided, ThirdPartyServer } from "./servers.ts";

/** What became of it. */
export interface DevVisit {
  isStarted: boolean;
  /** Its result, its own words for what is missing, or the dev Host's words for that. */
  shown: "yes" | "its own words" | "the reason" | "NO";
  /** Milliseconds from the click on Run until it was seen. */
  ms: number;
  /** The problem, if any. */
  problem?: string;
}

/** Whether it has shown that the internet is missing. */
export function isOffline(visit: DevVisit | undefined): boolean {
  return visit?.shown === "its own words" || visit?.shown === "the reason";
}

// Twenty of them run on machines that do other things too.
const START = 180_000;
const PATIENCE = 60_000;

/** Shows a server's view in dev. Saves a screenshot if a folder is given. */
export async function visitInDev(
  server: ThirdPartyServer,
  provided: Provided,
  { browser, pictures }: { browser: Browser; pictures?: string | undefined },
): Promise<DevVisit> {
  const grants = (server.grants ?? []).flatMap((grant) => ["--grant", grant]);
  const program = startProgram([
    "dev",
    "--port",
    "0",
    "--no-watch",
    ...grants,
    "--",
    ...provided.words,
  ]);
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 } });
  try {
    const url = await program.until(/http:\/\/vitrine\.localhost\S+/, START);
    const page = await context.newPage();
    page.setDefaultTimeout(PATIENCE);
    await sayYes(page);
    await page.goto(url);
    const visit = await show(page, server, provided.input ?? server.input);
    if (pictures) await page.screenshot({ path: join(pictures, `${fileName(server)}.png`) });
    return visit;
  } catch (error) {
    const problem = (error as Error).message.split("\n")[0] ?? "";
    return { isStarted: /vitrine\.localhost/.test(program.said), shown: "NO", ms: 0, problem };
  } finally {
    await context.close();
    await program.stop();
  }
}

/** The host asks its user for consent as in production; this user always agrees. */
async function sayYes(page: Page): Promise<void> {
  // The dialog's root is closed, so that no script of the page can answer in the user's name.
  await page.addInitScript(() => {
    if (window !== window.parent) return;
    const attach = Element.prototype.attachShadow;
    Element.prototype.attachShadow = function (init) {
      return attach.call(this, { ...init, mode: "open" });
    };
  });
  const allow = page.locator(
    ":is(dialog, [data-vitrine-question]) .allow:not([aria-disabled=true])",
  );
  const always = page.locator("dialog").getByRole("checkbox");
  const answer = async (): Promise<void> => {
    while (!page.isClosed()) {
      // A View that asks each second would never let its user do anything else.
      await always.check({ timeout: 500 }).catch(() => {});
      await allow.click({ timeout: 500 }).catch(() => {});
    }
  };
  void answer();
}

async function show(
  page: Page,
  server: ThirdPartyServer,
  input: ThirdPartyServer["input"],
): Promise<DevVisit> {
  const choice = page.locator(".tools li button").getByText(server.tool, { exact: true });
  await choice.click();
  const form = page.getByRole("form", { name: `Input of ${server.tool}` });
  for (const [name, value] of Object.entries(input)) await fill(form, name, value);
  await form.getByRole("button", { name: "Run" }).click();
  const began = Date.now();
  const { shows, offline } = server;
  const progress = page.locator(".progress");
  // A View that comes late on a busy machine is shown all the same; one that cannot come is explained.
  const why = page.locator(".progress .why").getByText(offline?.words ?? /^$/);
  await progress
    .getByText(/^Shown/)
    .or(why)
    .first()
    .waitFor();
  const isHidden = /^Stopped/.test((await progress.textContent()) ?? "");
  const view = isHidden ? undefined : await viewOf(page);
  const seen = view && (await firstSeen(view, offline ? [offline.without, shows] : [shows]));
  const ms = Date.now() - began;
  if (seen) return { isStarted: true, ms, ...(await judge(page, seen === shows, view)) };
  if (isHidden && offline?.words)
    return { isStarted: true, ms, ...(await findReason(page, offline.words)) };
  const problem = `nothing of it is to be seen: ${await progress.textContent()}`;
  return { isStarted: true, shown: "NO", ms, problem };
}

/** Writes or chooses a value, in whatever its field is. */
async function fill(form: Locator, name: string, value: unknown): Promise<void> {
  // A field with a title also shows its name.
  const label = form.page().locator("label.name").getByText(name, { exact: true });
  const field = form.locator(".field").filter({ has: label });
  const select = field.locator("select");
  const isText = typeof value === "string";
  if ((await select.count()) > 0) await select.selectOption({ label: String(value) });
  else await field.locator("input, textarea").fill(isText ? value : JSON.stringify(value));
}

/** A view that is shown: the host must show it too, and not report a problem. */
async function judge(
  page: Page,
  isWhole: boolean,
  view: Frame,
): Promise<Pick<DevVisit, "shown" | "problem">> {
  const shown = isWhole ? "yes" : "its own words";
  if (!(await (await view.frameElement()).isVisible())) return { shown, problem: "it is hidden" };
  await page.getByRole("tab", { name: /^Problems/ }).click();
  const titles = await page.locator(".problems > article h2").allTextContents();
  const ours = titles.filter((title) => /policy|did not|not shown/.test(title));
  return ours.length > 0 ? { shown, problem: ours.join("; ") } : { shown };
}

/** A view that isn't shown: the host must give the reason in its place and in the list of problems. */
async function findReason(page: Page, words: RegExp): Promise<Pick<DevVisit, "shown" | "problem">> {
  try {
    await page.locator(".progress .why").getByText(words).waitFor();
    await page.getByRole("tab", { name: /^Problems/ }).click();
    await page.locator(".problems article").getByText(words).first().waitFor();
    return { shown: "the reason" };
  } catch {
    return { shown: "NO", problem: `blank, without the reason ${words.source}` };
  }
}

/** Of its picture. */
function fileName({ name }: ThirdPartyServer): string {
  return name.replaceAll(/[^\w.-]+/g, "-");
}
