import { setTimeout as sleep } from "node:timers/promises";
import { type Box, type HostScene, openView } from "../stage/host-scene.ts";
import { hostedView } from "../stage/host-view.ts";
import { type Check, unless, unlessTried } from "./check.ts";

/** Pixels that a view may be high where the host names no others. */
const HIGHEST = 800;

/** Where a view is drawn, and what the host draws around it. */
export const HOST_LAYOUT_CHECKS: readonly Check[] = [
  {
    id: "host-size-bombs",
    title: `sizes that are none change nothing, none exceeds ${HIGHEST} pixels, and a loop is slowed`,
    entries: [118],
    stages: ["tier-2"],
    async run(scene) {
      const html = hostedView(async () => {
        await greet();
        const resize = (height: unknown, width: unknown = height) =>
          tell("ui/notifications/size-changed", { width, height });
        const pause = (time: number) => new Promise((resolve) => setTimeout(resolve, time));
        const phases = [
          () => resize(300),
          () => {
            const bombs = [Number.NaN, -1, "800px", [500], { valueOf: 500 }, true, null, -1e9];
            for (const bomb of bombs) resize(bomb);
          },
          async () => {
            for (const bomb of [1e9, 1e308, 2 ** 53, 1e6]) {
              resize(bomb);
              await pause(150);
            }
          },
          async () => {
            for (let at = 0; at < 300; at += 1) {
              resize(at % 2 ? 120 : 640 + (at % 7));
              await pause(10);
            }
          },
        ];
        addEventListener("message", async ({ data }) => {
          if (data.method !== "redteam/now") return;
          await phases.shift()?.();
          await pause(1500);
          say("done");
        });
      });
      const host = await openView(scene, html);
      const measured: Layout[] = [];
      for (let phase = 1; phase <= 4; phase += 1) {
        await host.page.evaluate(watchLayout);
        await host.provoke();
        await host.untilSaid(phase, "view", 20_000);
        measured.push(await host.page.evaluate(() => window.layout as Layout));
      }
      const [calm, bombed, large, looped] = measured.map(({ heights, widest }) => {
        return { heights, widest, highest: Math.max(...heights), changes: heights.length - 1 };
      });
      return [
        ...unlessTried(calm?.highest === 300, `an honest size gave ${calm?.highest} pixels`),
        ...unless(bombed?.changes === 0, `it went through ${bombed?.heights.join()} pixels`),
        ...unlessTried((large?.highest ?? 0) > 300, "no size was ever taken"),
        ...unless((large?.highest ?? 0) <= HIGHEST, `it was ${large?.highest} pixels high`),
        ...unless((large?.widest ?? 0) <= 560, `it was ${large?.widest} pixels wide`),
        // Ten a second are accepted, for three seconds and the machine's delay.
        ...unless((looped?.changes ?? 0) <= 45, `the layout changed ${looped?.changes} times`),
      ];
    },
  },
  {
    id: "host-imitation",
    title: "whatever a view draws, bar and border around it have the same pixels",
    entries: [148],
    stages: ["tier-2"],
    async run(scene) {
      const blank = hostedView(async () => {
        await greet();
        say("drawn");
      });
      const fake = hostedView(async () => {
        await greet();
        document.body.innerHTML = `<dialog style="position:fixed;inset:-200px;border:40px solid #f00;background:#0f0;z-index:2147483647;margin:0;max-width:none;max-height:none;width:3000px;height:3000px;transform:scale(2)">Sign in to the host again</dialog>`;
        document.querySelector("dialog")?.showModal();
        document.title = "the host";
        tell("ui/notifications/size-changed", { width: 1e9, height: 150 });
        await document.body.requestFullscreen().catch(() => {});
        say("drawn");
      });
      const pictures: string[][] = [];
      for (const html of [blank, fake]) {
        const host = await openView(scene, html);
        await host.untilSaid(1);
        await sleep(700);
        // So that the focus makes no difference.
        await host.page.focus("#composer");
        const inline = [await pictureBar(host), await pictureBorder(host)];
        await host.page.evaluate(() => {
          window.site.host.views.get("view")?.setDisplayMode("fullscreen");
        });
        await sleep(700);
        pictures.push([...inline, await pictureBar(host)]);
      }
      const [honest = [], hostile = []] = pictures;
      const parts = ["the bar", "the border", "the bar in full screen"];
      return [
        ...unlessTried(honest.length === 3 && hostile.length === 3, "no pictures were taken"),
        ...parts.flatMap((part, at) =>
          unless(honest[at] === hostile[at], `${part} was drawn over`),
        ),
      ];
    },
  },
  {
    id: "host-overlay",
    title: "clicks on the host's controls are the host's: no view lies over them, seen or unseen",
    entries: [152],
    stages: ["tier-2"],
    async run(scene) {
      const html = hostedView(async () => {
        const cover = document.body.appendChild(document.createElement("div"));
        cover.style.cssText = "position:fixed;inset:-2000px;opacity:.01;z-index:2147483647";
        addEventListener("pointerdown", () => say("caught"));
        await greet();
        tell("ui/notifications/size-changed", { width: 1e9, height: 1e9 });
        window.name = "control";
        say("ready");
      });
      const host = await openView(scene, html);
      await host.untilSaid(1);
      // It grows as far as it is let; what is laid around it before that would be grown over.
      await host.page.waitForFunction(
        () => (window.site.root("view")?.querySelector("iframe")?.clientHeight ?? 0) > 500,
      );
      await sleep(600);
      await host.page.evaluate(surround);
      const ids = ["above", "beside", "below"];
      for (const id of ids) {
        const spot = await host.page.evaluate((name) => {
          const box = document.getElementById(name)?.getBoundingClientRect();
          return box && { x: box.x + box.width / 2, y: box.y + box.height / 2 };
        }, id);
        if (spot) await host.page.mouse.click(spot.x, spot.y);
      }
      await sleep(300);
      const pressed = await host.page.evaluate(() => window.pressed ?? []);
      const caught = (await host.said()).filter((word) => word === "caught").length;
      const named = await host.page.evaluate(() => window.frames.length);
      await host.click();
      const control = await host.until(({ said }) => said.some(({ data }) => data === "caught"));
      return [
        ...unless(
          pressed.join() === ids.join(),
          `the host got clicks on ${pressed.join() || "none"}`,
        ),
        ...unless(caught === 0, `the view caught ${caught} clicks`),
        ...unless(named === 0, "its window can be had by name"),
        ...unlessTried(
          control.said.some(({ data }) => data === "caught"),
          "it catches no click at all",
        ),
      ];
    },
  },
];

/** Sizes that a view's frame went through. */
interface Layout {
  readonly heights: number[];
  widest: number;
}

declare global {
  interface Window {
    layout?: Layout;
    pressed?: string[];
  }
}

/** In the host's page: writes down the sizes of the view's frame, the present one first. */
function watchLayout(): void {
  const frame = window.site.root("view")?.querySelector("iframe");
  const layout: Layout = { heights: [], widest: 0 };
  window.layout = layout;
  new ResizeObserver(([entry]) => {
    const { height = 0, width = 0 } = entry?.contentRect ?? {};
    layout.heights.push(height);
    layout.widest = Math.max(layout.widest, width);
  }).observe(frame as Element);
}

/** In the host's page: controls on three sides of the view. */
function surround(): void {
  const box = window.site.root("view")?.querySelector("section")?.getBoundingClientRect();
  if (!box) return;
  window.pressed = [];
  const spots = {
    above: [box.x + 100, box.y - 12],
    beside: [box.right + 2, box.y + 100],
    below: [box.x + 100, Math.min(box.bottom, innerHeight - 16) + 2],
  };
  for (const [id, [x, y]] of Object.entries(spots)) {
    const button = document.createElement("button");
    button.id = id;
    button.style.cssText = `position:fixed;left:${x}px;top:${y}px;width:60px;height:10px`;
    button.onclick = () => window.pressed?.push(id);
    document.body.prepend(button);
  }
}

/** The pixels of the host's bar around a view. */
async function pictureBar(host: HostScene): Promise<string> {
  return takePicture(host, await host.box("header"));
}

/** The pixels of the border around a view, on three sides. */
async function pictureBorder(host: HostScene): Promise<string> {
  const { x, y, width, height } = await host.box("section");
  const sides = [
    { x: x - 4, y, width: 5, height },
    { x: x + width - 1, y, width: 5, height },
    { x, y: y + height - 1, width, height: 5 },
  ];
  const pictures = [];
  for (const side of sides) pictures.push(await takePicture(host, side));
  return pictures.join();
}

async function takePicture({ page }: HostScene, clip: Box): Promise<string> {
  return (await page.screenshot({ clip })).toString("base64");
}
