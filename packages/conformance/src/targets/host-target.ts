import { type HostDriver, pageDriver } from "../host/driver.ts";
import { type BrowserLease, type BrowserOptions, leaseBrowser, reachable } from "./browser.ts";
import { type HostRequest, HostSession } from "./host-session.ts";

/** A Host to be judged. */
export interface HostTargetOptions extends BrowserOptions {
  /**
   * Address of its page, which shows the View of a tool call: `{server}`, `{tool}` and `{arguments}` in
   * it are those of the call; without any they are added as parameters.
   */
  url: string;
  /** Selectors of the buttons with which a user says yes and no. */
  approve?: string;
  deny?: string;
  /** For a Host that has to be handled in another way. */
  driver?: HostDriver;
  /** How long a Host may take to show a View, in milliseconds; default 10 s. */
  patience?: number;
}

/** A Host, and the browser in which its page is opened. */
export class HostTarget {
  readonly subject: string;
  readonly #options: HostTargetOptions;
  readonly #driver: HostDriver;
  #lease: BrowserLease | undefined;

  constructor(options: HostTargetOptions) {
    this.#options = options;
    this.subject = options.url;
    this.#driver = options.driver ?? pageDriver(options);
  }

  async start(): Promise<void> {
    await reachable(this.#options.url.replaceAll(/\{\w+\}/g, ""));
    this.#lease = await leaseBrowser(this.#options);
  }

  /** Shows a probe View in a browser context of its own. */
  open(request: HostRequest): Promise<HostSession> {
    if (!this.#lease) throw new Error("The target has not been started.");
    return HostSession.open({
      browser: this.#lease.browser,
      driver: this.#driver,
      patience: this.#options.patience ?? 10_000,
      request,
    });
  }

  async close(): Promise<void> {
    await this.#lease?.close();
    this.#lease = undefined;
  }
}
