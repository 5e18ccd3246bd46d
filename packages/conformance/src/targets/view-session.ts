import type { Browser, BrowserContext, Frame, Page } from "playwright-core";
import { pause } from "../deadline.ts";
import { asRecord, type Json } from "../json.ts";
import { NotRun } from "../scenario.ts";
import { type HostScript, hostPage, type PageHost, type Received } from "./host-page.ts";
import { policyOf } from "./view-csp.ts";

declare const host: PageHost;

const HOST = "https://host.test/";
const VIEW = "https://view.test/";
/** No message for this long means that the view has sent everything. */
const QUIET = 250;

/** A view in a strict host. */
export class ViewSession {
  /** Uncaught errors of the view. */
  readonly errors: string[] = [];
  readonly #received: Received[] = [];
  readonly #context: BrowserContext;
  readonly #page: Page;
  readonly #patience: number;

  private constructor(context: BrowserContext, page: Page, patience: number) {
    this.#context = context;
    this.#page = page;
    this.#patience = patience;
    page.on("pageerror", (error) => this.errors.push(error.message));
  }

  static async open(
    browser: Browser,
    {
      html,
      csp,
      script,
      patience,
    }: { html: string; csp: unknown; script: HostScript; patience: number },
  ): Promise<ViewSession> {
    const context = await browser.newContext({ viewport: { width: 800, height: 600 } });
    await context.route(`${HOST}**`, (route) =>
      route.fulfill({ contentType: "text/html; charset=utf-8", body: pageOf(script) }),
    );
    await context.route(`${VIEW}**`, (route) =>
      new URL(route.request().url()).pathname === "/"
        ? route.fulfill({
            contentType: "text/html; charset=utf-8",
            headers: { "content-security-policy": policyOf(csp) },
            body: html,
          })
        : route.fulfill({ status: 404, body: "" }),
    );
    const page = await context.newPage();
    await context.addInitScript(watchPermissions);
    const session = new ViewSession(context, page, patience);
    await page.exposeBinding(
      "conformanceReceived",
      (_, one: Received) => void session.#received.push(one),
    );
    // A view that never finishes loading is a finding of the scenario, not of this line.
    await page.goto(HOST, { waitUntil: "domcontentloaded" });
    return session;
  }

  /** Messages of the view in order. */
  get received(): readonly Received[] {
    return this.#received;
  }

  /** The messages of one method. */
  async all(method: string): Promise<Json[]> {
    return this.#received
      .map(({ message }) => message)
      .filter((message) => message.method === method);
  }

  /** The params of `ui/initialize`. */
  async greeting(): Promise<Json> {
    const [initialize] = await this.all("ui/initialize");
    return asRecord(initialize?.params);
  }

  /** Waits for a message of the method; false if none comes. */
  async waitFor(method: string, patience: number = this.#patience): Promise<boolean> {
    const until = Date.now() + patience;
    while ((await this.all(method)).length === 0) {
      if (Date.now() > until) return false;
      await pause(25);
    }
    return true;
  }

  /** Waits for the end of the handshake, which all scenarios need. */
  async ready(): Promise<void> {
    if (await this.waitFor("ui/notifications/initialized")) return;
    const [error] = this.errors;
    throw new NotRun(`The view never finished its handshake${error ? `: ${error}` : "."}`);
  }

  /** Waits until the view has sent nothing for a while. */
  async settled(atMost = 3_000): Promise<void> {
    const until = Date.now() + atMost;
    let count = -1;
    for (
      let since = Date.now();
      Date.now() - since < QUIET && Date.now() < until;
      await pause(50)
    ) {
      const { length } = this.#received;
      if (length !== count) since = Date.now();
      count = length;
    }
  }

  notify(method: string, params?: Json): Promise<void> {
    return this.send({ jsonrpc: "2.0", method, ...(params && { params }) });
  }

  /** Posts any value. */
  send(message: unknown): Promise<void> {
    return this.#page.evaluate((value) => host.send(value), message);
  }

  /** The view's whole response, or `null` if none comes. */
  request(method: string, params?: Json, patience = 3_000): Promise<Json | null> {
    return this.#page.evaluate(([name, value, time]) => host.request(name, value, time), [
      method,
      params,
      patience,
    ] as const);
  }

  admit(): Promise<void> {
    return this.#page.evaluate(() => host.admit());
  }

  /** Sends input and result of the tool call, as for every view. */
  async tell({ input, result }: { input: Json; result: Json }): Promise<void> {
    await this.notify("ui/notifications/tool-input", { arguments: input });
    await this.notify("ui/notifications/tool-result", result);
  }

  /** Whether the view still responds. */
  async isAlive(): Promise<boolean> {
    return (await this.request("ping"))?.result !== undefined;
  }

  /** Gives the frame another size. */
  async resize(width: number, height: number): Promise<void> {
    await this.#page.evaluate(
      ([w, h]) => {
        const { style } = document.querySelector("iframe") as HTMLIFrameElement;
        style.width = `${w}px`;
        style.height = `${h}px`;
      },
      [width, height] as const,
    );
  }

  /** The view's own frame, to inspect its document. */
  get frame(): Frame {
    const frame = this.#page.frames().find((one) => one.parentFrame() === this.#page.mainFrame());
    if (!frame) throw new NotRun("The view's frame is gone.");
    return frame;
  }

  /** The content of the view's document. */
  text(): Promise<string> {
    return this.frame.evaluate(() => document.body?.textContent ?? "");
  }

  /** Presses everything in the view that can be pressed. */
  async pressEverything(): Promise<number> {
    const pressed = await this.frame.evaluate(pressAll, 40);
    await this.settled();
    return pressed;
  }

  close(): Promise<void> {
    return this.#context.close();
  }
}

function pageOf(script: HostScript): string {
  // `<` cannot end the script element early.
  const options = JSON.stringify(script).replaceAll("<", "\\u003c");
  return `<!doctype html><meta charset="utf-8"><title>Host</title>
<body style="margin:0"><iframe sandbox="allow-scripts allow-same-origin allow-forms" style="border:0;width:640px;height:400px"></iframe>
<script>(${hostPage})(${options}); document.querySelector("iframe").src = ${JSON.stringify(VIEW)};</script>`;
}

/** In the view: removes links that lead away, because a view that has left sends nothing more. */
async function pressAll(limit: number): Promise<number> {
  const selector = "button, [role=button], input[type=button], input[type=submit], summary";
  const pressed = new Set<Element>();
  for (let round = 0; round < 3; round++) {
    for (const element of document.querySelectorAll<HTMLElement>(selector)) {
      if (pressed.has(element) || pressed.size >= limit) continue;
      pressed.add(element);
      element.click();
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }
  return pressed.size;
}

/** In every frame: the view's requests to the browser that a host must have granted (VEW-06). */
function watchPermissions(): void {
  const asked: string[] = [];
  (window as unknown as { askedFor: string[] }).askedFor = asked;
  const watch = (owner: object | undefined, name: string, permission: string): void => {
    const original =
      owner && (Reflect.get(owner, name) as ((...args: unknown[]) => unknown) | undefined);
    if (!original) return;
    Object.defineProperty(owner, name, {
      configurable: true,
      value: (...args: unknown[]) => {
        asked.push(permission);
        return original.apply(owner, args);
      },
    });
  };
  watch(navigator.mediaDevices, "getUserMedia", "camera or microphone");
  watch(navigator.geolocation, "getCurrentPosition", "geolocation");
  watch(navigator.geolocation, "watchPosition", "geolocation");
  watch(navigator.clipboard, "writeText", "clipboard");
  watch(navigator.clipboard, "write", "clipboard");
}
