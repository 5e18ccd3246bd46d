import type { Frame, Page } from "playwright";
import { onTestFinished } from "vitest";
import type { Received } from "./pages/hand-host.ts";
import type { Stage } from "./stage.ts";
import type { Weakness } from "./weakness.ts";

/**
 * How a View comes to a Host: through the entrance, or registered by the Host's own server; that
 * with origins of its own, or on the Host's.
 */
export type Mode = "window" | "port" | "single-origin";

/** A View, how it is mounted, and what is taken away around it. */
export interface Plot extends Weakness {
  mode?: Mode;
  html: string;
  /** What the Host requests in addition to the document. */
  resource?: Record<string, unknown>;
  /** The `sandbox` attribute of the Host's own frame. */
  outer?: string;
}

/** A JSON-RPC message as tests look at it. */
export interface Message {
  id?: string | number;
  method?: string;
  params?: Record<string, unknown>;
  result?: unknown;
  error?: { code: number; message: string };
}

const OUTER = "allow-scripts allow-same-origin allow-forms";
const READY = "ui/notifications/sandbox-proxy-ready";
const PATIENCE = 20_000;

/** The document of a View with `send`, `received` and `done`. */
export function viewOf(script: string, body = ""): string {
  return `<!doctype html><html><body>${body}<script>
const received = [];
addEventListener("message", ({ data }) => received.push(data));
const send = (message, transfer) => parent.postMessage({ jsonrpc: "2.0", ...message }, "*", transfer);
const done = (params = {}) => send({ method: "test/done", params });
const rest = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
(async () => { ${script} })();
</script>`;
}

/** A hand-written Host with one or more Sandboxes in it. */
export class Scene {
  readonly page: Page;
  readonly #stage: Stage;

  constructor(page: Page, stage: Stage) {
    this.page = page;
    this.#stage = stage;
  }

  /** Puts one more View into the page. */
  async embed({ mode = "window", html, resource, outer = OUTER }: Plot): Promise<void> {
    const { proxyOrigin, sandbox, single } = this.#stage;
    // One app for all: Views of a page are twins, with one origin.
    const view = { server: "test", resource: "ui://test/view", html, ...resource };
    const url =
      mode === "window"
        ? `${proxyOrigin}/`
        : (await (mode === "port" ? sandbox : single).register(view)).proxyUrl;
    await this.page.evaluate(([url, outer, resource]) => window.host.embed(url, outer, resource), [
      url,
      outer,
      mode === "window" ? { html, ...resource } : undefined,
    ] as const);
  }

  received(): Promise<Received[]> {
    return this.page.evaluate(() => window.host.received);
  }

  /** The Views' messages, out of whatever envelope they came in, without the Sandbox's own. */
  async messages(frame = 0): Promise<Message[]> {
    const messages: Message[] = [];
    for (const item of await this.received()) {
      const data = Object(item.data);
      const message = item.by === "port" ? data.text && JSON.parse(data.text) : data;
      const isOwn = message === undefined || "vitrine" in data || data.params?.logger === "sandbox";
      if (item.frame === frame && !isOwn && data.method !== READY) messages.push(message);
    }
    return messages;
  }

  /** Waits for a View's message; all of them up to then. */
  async until(method = "test/done", frame = 0): Promise<Message[]> {
    await this.page
      .waitForFunction(
        ([method, frame]) =>
          window.host.received.some(
            (item) => item.frame === frame && window.host.read(item.data)?.method === method,
          ),
        [method, frame] as const,
        { timeout: PATIENCE },
      )
      .catch(async () => {
        const text = JSON.stringify(await this.received()).slice(0, 2000);
        throw new Error(`No ${method} came; received: ${text}`);
      });
    return this.messages(frame);
  }

  /** The params of the View's `test/done`. */
  async outcome(frame = 0): Promise<Record<string, unknown>> {
    const messages = await this.until("test/done", frame);
    return messages.find(({ method }) => method === "test/done")?.params ?? {};
  }

  /** Sends to the View, in the envelope of the mode. */
  send(message: object, mode: Mode = "window"): Promise<void> {
    return this.tell(mode === "window" ? message : { msg: message });
  }

  /** Sends to the Sandbox as it is. */
  tell(data: object): Promise<void> {
    return this.page.evaluate((data) => window.host.send(data), data);
  }

  /** Waits until the Sandbox has stopped the View; what it told the Host. */
  async killed(patience: number = PATIENCE): Promise<{ code: string; detail: string }> {
    const find = async () => {
      for (const { by, data } of await this.received()) {
        const { killed, params } = Object(data);
        if (by === "port" && killed) return killed;
        if (params?.logger === "sandbox" && params.level === "error") return params.data;
      }
      return undefined;
    };
    const end = Date.now() + patience;
    for (;;) {
      const found = await find();
      if (found) return found;
      if (Date.now() > end) throw new Error("The Sandbox did not stop the View.");
      await this.page.waitForTimeout(50);
    }
  }

  /** The Sandbox's page. */
  proxy(): Frame {
    return this.#frame((url) => url.startsWith(this.#stage.proxyOrigin));
  }

  /** The View's page. */
  view(): Frame {
    return this.#frame((url) => url.includes("/v/"));
  }

  #frame(is: (url: string) => boolean): Frame {
    const frame = this.page.frames().find((candidate) => is(candidate.url()));
    if (!frame) throw new Error("The page has no such frame.");
    return frame;
  }
}

/** Opens a Host with one View. */
export async function openScene(stage: Stage, plot: Plot): Promise<Scene> {
  stage.weaken(plot);
  const page = await stage.openHost("hand-host");
  onTestFinished(async () => {
    stage.weaken({});
    await page.close();
  });
  const scene = new Scene(page, stage);
  await scene.embed(plot);
  return scene;
}
