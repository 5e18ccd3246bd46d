import { setTimeout as sleep } from "node:timers/promises";
import type { Page } from "playwright";
import { clickView } from "../stage/page-steps.ts";
import { scriptedView } from "../stage/view-document.ts";
import { type Check, hasSaid, type Scene, unless, unlessTried } from "./check.ts";

const SETTLE = 900;

/** How a link is made, how it is activated, and what must become of it. */
interface Activation {
  readonly link: LinkKind;
  readonly modifiers?: readonly string[];
  readonly button?: "middle";
  /** Pressed with the modifiers while the link has the focus, in place of a click. */
  readonly key?: "Enter";
}

type LinkKind =
  | "plain"
  | "svg"
  | "area"
  | "closed-shadow"
  | "reopened"
  | "frame"
  | "own-realm"
  | "untrusted";

const ACTIVATIONS: Readonly<Record<string, Activation>> = {
  alt: { link: "plain", modifiers: ["Alt"] },
  "alt-enter": { link: "plain", modifiers: ["Alt"], key: "Enter" },
  "alt-svg": { link: "svg", modifiers: ["Alt"] },
  "alt-area": { link: "area", modifiers: ["Alt"] },
  "alt-closed-shadow": { link: "closed-shadow", modifiers: ["Alt"] },
  "alt-reopened": { link: "reopened", modifiers: ["Alt"] },
  "alt-frame": { link: "frame", modifiers: ["Alt"] },
  control: { link: "plain", modifiers: ["Control"] },
  "control-shift": { link: "plain", modifiers: ["Control", "Shift"] },
  shift: { link: "plain", modifiers: ["Shift"] },
  middle: { link: "plain", button: "middle" },
};

/** What a view does to evade the guard; each needs a user who holds Alt. */
const EVASIONS: Readonly<Record<string, Activation>> = {
  "a frame with a listener of its own": { link: "own-realm", modifiers: ["Alt"] },
  "an untrusted event on a detached link": { link: "untrusted", modifiers: ["Alt"] },
};

/** Links that the user activates with a modifier key, which some browsers take for "save" or "open". */
export const LINK_CHECKS: readonly Check[] = [
  {
    id: "modified-clicks",
    title: "S9: Alt+click, Alt+Enter and other modified clicks on a link request nothing",
    entries: [41, 193],
    stages: ["tier-1", "tier-2", "tier-3"],
    async run(scene) {
      const { "alt-frame": _frame, ...others } = ACTIVATIONS;
      // Without an origin, a view and its frames are cross-origin to each other: the guard can't reach them.
      const isOpaque = scene.stage.name === "tier-3";
      const found = await activate(scene, isOpaque ? others : ACTIVATIONS);
      return [
        ...unlessTried(found.mute.length === 0, `these views did not run: ${found.mute}`),
        ...found.caught.map(({ name, hits }) => `attacker got ${hits} by ${name}`),
        ...unless(found.opened === 0, `${found.opened} windows or downloads`),
      ];
    },
  },
  {
    id: "modified-clicks-limit",
    title: "S9: what a view that builds its own realm can still do with Alt+click is known",
    entries: [193],
    stages: ["tier-2", "tier-3"],
    async run(scene) {
      const found = await activate(scene, EVASIONS);
      const names = found.caught.map(({ name }) => name);
      process.stdout.write(
        `     ${scene.stage.name}: Alt+click still gets out by ${names.join(", ")}\n`,
      );
      // When a browser closes this, docs/security.md has to say less.
      return unlessTried(names.length > 0, "nothing got out: take it from What is left");
    },
  },
];

async function activate(scene: Scene, activations: Readonly<Record<string, Activation>>) {
  const staged = await Promise.all(
    Object.entries(activations).map(async ([name, how]) => {
      const trap = await scene.trap();
      return { name, how, trap, html: scriptedView(showLink, how.link, trap.base) };
    }),
  );
  let opened = 0;
  const count = () => {
    opened += 1;
  };
  // As many as the window shows at once: what is not shown cannot be clicked.
  const found = await Promise.all(
    [staged.slice(0, 6), staged.slice(6)]
      .filter((group) => group.length > 0)
      .map(async (group) => {
        const host = await scene.open(
          group.map(({ name, html }) => ({ name, server: name, html })),
        );
        host.page.on("popup", count);
        host.page.on("download", count);
        const names = group.map(({ name }) => name);
        const log = await host.until((lines) =>
          names.every((name) => hasSaid(lines, "ready", name)),
        );
        return { host, group, mute: names.filter((name) => !hasSaid(log, "ready", name)) };
      }),
  );
  for (const { host, group } of found) {
    await host.page.bringToFront();
    for (const { name, how } of group) await press(host.page, name, how);
  }
  await sleep(SETTLE * scene.slowness);
  const caught = staged
    .map(({ name, trap }) => ({ name, hits: trap.caught().slice(0, 2).join(" | ") }))
    .filter(({ hits }) => hits !== "");
  return { mute: found.flatMap(({ mute }) => mute), caught, opened };
}

async function press(page: Page, name: string, how: Activation): Promise<void> {
  const { modifiers = [], button = "left", key } = how;
  // The first click is in the corner without a link; the view answers it by focusing its link.
  if (key) await clickView(page, name, { corner: true });
  for (const modifier of modifiers) await page.keyboard.down(modifier);
  if (key) await page.keyboard.press(key);
  else await clickView(page, name, { button });
  for (const modifier of modifiers) await page.keyboard.up(modifier);
}

/** In the view: a link over all of it but its corner. */
function showLink(kind: LinkKind, base: string): void {
  const href = `${base}/c?secret=1`;
  const place = "position:fixed;inset:40px 0 0 40px;display:block;background:#eee";
  const anchor = `<a href="${href}" style="${place}">link</a>`;
  const picture = "data:image/gif;base64,R0lGODlhAQABAAAAACwAAAAAAQABAAA=";
  const ready = () => setTimeout(() => say("ready"), 100);
  const markup: Record<string, string> = {
    plain: anchor,
    svg: `<svg style="${place}" width="340" height="220"><a href="${href}"><rect width="340" height="220"/></a></svg>`,
    area: `<map name="m"><area href="${href}" shape="default"></map><img usemap="#m" src="${picture}" width="340" height="220" style="${place}">`,
  };
  if (kind === "untrusted") {
    addEventListener("click", ({ altKey }) => {
      const link = Object.assign(document.createElement("a"), { href });
      link.dispatchEvent(new MouseEvent("click", { altKey }));
    });
  } else if (kind === "closed-shadow") {
    const holder = document.body.appendChild(document.createElement("div"));
    holder.attachShadow({ mode: "closed" }).innerHTML = anchor;
  } else if (kind === "reopened") {
    addEventListener("load", () => {
      document.open();
      document.write(anchor);
      document.close();
      ready();
    });
    return;
  } else if (kind === "frame" || kind === "own-realm") {
    const frame = document.createElement("iframe");
    frame.style.cssText = "position:fixed;inset:0;width:100%;height:100%;border:0";
    // A listener that comes before the guard's and stops the event there.
    const evade = `<script>addEventListener("click",(e)=>e.stopImmediatePropagation(),true)</script>`;
    frame.srcdoc = `<!doctype html>${kind === "own-realm" ? evade : ""}${anchor}`;
    frame.onload = ready;
    document.body.append(frame);
    return;
  } else document.body.insertAdjacentHTML("beforeend", markup[kind] ?? "");
  addEventListener("click", () => document.querySelector("a")?.focus());
  ready();
}
