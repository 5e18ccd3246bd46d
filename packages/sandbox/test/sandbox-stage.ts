import { createSandbox, type Sandbox, type SandboxConfig } from "../src/handler.ts";
import type { OriginsConfig } from "../src/origins.ts";

export const KEY = "0123456789abcdef0123456789abcdef";
export const HOST = "https://chat.example";
export const PROXY = "https://proxy.usercontent.example";
export const HTML = "<!doctype html><title>é</title>";

/** The headers that a browser sends when it loads a frame. */
export const FRAME: Record<string, string> = {
  "sec-fetch-dest": "iframe",
  "sec-fetch-mode": "navigate",
  "sec-fetch-site": "cross-site",
};
/** What a browser sends when the entrance's script registers a View, the token aside. */
export const ENTRANCE: Record<string, string> = {
  origin: PROXY,
  "sec-fetch-site": "same-origin",
  "sec-fetch-mode": "cors",
  "sec-fetch-dest": "empty",
  "content-type": "application/json",
};
export const DOMAIN: OriginsConfig = {
  tier: "domain",
  hosts: [HOST],
  domain: "https://usercontent.example",
  key: KEY,
};
export const SINGLE: OriginsConfig = { tier: "single-origin", hosts: [HOST], key: KEY };

/** A Sandbox with a clock that stands still until told; it accepts anonymous registrations. */
export class Stage {
  now = 1_000_000;
  readonly sandbox: Sandbox;

  constructor(config: Partial<SandboxConfig> = {}) {
    this.sandbox = createSandbox({
      origins: DOMAIN,
      registration: "anonymous",
      clock: () => this.now,
      ...config,
    });
  }

  /** Registers a View and reads from its page where its document is. */
  async open(
    view: Partial<Parameters<Sandbox["register"]>[0]> = {},
  ): Promise<Awaited<ReturnType<Sandbox["register"]>> & { viewUrl: string; page: Response }> {
    const registered = await this.sandbox.register({
      server: "weather",
      resource: "ui://weather/main",
      html: HTML,
      ...view,
    });
    const page = await this.frame(registered.proxyUrl);
    const viewUrl = String(settings(await page.clone().text()).view);
    return { ...registered, viewUrl, page };
  }

  get(url: string, headers: Record<string, string> = {}): Promise<Response> {
    return this.sandbox.fetch(new Request(url, { headers }));
  }

  frame(url: string, headers: Record<string, string> = {}): Promise<Response> {
    return this.get(url, { ...FRAME, ...headers });
  }

  post(
    url: string,
    body: BodyInit,
    headers: Record<string, string> = ENTRANCE,
    address?: string,
  ): Promise<Response> {
    return this.sandbox.fetch(
      new Request(url, { method: "POST", headers, body, duplex: "half" } as RequestInit),
      { address },
    );
  }

  /** A token as the entrance's page carries it. */
  async token(): Promise<string> {
    const page = await this.frame(`${PROXY}/`);
    return String(settings(await page.text()).token);
  }

  /** Registers through the entrance. */
  async enter(
    registration: object = {},
    headers: Record<string, string> = ENTRANCE,
  ): Promise<Response> {
    const body = JSON.stringify({ html: HTML, ...registration });
    return this.postView(body, headers);
  }

  /** Sends a body to where Views are registered, with a token of its own unless one is given. */
  async postView(
    body: BodyInit,
    headers: Record<string, string> = ENTRANCE,
    address?: string,
  ): Promise<Response> {
    const token = await this.token();
    return this.post(`${PROXY}/views`, body, { "vitrine-token": token, ...headers }, address);
  }
}

/** The data next to the script of a page. */
export function settings(html: string): Record<string, unknown> {
  const [, escaped = "{}"] = /data-vitrine="([^"]*)"/.exec(html) ?? [];
  const text = escaped
    .replaceAll("&#39;", "'")
    .replaceAll("&quot;", '"')
    .replaceAll("&gt;", ">")
    .replaceAll("&lt;", "<")
    .replaceAll("&amp;", "&");
  return JSON.parse(text);
}

/** The directives of a response's policy. */
export function directives(response: Response): Map<string, string> {
  const header = response.headers.get("content-security-policy") ?? "";
  return new Map(
    header.split("; ").map((directive) => {
      const at = directive.indexOf(" ");
      return at < 0 ? [directive, ""] : [directive.slice(0, at), directive.slice(at + 1)];
    }),
  );
}
