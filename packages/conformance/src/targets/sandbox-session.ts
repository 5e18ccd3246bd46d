import type { BrowserContext, Frame, Page } from "playwright-core";
import { pause } from "../deadline.ts";
import type { Json } from "../json.ts";
import { NotRun } from "../scenario.ts";
import type { BrowserLease } from "./browser.ts";
import { ProbeLog } from "./probe-log.ts";
import { type Probe, type ProbePlan, probeDocument } from "./probe-view.ts";
import { OUTSIDE, playOutside } from "./reach.ts";
import {
  PROXY_READY,
  type ReceivedMessage,
  type SandboxHost,
  sandboxPage,
} from "./sandbox-page.ts";

declare const host: SandboxHost;
declare const probe: Probe;

/** Options of a sandbox session. */
export interface SandboxRequest {
  /** The content of `sandbox-resource-ready` besides the HTML. */
  csp?: Json;
  permissions?: Json;
  sandbox?: string;
  plan?: ProbePlan;
  /** No resource is sent; the scenario does it. */
  withoutResource?: boolean;
  /** Origin of the host's page, if not the target's. */
  origin?: string;
}

/** A sandbox in the page of a strict host. */
export class SandboxSession {
  /** External addresses that were requested. */
  readonly asked: readonly string[];
  readonly #context: BrowserContext;
  readonly #page: Page;
  readonly #patience: number;
  readonly #received: ReceivedMessage[] = [];
  readonly #log: ProbeLog;

  private constructor(context: BrowserContext, { page, log, asked, patience }: SessionParts) {
    this.#context = context;
    this.#page = page;
    this.#log = log;
    this.asked = asked;
    this.#patience = patience;
  }

  static async open(
    { browser }: BrowserLease,
    { url, origin, patience, request }: SandboxSetting,
  ): Promise<SandboxSession> {
    const { csp, permissions, sandbox, plan, withoutResource } = request;
    const context = await browser.newContext({ viewport: { width: 800, height: 600 } });
    const asked = await playOutside(context);
    const html = probeDocument(plan);
    const resource = withoutResource
      ? undefined
      : {
          html,
          ...(csp && { csp }),
          ...(permissions && { permissions }),
          ...(sandbox && { sandbox }),
        };
    // Every host has a page under this path; a sandbox of the same origin keeps all its others.
    await context.route(`${origin}/conformance-host`, (route) =>
      route.fulfill({
        contentType: "text/html; charset=utf-8",
        body: pageOf({ url, ...(resource && { resource }) }),
      }),
    );
    const page = await context.newPage();
    const log = await ProbeLog.open(context);
    const session = new SandboxSession(context, { page, log, asked, patience });
    await context.exposeBinding(
      "conformanceReceived",
      (_, one) => void session.#received.push(one),
    );
    await page.goto(`${origin}/conformance-host`, { waitUntil: "domcontentloaded" });
    return session;
  }

  /** Messages to the host's window, in order. */
  get received(): readonly ReceivedMessage[] {
    return this.#received;
  }

  /** Messages through the sandbox, without its own. */
  relayed(): Json[] {
    return this.#received
      .filter(({ isSandbox, message }) => isSandbox && message.method !== PROXY_READY)
      .map(({ message }) => message);
  }

  /** Waits for the sandbox to be ready; nothing if it never is. */
  async ready(patience: number = this.#patience): Promise<ReceivedMessage | undefined> {
    const until = Date.now() + patience;
    for (;;) {
      const ready = this.#received.find(({ message }) => message.method === PROXY_READY);
      if (ready || Date.now() > until) return ready;
      await pause(25);
    }
  }

  /** The frame in which the probe runs; nothing if it never does. */
  async view(patience: number = this.#patience): Promise<Frame | undefined> {
    const until = Date.now() + patience;
    while (this.#log.frames.length === 0 && Date.now() < until) await pause(25);
    return this.#log.frames[0];
  }

  /** The same, required by all scenarios. */
  async shown(): Promise<Frame> {
    const view = await this.view();
    if (!view) throw new NotRun("The sandbox never showed the view that it was sent.");
    return view;
  }

  /** The messages that the view received. */
  viewReceived(): Json[] {
    return this.#log.messages("in");
  }

  /** Posts to the sandbox as the host. */
  async send(...messages: unknown[]): Promise<void> {
    await this.#page.evaluate((all) => {
      for (const message of all) host.send(message);
    }, messages);
  }

  /** Posts to the host as the view. */
  async sendFromView(...messages: unknown[]): Promise<void> {
    await (await this.shown()).evaluate((all) => {
      for (const message of all) probe.send(message);
    }, messages);
  }

  /** A window of another origin next to the sandbox, which posts to it. */
  async forge(message: unknown): Promise<void> {
    const url = `${OUTSIDE.undeclared}/page/foreign`;
    if (!this.#page.frames().some((frame) => frame.url() === url)) {
      await this.#page.evaluate((src) => {
        const foreign = document.createElement("iframe");
        foreign.src = src;
        document.body.append(foreign);
        return new Promise((resolve) => {
          foreign.onload = resolve;
        });
      }, url);
    }
    const foreign = this.#page.frames().find((frame) => frame.url() === url);
    await foreign?.evaluate((value) => parent.frames[0]?.postMessage(value, "*"), message);
  }

  /** Posts to the sandbox's window from inside a frame of the view. */
  async forgeInside(message: unknown): Promise<void> {
    const url = `${OUTSIDE.frame}/page/inside`;
    await (await this.shown()).evaluate((src) => {
      const inner = document.createElement("iframe");
      inner.src = src;
      document.body.append(inner);
      return new Promise((resolve) => {
        inner.onload = resolve;
        setTimeout(resolve, 2000);
      });
    }, url);
    const inner = this.#page.frames().find((frame) => frame.url() === url);
    await inner?.evaluate((value) => parent.parent.postMessage(value, "*"), message);
  }

  canReach(): Promise<boolean> {
    return this.#page.evaluate(() => host.canReach());
  }

  /** Time for messages that should not arrive. */
  quiet(milliseconds = 300): Promise<void> {
    return pause(milliseconds);
  }

  close(): Promise<void> {
    return this.#context.close();
  }
}

interface SessionParts {
  page: Page;
  log: ProbeLog;
  asked: readonly string[];
  patience: number;
}

/** Where a sandbox is, and the page that contains it. */
export interface SandboxSetting {
  url: string;
  origin: string;
  patience: number;
  request: SandboxRequest;
}

// The specification's flags for the sandbox's frame, and no more; every feature that a view may get.
const FLAGS = "allow-scripts allow-same-origin";
const ALLOW = "camera; microphone; geolocation; clipboard-write";

function pageOf(script: { url: string; resource?: Json }): string {
  // `<` cannot end the script element early.
  const options = JSON.stringify(script).replaceAll("<", "\\u003c");
  return `<!doctype html><meta charset="utf-8"><title>Host</title>
<body style="margin:0"><iframe sandbox="${FLAGS}" allow="${ALLOW}" style="border:0;width:640px;height:400px"></iframe>
<script>(${sandboxPage})(${options})</script>`;
}
