// Takes a picture of every template in every state, light and dark, wide and on a phone, and runs axe on
// each. Pictures and a contact sheet go to `.pictures/templates`, which git ignores.
// `npm run template-pictures [-- <template> …]`.

import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import type { ViewSource } from "../../src/view-source.ts";
import { openTemplateStage, type Scene, type TemplateStage } from "./template-stage.ts";
import { statesOf, TEMPLATES, VARIANTS } from "./template-states.ts";

const FOLDER = fileURLToPath(new URL("../../../../.pictures/templates/", import.meta.url));
const WIDTHS = [900, 360];
const THEMES = ["light", "dark"] as const;

interface Shot {
  template: string;
  state: string;
  view: ViewSource;
  scene: Scene;
}

/** All shots: six states of each template, its data from right to left, and other looks of it. */
const SHOTS: Shot[] = [
  ...Object.entries(TEMPLATES).flatMap(([template, pictured]) => {
    const shots = statesOf(pictured).map(([state, { told, view = pictured.view }]) => {
      return { template, state, view, scene: told };
    });
    const scene = { ...pictured.states.data.told, context: { locale: "ar" } };
    return [...shots, { template, state: "rtl", view: pictured.view, scene }];
  }),
  ...Object.entries(VARIANTS).map(([name, { view, result }]) => {
    return { template: "variants", state: name, view, scene: { result } };
  }),
];

interface Taken {
  template: string;
  name: string;
}

/** Takes the pictures of one view, and returns what axe found in them. */
async function take(stage: TemplateStage, shot: Shot, taken: Taken[]): Promise<string[]> {
  const { template, state, view, scene } = shot;
  const found: string[] = [];
  const shown = await stage.show(view, scene);
  for (const theme of THEMES) {
    await shown.setTheme(theme);
    for (const width of WIDTHS) {
      const name = `${template}-${state}-${theme}`;
      await shown.page.setViewportSize({ width, height: 700 });
      await shown.shoot(name, [width]);
      taken.push({ template, name: `${name}-${width}` });
      for (const { id, nodes } of await shown.violations()) {
        found.push(`${name}-${width}: ${id}: ${nodes[0]}`);
      }
    }
  }
  found.push(...shown.errors.map((error) => `${template}-${state}: ${error}`));
  return found;
}

/** One page with all pictures, and a picture of it for each template. */
async function writeSheet(stage: TemplateStage, taken: readonly Taken[]): Promise<void> {
  const names = [...new Set(taken.map(({ template }) => template))];
  const sections = names.map((template) => {
    const pictures = taken.filter((picture) => picture.template === template);
    const figures = pictures.map(
      ({ name }) =>
        `<figure class="w${name.split("-").at(-1)}"><img src="${name}.png" alt=""><figcaption>${name}</figcaption></figure>`,
    );
    return `<section id="${template}"><h2>${template}</h2>${figures.join("")}</section>`;
  });
  const style =
    "body{font:13px system-ui;background:#999;margin:8px;width:1900px}section{display:flex;flex-wrap:wrap;align-items:start;gap:8px;padding:8px}h2{width:100%;margin:0}figure{margin:0}.w900{width:660px}.w360{width:264px}img{width:100%;display:block}";
  const file = join(FOLDER, "index.html");
  writeFileSync(
    file,
    `<!doctype html><meta charset="utf-8"><title>Templates</title><style>${style}</style>${sections.join("")}`,
  );
  const { page } = await stage.show(Object.values(TEMPLATES)[0]?.view as ViewSource);
  const sheet = await page.context().newPage();
  await sheet.goto(pathToFileURL(file).href, { waitUntil: "load" });
  for (const name of names) {
    await sheet.locator(`#${name}`).screenshot({ path: join(FOLDER, `sheet-${name}.png`) });
  }
}

async function run(only: readonly string[]): Promise<void> {
  process.env.VITRINE_SHOTS = FOLDER;
  if (only.length === 0) rmSync(FOLDER, { recursive: true, force: true });
  mkdirSync(FOLDER, { recursive: true });
  const stage = await openTemplateStage();
  const taken: Taken[] = [];
  const found: string[] = [];
  const shots = SHOTS.filter(({ template }) => only.length === 0 || only.includes(template));
  try {
    for (const shot of shots) found.push(...(await take(stage, shot, taken)));
    await writeSheet(stage, taken);
  } finally {
    await stage.close();
  }
  for (const line of found) console.error(line);
  console.log(`Pictures and contact sheets: ${FOLDER}`);
  console.log(`axe ${found.length} in ${taken.length} pictures`);
  if (found.length > 0 || taken.length === 0) process.exitCode = 1;
}

await run(process.argv.slice(2));
