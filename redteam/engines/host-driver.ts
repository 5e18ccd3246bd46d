import { basename } from "node:path";
import { fileURLToPath } from "node:url";
import type { ToolData } from "@vitrine/host";
import type { App } from "@vitrine/view";
import { build } from "esbuild";
import { sdkView } from "../../packages/host/test/e2e/sdk-view.ts";
import type { EnginePage } from "./engine.ts";
import type { EngineScene } from "./engine-scene.ts";
import type { Field } from "./field.ts";
import type {} from "./host-driver-page.ts";
import { type Box, User } from "./host-user.ts";
import { watch } from "./patience.ts";

const PROGRAM = fileURLToPath(new URL("./host-driver-page.ts", import.meta.url));
const PAGE = `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>Host</title><script type="module" src="/host-driver-page.js"></script><body></body></html>`;

const sites = new WeakMap<Field, Promise<string>>();

/** A page with the real Host, and its user. */
export class HostDriver {
  readonly page: EnginePage;
  readonly user: User;

  private constructor(page: EnginePage) {
    this.page = page;
    this.user = new User(page);
  }

  static async open(scene: EngineScene): Promise<HostDriver> {
    const { field } = scene;
    const site = sites.get(field) ?? serveSite(field);
    sites.set(field, site);
    const page = await scene.openPage(await site);
    const hostDriver = new HostDriver(page);
    await hostDriver.#awake();
    // A driver with a single window has the records of earlier scenarios in it.
    await page.evaluate(() => sessionStorage.clear(), null);
    return hostDriver;
  }

  async show(key: string, html: string, data: ToolData = {}, place = key): Promise<void> {
    const step = ({
      key,
      html,
      data,
      place,
    }: Record<"key" | "html" | "place", string> & { data: ToolData }) =>
      window.hostDriver?.show(key, html, data, place);
    await this.page.evaluate(step, { key, html, data, place });
  }

  async update(key: string, data: ToolData): Promise<void> {
    const step = ({ key, data }: { key: string; data: ToolData }) =>
      window.hostDriver?.host.views.get(key)?.update(data);
    await this.page.evaluate(step, { key, data });
  }

  /** How far a View came, each stage of it. */
  async stages(key: string, last = "shown"): Promise<string[]> {
    const read = () =>
      this.page.evaluate(
        (key) =>
          (window.hostDriver?.stages ?? [])
            .filter((line) => line.key === key)
            .map(({ stage }) => stage),
        key,
      );
    return watch(read, (stages) => stages.at(-1) === last, 25_000);
  }

  /** What a View said, once it is enough. */
  async said<Line>(
    key: string,
    enough: (lines: readonly Line[]) => boolean = () => true,
    patience?: number,
  ): Promise<Line[]> {
    const read = () =>
      this.page.evaluate(
        (key) =>
          (window.hostDriver?.said ?? [])
            .filter((line) => line.key === key)
            .map(({ data }) => data),
        key,
      ) as Promise<Line[]>;
    return watch(read, enough, patience);
  }

  calls(): Promise<{ name: string; arguments?: unknown }[]> {
    return this.page.evaluate(() => window.hostDriver?.calls ?? [], null);
  }

  /** What the Host has to tell its developer. */
  async diagnostics(): Promise<string[]> {
    return this.page.evaluate(
      () =>
        (window.hostDriver?.diagnostics ?? []).map(({ level, code, detail }) =>
          [level, code, detail ?? ""].join(" ").trim(),
        ),
      null,
    );
  }

  /** What went wrong, for scenarios in which nothing should. */
  async trouble(): Promise<string[]> {
    const lines = (await this.diagnostics()).filter((line) => !line.startsWith("info"));
    return lines.map((line) => `the Host reports: ${line}`);
  }

  /** Where something is that the Host draws; nothing when it is not to be seen. */
  box(selector: string, name?: string): Promise<Box | undefined> {
    const step = ({ selector, name }: { selector: string; name?: string | undefined }) => {
      const box = window.hostDriver?.find(selector, name)?.getBoundingClientRect();
      return box && { x: box.x, y: box.y, width: box.width, height: box.height };
    };
    return this.page.evaluate(step, { selector, name });
  }

  /** The same place as soon as nothing moves any more. */
  async settled(selector: string, name?: string): Promise<Box> {
    let before = "";
    const box = await watch(
      () => this.box(selector, name),
      (found) => {
        const isStill = found !== undefined && JSON.stringify(found) === before;
        before = JSON.stringify(found);
        return isStill;
      },
    );
    if (!box) throw new Error(`There is no ${name ?? selector} to be seen.`);
    return box;
  }

  async reload(): Promise<void> {
    await this.page.evaluate(() => {
      window.hostDriver = undefined;
      location.reload();
    }, null);
    await this.#awake();
  }

  async #awake(): Promise<void> {
    const read = () =>
      this.page.evaluate(() => window.hostDriver !== undefined, null).catch(() => false);
    if (!(await watch(read, Boolean, 20_000))) throw new Error("The Host's page does not start.");
  }
}

/** A View's document on our SDK; its program is sent as source text. */
export function viewOn(
  program: (app: App, say: (data: unknown) => void) => unknown,
  body = "",
): Promise<string> {
  const say = `(data) => app.sendLog({ level: "info", logger: "view", data })`;
  return sdkView(`await (${program.toString()})(app, ${say});`, { body });
}

/** Serves the page as a product does: no inline scripts, no markup made of strings. */
async function serveSite(field: Field): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [PROGRAM],
    bundle: true,
    // Modules loaded on demand stay separate, as in a product.
    splitting: true,
    write: false,
    outdir: "/",
    format: "esm",
    target: "es2022",
    conditions: ["@vitrine/source", "module", "browser"],
    define: { "process.env.NODE_ENV": '"production"' },
    logLevel: "silent",
  });
  for (const { path, text } of outputFiles) {
    field.serve(`/${basename(path)}`, text, { "content-type": "text/javascript" });
  }
  const proxy = field.sandbox.hostOrigin.replace("//app.", "//proxy.");
  const policy = `default-src 'none'; script-src 'self'; connect-src 'self'; frame-src ${proxy}; require-trusted-types-for 'script'`;
  const page = field.serve("/host-driver", PAGE, { "content-security-policy": policy });
  return `${page}?sandbox=${encodeURIComponent(`${proxy}/`)}`;
}
