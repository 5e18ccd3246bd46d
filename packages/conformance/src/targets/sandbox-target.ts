import type { Json } from "../json.ts";
import { type BrowserLease, type BrowserOptions, leaseBrowser, reachable } from "./browser.ts";
import { type SandboxRequest, SandboxSession } from "./sandbox-session.ts";

/** A sandbox to test. */
export interface SandboxTargetOptions extends BrowserOptions {
  /**
   * Its address, as a host frames it. `{host}` in it becomes the host's origin and `{csp}` the view's
   * declared domains as JSON, for a sandbox that is configured by its address. The origin is always
   * that of its host.
   */
  url: string | URL;
  /**
   * The origin of the host that the sandbox accepts: the suite plays a page of that origin. With it,
   * pages of other origins must get nothing. Without it, the host is on http://localhost:8780.
   */
  host?: string;
  /** Time limit for the sandbox to be ready, and for its view to be shown; default 8 s. */
  patience?: number;
}

const SOME_HOST = "http://localhost:8780";

/** A sandbox, and the browser in which it is framed. */
export class SandboxTarget {
  readonly subject: string;
  readonly options: SandboxTargetOptions;
  #lease: BrowserLease | undefined;

  constructor(options: SandboxTargetOptions) {
    this.options = options;
    this.subject = String(options.url);
  }

  get hostOrigin(): string {
    return this.options.host ?? SOME_HOST;
  }

  /** The sandbox's own origin, from its address. */
  get origin(): string {
    return new URL(this.#address()).origin;
  }

  async start(): Promise<void> {
    await reachable(this.#address());
    this.#lease = await leaseBrowser(this.options);
  }

  /** Frames the sandbox in its own browser context. */
  open(request: SandboxRequest = {}): Promise<SandboxSession> {
    if (!this.#lease) throw new Error("The target has not been started.");
    const origin = request.origin ?? this.hostOrigin;
    return SandboxSession.open(this.#lease, {
      url: this.#address(request.csp),
      origin,
      patience: this.options.patience ?? 8_000,
      request,
    });
  }

  async close(): Promise<void> {
    await this.#lease?.close();
    this.#lease = undefined;
  }

  #address(csp: Json = {}): string {
    return String(this.options.url)
      .replace(/\{host\}|%7Bhost%7D/gi, encodeURIComponent(this.hostOrigin))
      .replace(/\{csp\}|%7Bcsp%7D/gi, encodeURIComponent(JSON.stringify(csp)));
  }
}
