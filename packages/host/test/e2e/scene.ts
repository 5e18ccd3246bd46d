import type { HostStage } from "@vitrine/internal/host-stage";
import type { Frame, Page } from "playwright";

/** How a View comes into the page: by the entrance, or registered by the server, with or without an origin. */
export type Way = "entrance" | "register" | "single-origin";

export const WAYS: readonly Way[] = ["entrance", "register", "single-origin"];

/** What a test opens. */
export interface Plot {
  way?: Way;
  html: string;
  meta?: object;
  hold?: boolean;
  /** Its name in `window.kept`; `view` by default. */
  as?: string;
  /** Where it goes; by default a surface of its own at the end of the page. */
  height?: number;
}

/** The document of a View that sends its messages without an SDK. */
export function viewOf(script: string, body = "", style = ""): string {
  return `<!doctype html><html><head><style>${style}</style></head><body>${body}<script>
const send = (message) => parent.postMessage({ jsonrpc: "2.0", ...message }, "*");
const received = [];
addEventListener("message", ({ data }) => received.push(data));
const greet = () => {
  send({ id: "hello", method: "ui/initialize", params: { protocolVersion: "2026-01-26", appInfo: { name: "v", version: "1" }, appCapabilities: {} } });
  send({ method: "ui/notifications/initialized", params: {} });
};
${script}
</script></body></html>`;
}

/**
 * Opens a View in a surface and starts its channel: `window.kept[as]` is `{ surface, frame, channel,
 * received, events, active }`.
 */
export async function openView(page: Page, stage: HostStage, plot: Plot): Promise<void> {
  const { way = "register", html, meta = {}, hold = false, as = "view", height = 200 } = plot;
  const settings = { way, html, meta, hold, as, height, entrance: stage.entrance };
  await page.evaluate(async ({ way, html, meta, hold, as, height, entrance }) => {
    const { createSurface, openFrame, registerView } = window.parts;
    const path = way === "register" ? "/register" : "/register-single";
    const surface = createSurface({
      title: "A tool",
      server: "test",
      modes: ["inline", "fullscreen", "pip"],
    });
    surface.attach(document.body);
    surface.setSize({ height });
    surface.reveal();
    const frame = openFrame(surface.body, {
      sandbox: way === "entrance" ? entrance : { register: (view) => registerView(view, path) },
      resource: { html, meta },
      identity: { server: "test", resource: `ui://test/${as}` },
      hold,
      title: "A tool",
    });
    const view = {
      surface,
      frame,
      received: [] as unknown[],
      events: [] as unknown[],
      active: [] as unknown[],
    };
    window.kept[as] = view;
    frame.onRelayEvent((event) => view.events.push(event));
    const channel = await frame.channel;
    channel.onmessage = (message) => {
      view.received.push(message);
      view.active.push(channel.userActive);
    };
    channel.onclose = () => view.received.push("closed");
    Object.assign(view, { channel });
    channel.start?.();
  }, settings);
}

/** The View's document, once it is there. */
export async function viewFrame(page: Page, index = 0): Promise<Frame> {
  for (let tries = 0; tries < 200; tries++) {
    const frame = page.frames().filter((item) => item.url().includes("/v/"))[index];
    if (frame) return frame;
    await page.waitForTimeout(25);
  }
  throw new Error("No View has loaded.");
}

/** Waits for a message of the View. */
export async function untilReceived(page: Page, method: string, as = "view"): Promise<void> {
  await page.waitForFunction(
    ([method, as]) =>
      window.kept[as]?.received.some((message: { method?: string }) => message.method === method),
    [method, as] as const,
    { timeout: 10_000 },
  );
}
