// The frames around a View.

import type { ElementHandle } from "playwright-core";
import { brief, type Json } from "../json.ts";
import { absent, broken, type Finding, holds, judge, type Scenario } from "../scenario.ts";
import type { HostSession } from "../targets/host-session.ts";
import type { HostTarget } from "../targets/host-target.ts";
import { PROXY_READY, RESOURCE_READY } from "../targets/sandbox-page.ts";
import { withHost } from "./host-setup.ts";

// Each lets a document act on the page around it, or leave unnoticed.
const DANGEROUS =
  /^allow-(top-navigation.*|popups-to-escape-sandbox|storage-access-by-user-activation)$/;

export const FRAME_SCENARIOS: readonly Scenario<HostTarget>[] = [
  {
    title: "inspects the frames around a view, from outside and inside",
    rules: ["HST-20", "HST-21", "HST-22", "HST-23"],
    run: (target) => withHost(target, {}, judgeFrames),
  },
  {
    title: "shows a view while the sandbox loads slowly",
    rules: ["HST-24"],
    run: (target) =>
      withHost(target, { frameDelay: 400, isPlain: true }, async (session) => [
        await judgeHandover(session),
      ]),
  },
  {
    title: "shows a view that requests permissions",
    rules: ["HST-33"],
    run: (target) => {
      const permissions = { geolocation: {}, clipboardWrite: {} };
      return withHost(target, { parts: { served: { permissions } } }, async (session) => {
        await session.greeted();
        const allowed = (await session.framesAround()).map(({ allow }) => allow);
        const { sandbox } = session.capabilities;
        const note = `allow of the frames: ${brief(allowed)}; granted: ${brief(sandbox?.permissions)}.`;
        return [holds("HST-33", note)];
      });
    },
  },
  {
    title: "shows views that prefer a border, and that prefer none",
    rules: ["HST-37"],
    run: async (target) => {
      const edge = (prefersBorder?: boolean): Promise<string> =>
        withHost(
          target,
          { parts: prefersBorder === undefined ? {} : { served: { prefersBorder } } },
          async (session) => {
            await session.greeted();
            await session.quiet();
            return edgeOf(await outerFrame(session));
          },
        );
      const [yes, no, open] = await Promise.all([edge(true), edge(false), edge()]);
      const faults = [
        ...(yes === "" ? ["prefersBorder: true is shown without a border"] : []),
        ...(no === "" ? [] : [`prefersBorder: false is shown with ${no}`]),
      ];
      return [
        judge("HST-37", faults, `With: ${yes}; without: none; undecided: ${open || "none"}.`),
      ];
    },
  },
  {
    title: "lets a view report a huge size and send thousands of messages",
    rules: ["HST-36"],
    run: (target) => withHost(target, {}, async (session) => [await judgeLimits(session)]),
  },
  {
    title: "shows views of two servers, and one that declares a domain",
    rules: ["HST-38"],
    run: async (target) => [await judgeDomains(target)],
  },
];

async function judgeFrames(session: HostSession): Promise<Finding[]> {
  const around = await session.framesAround();
  const outer = around.at(-1);
  const view = await session.view();
  const pageOrigin = await session.page.evaluate(() => window.origin);
  const outerOrigin = await outer?.frame.evaluate(() => window.origin);
  const inside = await view.evaluate(() => {
    const reach = (other: Window | null): boolean => {
      try {
        return Boolean(other?.document);
      } catch {
        return false;
      }
    };
    return { top: reach(top), origin: window.origin };
  });
  const open = around.filter(({ sandbox }) => sandbox === null);
  const flags = around.flatMap(({ sandbox }) => sandbox?.split(/\s+/) ?? []);
  const dangers = [...new Set(flags.filter((flag) => DANGEROUS.test(flag)))];
  const sandbox = outer?.sandbox?.split(/\s+/) ?? [];
  const missing = ["allow-scripts", "allow-same-origin"].filter((flag) => !sandbox.includes(flag));
  const isWrapped = around.length > 1;
  return [
    judge(
      "HST-20",
      [
        // A frame without a sandbox between view and page is compensated by the others.
        ...(open.length === around.length
          ? ["no frame around the view has a sandbox attribute"]
          : []),
        ...dangers.map((flag) => `a frame has ${flag}`),
        ...(inside.top ? ["the view can read the host's page"] : []),
      ],
      `Flags, innermost first: ${brief(around.map((one) => one.sandbox))}.`,
    ),
    judge(
      "HST-21",
      isWrapped ? [] : ["the view's frame is in the host's page itself"],
      "There is a frame in between.",
    ),
    judge(
      "HST-22",
      outerOrigin === pageOrigin || inside.top
        ? [`the frame in the page is on ${outerOrigin}, like the host`]
        : [],
      `Host on ${pageOrigin}, Sandbox on ${outerOrigin}.`,
    ),
    isWrapped
      ? judge(
          "HST-23",
          missing.map((flag) => `the sandbox's frame lacks ${flag}`),
          `It has ${outer?.sandbox}.`,
        )
      : absent("HST-23", "The host has no sandbox, so no frame can have flags."),
  ];
}

async function judgeHandover(session: HostSession): Promise<Finding> {
  const isShown = await session.view().then(
    () => true,
    () => false,
  );
  const ready = session.overheard.find(
    ({ depth, message }) => depth === 0 && message.method === PROXY_READY,
  );
  const sent = session.overheard.filter(
    ({ depth, message }) => depth > 0 && message.method === RESOURCE_READY,
  );
  if (!ready && sent.length === 0 && isShown) {
    return absent(
      "HST-24",
      "The view arrived without the messages of the specification's sandbox.",
    );
  }
  const faults: string[] = [];
  const [first] = sent;
  if (!isShown) faults.push("with a slow sandbox no view was shown");
  if (isShown && !first) faults.push(`${RESOURCE_READY} never came`);
  if (first && (!ready || first.at < ready.at))
    faults.push(`${RESOURCE_READY} came before the sandbox was ready`);
  if (first && !first.message.params?.html) faults.push(`${RESOURCE_READY} contains no HTML`);
  return judge("HST-24", faults, "The HTML was sent after the sandbox was ready.");
}

async function outerFrame(session: HostSession): Promise<ElementHandle> {
  const outer = (await session.framesAround()).at(-1);
  if (!outer) throw new Error("The view is not in a frame.");
  return outer.frame.frameElement();
}

/** The visible edge of a frame, as text; nothing if there is none. */
function edgeOf(frame: ElementHandle): Promise<string> {
  return frame.evaluate((element) => {
    const drawn = (box: Element): string => {
      const style = getComputedStyle(box);
      const isClear = /rgba\(.*, 0\)|transparent/.test(style.borderTopColor);
      const [border, outline] = [style.borderTopWidth, style.outlineWidth].map(Number.parseFloat);
      if (style.borderTopStyle !== "none" && border && !isClear) return `a border of ${border} px`;
      if (style.outlineStyle !== "none" && outline) return "an outline";
      return style.boxShadow === "none" ? "" : "a shadow";
    };
    const above = (box: Element): Element | null => {
      const root = box.getRootNode();
      return box.parentElement ?? (root instanceof ShadowRoot ? root.host : null);
    };
    let box: Element | null = element as Element;
    for (let step = 0; box && box !== document.body && step < 6; step++) {
      const edge = drawn(box);
      if (edge) return edge;
      box = above(box);
    }
    return "";
  });
}

async function heightOf(session: HostSession): Promise<number> {
  return (await (await outerFrame(session)).boundingBox())?.height ?? 0;
}

async function judgeLimits(session: HostSession): Promise<Finding> {
  await session.greeted();
  const frame = await outerFrame(session);
  const edge = await edgeOf(frame);
  const before = await heightOf(session);
  const method = "ui/notifications/size-changed";
  await session.send({ jsonrpc: "2.0", method, params: { width: 300, height: 60_000 } });
  await session.quiet();
  const claimed = await heightOf(session);
  // Not through the probe, which would log each of them.
  await (await session.view()).evaluate(() => {
    for (let index = 0; index < 3000; index++) {
      const params = { level: "info", data: `Message ${index}` };
      parent.postMessage({ jsonrpc: "2.0", method: "notifications/message", params }, "*");
    }
  });
  const started = Date.now();
  const isAlive = await Promise.race([
    session.page.evaluate(() => true),
    session.quiet(5000).then(() => false),
  ]);
  const faults = [
    ...(edge === "" ? ["nothing marks where the view begins"] : []),
    ...(claimed > 20_000 ? [`a view that reports 60,000 px gets ${Math.round(claimed)}`] : []),
    ...(isAlive ? [] : ["the host's page hangs after 3,000 messages"]),
  ];
  const note = `Marked by ${edge}; ${Math.round(before)} px high, ${Math.round(claimed)} after reporting 60,000; alive after 3,000 messages in ${Date.now() - started} ms.`;
  return judge("HST-36", faults, note);
}

async function judgeDomains(target: HostTarget): Promise<Finding> {
  const originOf = (served?: Json): Promise<string> =>
    withHost(target, { parts: served ? { served } : {} }, async (session) =>
      (await session.view()).evaluate(() => window.origin),
    );
  const [one, other] = await Promise.all([originOf(), originOf()]);
  const named = await originOf({ domain: "probe.example.com" }).catch(() => "no view at all");
  if (one === other && one !== "null") {
    return broken("HST-38", `views of two servers share the origin ${one}, and so their storage`);
  }
  const note = one === "null" ? "Views have no origin" : "Each server's view has its own origin";
  return holds("HST-38", `${note}; one that declares a domain: ${named}.`);
}
