import { type HostDriver, pageDriver } from "../host/driver.ts";
import { type BrowserLease, type BrowserOptions, leaseBrowser, reachable } from "./browser.ts";
import { type HostRequest, HostSession } from "./host-session.ts";

/** A host to test. */
export interface HostTargetOptions extends BrowserOptions {
  /**
   * Address of its page, which shows the view of a tool call: `{server}`, `{tool}` and `{arguments}`
   * in it are replaced; without any they are added as parameters.
   */
  url: string;
  /** Selectors of the buttons with which a user accepts and declines. */
  approve?: string;
  deny?: string;
  /** For a host that must be operated in another way. */
  driver?: HostDriver;
  /** Time limit in milliseconds for showing a view; default 10 s. */
  patience?: number;
}

/** A host, and the browser in which its page is opened. */
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

  /** Shows a probe view in its own browser context. */
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
