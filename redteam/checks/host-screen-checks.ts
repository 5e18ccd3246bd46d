import { setTimeout as sleep } from "node:timers/promises";
import { type Box, type HostScene, openHost } from "../stage/host-scene.ts";
import { hostedView } from "../stage/host-view.ts";
import { type Check, unless, unlessTried } from "./check.ts";

const EXIT = "header button:not([hidden]):last-child";

/** Full screen: who asks for it, what stays on top of it, who ends it. */
export const HOST_SCREEN_CHECKS: readonly Check[] = [
  {
    id: "host-fullscreen",
    title: "full screen needs a click and the host's leave, leaves its bar on top, and ends by it",
    entries: [119],
    stages: ["tier-1", "tier-2"],
    quick: true,
    async run(scene) {
      const html = hostedView(async () => {
        await greet();
        const cover = document.body.appendChild(document.createElement("div"));
        cover.style.cssText = "position:fixed;inset:-900px;z-index:2147483647;background:#f00";
        const modes = async () => {
          const answers = [];
          for (const mode of ["fullscreen", "pip", "theatre", "__proto__"]) {
            answers.push((await ask("ui/request-display-mode", { mode })).result?.mode);
          }
          return answers;
        };
        say(await modes());
        addEventListener("click", async () => {
          say((await ask("ui/request-display-mode", { mode: "fullscreen" })).result?.mode);
        });
      });
      const modest = hostedView(async () => {
        await greet({ appCapabilities: { availableDisplayModes: ["inline"] } });
        addEventListener("click", async () => {
          say((await ask("ui/request-display-mode", { mode: "fullscreen" })).result?.mode);
        });
      });
      const tools = [
        { name: "show", html },
        { name: "modest", html: modest },
      ];
      const host = await openHost(scene, [{ name: "hostile", tools }]);
      await host.show(
        { key: "view", server: "hostile", tool: "show" },
        { key: "modest", server: "hostile", tool: "modest" },
      );
      const [alone] = (await host.untilSaid(1)) as string[][];
      const before = await host.mode();
      await host.click();
      const [, granted] = await host.untilSaid(2);
      const bar = await host.box("header");
      const onTop = await topmost(host, bar);
      const name = (await host.text()).includes("hostile");
      await host.click(EXIT);
      await sleep(300);
      const after = await host.mode();
      const byEscape = await leaveByEscape(host);
      await host.click("iframe", "modest");
      const [undeclared] = await host.untilSaid(1, "modest");
      return [
        ...unless(alone?.join() === "inline,inline,inline,inline", `unasked: ${alone?.join()}`),
        ...unless(before === "inline", `it went to ${before} without a click`),
        ...unless(undeclared === "inline", `undeclared: ${undeclared}`),
        ...unlessTried(granted === "fullscreen", "it did not get to full screen on a click either"),
        ...unless(bar.width >= 1000 && bar.height >= 30, `the bar is ${bar.width}×${bar.height}`),
        ...unless(onTop === "header", `over the host's bar lies ${onTop}`),
        ...unless(name, "the bar does not say whose it is"),
        ...unless(after === "inline", "the host's button did not end it"),
        ...unless(byEscape === "inline", "Escape did not end it"),
      ];
    },
  },
  {
    id: "host-fullscreen-return",
    title: "one click is one full screen: it neither flickers nor returns when the user ends it",
    entries: [119],
    stages: ["tier-2"],
    async run(scene) {
      const html = hostedView(async () => {
        await greet();
        const { modes } = (await input) as { modes: string[] };
        addEventListener("click", async () => {
          const end = performance.now() + 3000;
          for (let at = 0; performance.now() < end; at += 1) {
            await ask("ui/request-display-mode", { mode: modes[at % modes.length] });
            await new Promise((resolve) => setTimeout(resolve, 30));
          }
          say("over");
        });
      });
      const attempt = async (modes: string[], act: (host: HostScene) => Promise<void>) => {
        const host = await openHost(scene, [{ name: "hostile", tools: [{ name: "show", html }] }]);
        await host.show({ key: "view", server: "hostile", tool: "show", input: { modes } });
        await host.page.evaluate(watchModes);
        await host.click();
        await host.page.waitForFunction(() => window.modes?.includes("fullscreen"));
        await act(host);
        await host.untilSaid(1);
        const seen = await host.page.evaluate(() => window.modes ?? []);
        return seen.filter((mode) => mode === "fullscreen").length;
      };
      const returned = await attempt(["fullscreen"], (host) => host.click(EXIT));
      const flickered = await attempt(["fullscreen", "inline"], async () => {});
      return [
        ...unless(returned <= 1, `it went back ${returned - 1} times after the user had ended it`),
        ...unless(flickered <= 1, `${flickered} times full screen for one click`),
      ];
    },
  },
];

declare global {
  interface Window {
    modes?: string[];
  }
}

/** In the host's page: writes down each mode of the view. */
function watchModes(): void {
  const card = window.site.root("view")?.querySelector<HTMLElement>("section");
  const modes = [card?.dataset.mode ?? ""];
  window.modes = modes;
  new MutationObserver(() => {
    const mode = card?.dataset.mode ?? "";
    if (modes.at(-1) !== mode) modes.push(mode);
  }).observe(card as Node, { attributes: true });
}

/** What lies on top along a bar of the host's, as the browser decides for a click. */
function topmost({ page }: HostScene, bar: Box): Promise<string> {
  return page.evaluate(({ x, y, width, height }) => {
    const root = window.site.root("view");
    const places = [0.02, 0.3, 0.6].map((share) => [x + width * share, y + height / 2] as const);
    const found = places.map(([left, top]) => {
      const outer = document.elementFromPoint(left, top);
      const inner = root?.elementFromPoint(left, top);
      const isOurs = outer === root?.host && inner?.closest("header");
      return isOurs ? "header" : `${outer?.localName} ${inner?.localName}`;
    });
    return [...new Set(found)].join();
  }, bar);
}

/** Full screen by the host's own doing, then Escape. */
async function leaveByEscape(host: HostScene): Promise<string | undefined> {
  await host.page.evaluate(() => window.site.host.views.get("view")?.setDisplayMode("fullscreen"));
  // On the bar: a key goes where the user was last.
  await host.page.mouse.click(300, 8);
  await host.press("Escape");
  return host.mode();
}
