// Takes the pictures in docs/pictures/host: every surface, card, dialog and skeleton in six looks, one sheet per
// state. Fails if a German picture has an English text of the host. Needs ImageMagick. `npm run pictures`.

import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type HostStage, openHostPage, openHostStage } from "@vitrine/internal/host-stage";
import type { Page } from "playwright";
import { english } from "../../src/messages/en.ts";
import { viewOf } from "../e2e/scene.ts";
import type { ChatOptions } from "./chat.ts";
import type { Language } from "./chat-texts.ts";

const PROGRAM = new URL("./chat.ts", import.meta.url);
const FOLDER = fileURLToPath(new URL("../../../../docs/pictures/host/", import.meta.url));
const WIDE = { width: 900, height: 640 };
const PHONE = { width: 360, height: 640 };

const VIEW = viewOf(
  `
addEventListener("message", ({ data }) => {
  if (data.id === "hello") {
    const { styles, theme } = data.result.hostContext;
    for (const [name, value] of Object.entries(styles?.variables ?? {})) document.documentElement.style.setProperty(name, value);
    document.documentElement.style.colorScheme = theme;
  }
  if (data.method !== "ui/notifications/tool-input") return;
  const { title, days, message, ask, dir } = data.params.arguments;
  document.documentElement.dir = dir;
  document.querySelector("h1").textContent = title;
  document.querySelector("ul").replaceChildren(...days.map((day) => Object.assign(document.createElement("li"), { textContent: day })));
  send({ method: "ui/notifications/size-changed", params: { height: 200 } });
  const content = [{ type: "text", text: message }];
  if (ask === "tool") send({ id: 1, method: "tools/call", params: { name: "reminder", arguments: { text: message, hour: 8 } } });
  // These two need a click of the user.
  if (ask === "message") onclick = () => send({ id: 2, method: "ui/message", params: { role: "user", content } });
  if (ask === "link") onclick = () => send({ id: 3, method: "ui/open-link", params: { url: "https://weather.example/oslo?days=4" } });
});
greet();`,
  "<h1></h1><ul></ul>",
  "body{margin:16px;font:14px/1.45 system-ui,sans-serif;background:var(--color-background-primary);color:var(--color-text-primary)}h1{font-size:16px;margin:0 0 8px}ul{margin:0;padding:0;list-style:none}li{padding:6px 0;border-top:1px solid var(--color-border-primary)}",
);

interface Look {
  name: string;
  language: Language;
  scheme: "light" | "dark";
  look: ChatOptions["look"];
}

const LOOKS: readonly Look[] = [
  { name: "light", language: "english", scheme: "light", look: "default" },
  { name: "dark", language: "english", scheme: "dark", look: "default" },
  { name: "german", language: "german", scheme: "light", look: "default" },
  { name: "arabic", language: "arabic", scheme: "light", look: "default" },
  { name: "arabic-dark", language: "arabic", scheme: "dark", look: "default" },
  { name: "custom", language: "english", scheme: "light", look: "custom" },
];

interface State {
  name: string;
  viewport?: typeof WIDE;
  options?: Partial<ChatOptions>;
  /** Brings the page into this state, after the view is shown or has failed. */
  steps?(page: Page): Promise<unknown>;
}

const isShown = (page: Page): Promise<unknown> =>
  page.waitForFunction(() => window.chat.stage() === "shown");
const isDrawn = (page: Page, selector: string): Promise<unknown> =>
  page.waitForFunction((selector) => window.chat.find(selector) !== undefined, selector);
const inMode = (mode: "fullscreen" | "pip") => async (page: Page) => {
  await isShown(page);
  await page.evaluate((mode) => window.chat.setMode(mode), mode);
};

/** Clicks on something that the host has drawn. */
async function press(page: Page, selector: string): Promise<void> {
  await isDrawn(page, selector);
  const box = await page.evaluate((selector) => {
    const found = window.chat.find(selector) as HTMLElement;
    const { x, y, width, height } = found.getBoundingClientRect();
    return { x: x + width / 2, y: y + height / 2 };
  }, selector);
  await page.mouse.click(box.x, box.y);
}

/** Allows the tool in this conversation, and lists what the user has allowed. */
async function listPermissions(page: Page): Promise<void> {
  await isDrawn(page, "button.allow");
  // The dialog takes no answer before the user could have read it.
  await page.waitForTimeout(1500);
  await press(page, "input[value=conversation]");
  await page.waitForTimeout(500);
  await press(page, "button.allow");
  await page.evaluate(() => window.chat.listPermissions());
  await isDrawn(page, "li");
}

/** Clicks in the view, which then asks. */
async function clickView(page: Page): Promise<void> {
  await isShown(page);
  await page.waitForFunction(() => !document.querySelector("[data-vitrine-shield]"));
  await press(page, "iframe");
  await isDrawn(page, "button.allow");
}

const STATES: readonly State[] = [
  { name: "inline", steps: isShown },
  { name: "loading", options: { fate: "slow" }, steps: (page) => isDrawn(page, ".skeleton") },
  { name: "failed", options: { fate: "fails" }, steps: (page) => isDrawn(page, "article button") },
  {
    name: "failed-for-developers",
    options: { fate: "fails", developer: true },
    steps: (page) => press(page, "article summary"),
  },
  { name: "floating", steps: inMode("pip") },
  { name: "full-screen", steps: inMode("fullscreen") },
  { name: "side-panel", options: { panel: true }, steps: inMode("fullscreen") },
  {
    name: "question-tool",
    options: { ask: "tool" },
    steps: (page) => isDrawn(page, "button.allow"),
  },
  {
    name: "question-message",
    options: { ask: "message" },
    steps: clickView,
  },
  {
    name: "question-link",
    options: { ask: "link" },
    steps: clickView,
  },
  { name: "permissions", options: { ask: "tool" }, steps: listPermissions },
  { name: "phone-inline", viewport: PHONE, steps: isShown },
  { name: "phone-floating", viewport: PHONE, steps: inMode("pip") },
  {
    name: "phone-question",
    viewport: PHONE,
    options: { ask: "tool" },
    steps: (page) => isDrawn(page, "button.allow"),
  },
];

/** Every English text of the host that has more than one word. */
function sentencesOf(value: unknown): string[] {
  if (typeof value === "string") return value.includes(" ") ? [value] : [];
  return typeof value === "object" && value !== null
    ? Object.values(value).flatMap(sentencesOf)
    : [];
}

async function takePicture(
  stage: HostStage,
  { viewport = WIDE, options, steps }: State,
  { language, scheme, look }: Look,
  file: string,
): Promise<string> {
  const page = await openHostPage(stage, { program: PROGRAM, viewport });
  try {
    await page.emulateMedia({ colorScheme: scheme });
    await page.waitForFunction(() => "chat" in window);
    const given = { language, look, entrance: stage.entrance, html: VIEW, ...options };
    await page.evaluate((given) => window.chat.open(given), given);
    await steps?.(page);
    await page.waitForTimeout(900);
    await page.screenshot({ path: file });
    return await page.evaluate(() => window.chat.text());
  } finally {
    await page.close();
  }
}

async function run(only: readonly string[]): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "pictures-"));
  mkdirSync(FOLDER, { recursive: true });
  const stage = await openHostStage();
  const found: string[] = [];
  const states = STATES.filter(({ name }) => only.length === 0 || only.includes(name));
  try {
    for (const state of states) {
      const files: string[] = [];
      for (const look of LOOKS) {
        const file = join(folder, `${state.name}-${look.name}.png`);
        const text = await takePicture(stage, state, look, file);
        files.push("-label", look.name, file);
        if (look.language !== "german" || state.options?.developer) continue;
        const leftOver = sentencesOf(english).filter((sentence) => text.includes(sentence));
        found.push(...leftOver.map((sentence) => `${state.name}: ${sentence}`));
      }
      const tile = state.viewport === PHONE ? "360x640" : "600x427";
      const sheet = join(FOLDER, `${state.name}.png`);
      const geometry = [
        "-tile",
        state.viewport === PHONE ? "6x" : "3x",
        "-geometry",
        `${tile}+6+6`,
      ];
      execFileSync("montage", [
        ...files,
        ...geometry,
        "-background",
        "#999",
        "+dither",
        "-colors",
        "256",
        `PNG8:${sheet}`,
      ]);
      console.log(state.name);
    }
  } finally {
    await stage.close();
    rmSync(folder, { recursive: true });
  }
  for (const line of found) console.log(`English in a German picture: ${line}`);
  console.log(
    `${states.length * LOOKS.length} pictures, ${found.length} English texts in German ones`,
  );
  if (found.length > 0) process.exitCode = 1;
}

await run(process.argv.slice(2));
