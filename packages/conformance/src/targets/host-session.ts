import type { Browser, BrowserContext, Frame, Page } from "playwright-core";
import { pause } from "../deadline.ts";
import type { HostCall, HostDriver, HostHook } from "../host/driver.ts";
import { asRecord, type Json } from "../json.ts";
import { NotRun } from "../scenario.ts";
import { type Overheard, overhear } from "./overhearing.ts";
import { ProbeLog } from "./probe-log.ts";
import { type ProbeOffer, ProbeServer } from "./probe-server.ts";
import { probeCommand } from "./probe-stdio.ts";
import type { Probe, ProbeLine } from "./probe-view.ts";
import { playOutside } from "./reach.ts";

declare const probe: Probe;

/** What a scenario asks a host to show. */
export interface HostRequest {
  offer: ProbeOffer;
  tool?: string;
  arguments?: Json;
  /** Opens the page without waiting for the view. */
  isPlain?: boolean;
  /** Milliseconds by which the frames' first documents are delayed. */
  frameDelay?: number;
  /** Shows it while a model writes its arguments. */
  texts?: readonly string[];
}

/** Where a host is, and the run's settings for it. */
export interface HostSetting {
  browser: Browser;
  driver: HostDriver;
  patience: number;
  request: HostRequest;
}

/** How a question to the user is answered while a view waits. */
export interface Asking {
  answer?: "approve" | "deny";
  /** Time limit for the host's response to the view. */
  patience?: number;
}

/** A page of a host under test, a probe server behind it, and a probe view in it. */
export class HostSession {
  readonly page: Page;
  readonly server: ProbeServer;
  /** All messages of probe views. */
  readonly log: ProbeLog;
  /** Window messages in the host's page and in its frames. */
  readonly overheard: Overheard[] = [];
  /** Names that the host gave to files. */
  readonly saved: string[] = [];
  /** External addresses that were requested. */
  asked: readonly string[] = [];
  /** Uncaught errors in the host's page, and its console output. */
  readonly errors: string[] = [];
  readonly console: string[] = [];
  readonly driver: HostDriver;
  readonly #patience: number;
  readonly #context: BrowserContext;
  readonly #servers: ProbeServer[];
  #hooks: readonly HostHook[] = [];

  private constructor(
    { page, server, log }: { page: Page; server: ProbeServer; log: ProbeLog },
    { driver, patience }: HostSetting,
  ) {
    this.page = page;
    this.server = server;
    this.log = log;
    this.driver = driver;
    this.#patience = patience;
    this.#context = page.context();
    this.#servers = [server];
    page.on("pageerror", (error) => this.errors.push(error.message));
    page.on("console", (message) => this.console.push(message.text()));
  }

  static async open(setting: HostSetting): Promise<HostSession> {
    const { browser, request } = setting;
    const server = await ProbeServer.open(request.offer);
    const context = await browser.newContext({
      viewport: { width: 1000, height: 800 },
      acceptDownloads: true,
    });
    const asked = await playOutside(context);
    const page = await context.newPage();
    page.setDefaultTimeout(60_000);
    const log = await ProbeLog.open(context);
    const session = new HostSession({ page, server, log }, setting);
    session.asked = asked;
    await overhear(context, session);
    if (request.frameDelay) await delayFrames(context, page, request.frameDelay);
    try {
      await session.#show(request);
    } catch (error) {
      await session.close();
      throw error;
    }
    return session;
  }

  async #show({ tool = "show", arguments: args = {}, texts, isPlain }: HostRequest): Promise<void> {
    const { driver, page } = this;
    const call = callOf(this.server, tool, args);
    // For a streamed call the page comes first: the arguments go to its hook.
    await driver.open(page, texts ? { ...call, tool: "" } : call);
    this.#hooks = await hooksOf(driver, page);
    if (texts && this.has("stream")) await driver.stream?.(page, call, texts);
    if (!isPlain) await this.view();
  }

  has(hook: HostHook): boolean {
    return this.driver[hook] !== undefined && this.#hooks.includes(hook);
  }

  /** Opens another view in the same page, of another server if one is given. */
  async openMore(call: Partial<HostCall>, offer?: ProbeOffer): Promise<ProbeServer> {
    const server = offer ? await ProbeServer.open(offer) : this.server;
    if (offer) this.#servers.push(server);
    await this.driver.open(this.page, { ...callOf(server, "show", {}), ...call });
    return server;
  }

  /** Every frame in which a probe runs, the oldest first. */
  views(): Frame[] {
    return this.log.frames;
  }

  /** The frame of the view, which all scenarios need. */
  async view(patience: number = this.#patience): Promise<Frame> {
    const [view] = await this.atLeast(1, patience);
    if (view) return view;
    const [error] = this.errors;
    throw new NotRun(`The host never showed the view${error ? `: ${error}` : "."}`);
  }

  /** This many views, or as many as there are in time. */
  async atLeast(count: number, patience: number = this.#patience): Promise<Frame[]> {
    const until = Date.now() + patience;
    for (;;) {
      const views = this.views();
      if (views.length >= count || Date.now() > until) return views;
      await pause(40);
    }
  }

  /** Messages that the view got or sent, newest last. */
  messages(way: ProbeLine["way"], method?: string): Json[] {
    return this.log.messages(way, method);
  }

  /** Waits for a message from the Host; nothing if none comes. */
  async received(method: string, patience: number = this.#patience): Promise<Json | undefined> {
    const until = Date.now() + patience;
    for (;;) {
      const [message] = this.messages("in", method);
      if (message || Date.now() > until) return message;
      await pause(30);
    }
  }

  /** The end of the handshake; the params of the host's response. */
  async greeted(): Promise<Json> {
    const until = Date.now() + this.#patience;
    while (this.messages("out", "ui/notifications/initialized").length === 0) {
      if (Date.now() > until) throw new NotRun("The host never answered ui/initialize.");
      await pause(30);
    }
    return this.greeting;
  }

  /** The host's response to `ui/initialize`. */
  get greeting(): Json {
    const id = this.messages("out", "ui/initialize")[0]?.id;
    const answer = this.messages("in").find((message) => !message.method && message.id === id);
    return asRecord(answer?.result);
  }

  get capabilities(): Json {
    return asRecord(this.greeting.hostCapabilities);
  }

  /** A request of the view without a gesture; the whole response, `null` for none. */
  async request(method: string, params?: Json, patience = 5000): Promise<Json | null> {
    const view = await this.view();
    return view.evaluate(([name, value, time]) => probe.request(name, value, { patience: time }), [
      method,
      params,
      patience,
    ] as const);
  }

  async send(...messages: unknown[]): Promise<void> {
    await (await this.view()).evaluate((all) => {
      for (const message of all) probe.send(message);
    }, messages);
  }

  /**
   * A request that the view makes on a click, and its user's answer. `asked` tells whether there was
   * a question.
   */
  async ask(
    method: string,
    params: Json,
    { answer = "approve", patience = 6000 }: Asking = {},
  ): Promise<{ reply: Json | null; asked: boolean }> {
    const view = await this.view();
    await view.evaluate(([name, value]) => probe.arm(name, value), [method, params] as const);
    // Forced: on a busy machine a page may not paint in time, and nothing covers the button.
    await view.locator("#act").click({ force: true });
    let reply: Json | null | undefined;
    // A page that is gone with its view can't answer.
    void view
      .evaluate(() => probe.clicked)
      .then(
        (value) => {
          reply = value;
        },
        () => {
          reply = null;
        },
      );
    let asked = false;
    const until = Date.now() + patience;
    while (reply === undefined && Date.now() < until) {
      if (this.has(answer)) asked = (await this.driver[answer]?.(this.page)) || asked;
      await pause(40);
    }
    return { reply: reply ?? null, asked };
  }

  /** The elements of the frames around the View, innermost first, as seen from the page. */
  async framesAround(): Promise<{ frame: Frame; sandbox: string | null; allow: string | null }[]> {
    const around = [];
    for (
      let frame: Frame | null = await this.view();
      frame?.parentFrame();
      frame = frame.parentFrame()
    ) {
      const element = await frame.frameElement();
      const [sandbox, allow] = await Promise.all(
        ["sandbox", "allow"].map((name) => element.getAttribute(name)),
      );
      around.push({ frame, sandbox: sandbox ?? null, allow: allow ?? null });
    }
    return around;
  }

  /** All text in the host's own page, not in its frames. */
  pageText(): Promise<string> {
    return this.page.evaluate(() => {
      const read = (root: ParentNode): string =>
        [...root.querySelectorAll("*")]
          .map((element) => {
            const own = [...element.childNodes].filter(({ nodeType }) => nodeType === 3);
            const words = element.matches("script, style")
              ? ""
              : own.map((node) => node.textContent).join(" ");
            return `${words} ${element.shadowRoot ? read(element.shadowRoot) : ""}`;
          })
          .join(" ");
      return read(document);
    });
  }

  quiet(milliseconds = 400): Promise<void> {
    return pause(milliseconds);
  }

  async close(): Promise<void> {
    for (const server of this.#servers) server.close();
    await this.#context.close();
  }
}

function callOf({ url }: ProbeServer, tool: string, args: Json): HostCall {
  return { server: url, command: probeCommand(url), tool, arguments: args };
}

async function hooksOf(driver: HostDriver, page: Page): Promise<readonly HostHook[]> {
  const all = Object.keys(driver).filter((name) => name !== "open" && name !== "available");
  return driver.available ? driver.available(page) : (all as HostHook[]);
}

/** A sandbox on a slow network: messages sent before it has loaded are lost. */
async function delayFrames(context: BrowserContext, page: Page, time: number): Promise<void> {
  await context.route("**/*", async (route) => {
    const request = route.request();
    const isFrame = request.isNavigationRequest() && request.frame() !== page.mainFrame();
    if (isFrame) await pause(time);
    await route.fallback();
  });
}
