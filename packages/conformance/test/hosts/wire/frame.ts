// A view's area in the page: the card, the frame of the sandbox, its messages.

import type { Json } from "../../../src/json.ts";
import { fault } from "./fault.ts";

const PREFIX = "ui/notifications/sandbox-";

/** The view to show. */
export interface FrameOptions {
  html: string;
  meta: Json;
  /** The server's address, which decides the origin of its views. */
  server: string;
  onMessage(message: Json): void;
}

/** A card with the view's frame in it. */
export class WireFrame {
  readonly card: HTMLElement = document.createElement("section");
  readonly frame: HTMLIFrameElement = document.createElement("iframe");
  readonly #onMessage: (message: Json) => void;
  readonly #listener = (event: MessageEvent): void => this.#receive(event);
  readonly #resource: Json;
  #isSent = false;

  constructor({ html, meta, server, onMessage }: FrameOptions) {
    this.#onMessage = onMessage;
    const csp = cspOf(meta.csp);
    this.#resource = { html, csp, ...(meta.permissions && { permissions: meta.permissions }) };
    const { style } = this.card;
    const isFramed = meta.prefersBorder !== false || fault === "border-always";
    style.cssText = "position:relative;margin:8px 0;width:800px";
    style.border = isFramed && fault !== "unbounded" ? "1px solid grey" : "0";
    this.frame.style.cssText = "border:0;display:block;width:100%;height:150px";
    addEventListener("message", this.#listener);
    this.card.append(this.frame);
    document.body.append(this.card);
    if (fault === "direct") this.frame.srcdoc = html;
    else this.#load(csp, server, meta.permissions ?? {});
  }

  #load(csp: Json, server: string, permissions: Json): void {
    const sandbox = "allow-scripts allow-same-origin allow-forms";
    if (fault !== "outer-open") this.frame.setAttribute("sandbox", sandbox);
    const features = Object.keys(permissions).map((name) =>
      name === "clipboardWrite" ? "clipboard-write" : name,
    );
    this.frame.allow = features.map((name) => `${name} *`).join("; ");
    const box = document.documentElement.dataset.sandbox ?? "";
    const name = fault === "one-origin" ? "box" : `box${new URL(server).port}`;
    const address = new URL(box.replace("//box.", `//${name}.`));
    address.searchParams.set("host", location.origin);
    address.searchParams.set("csp", JSON.stringify(csp));
    const passed = fault === "no-policy" || fault === "loose-default" ? fault : "";
    address.searchParams.set("fault", passed);
    this.frame.src = String(address);
    if (fault === "resource-early") this.#sendResource();
  }

  #sendResource(): void {
    if (this.#isSent) return;
    this.#isSent = true;
    this.post({ method: `${PREFIX}resource-ready`, params: this.#resource });
  }

  #receive({ source, data }: MessageEvent): void {
    if (source !== this.frame.contentWindow && fault !== "unvalidated") return;
    if (typeof data !== "object" || data === null || data.jsonrpc !== "2.0") return;
    if (data.method === `${PREFIX}proxy-ready`) this.#sendResource();
    else this.#onMessage(data);
  }

  post(message: Json): void {
    this.frame.contentWindow?.postMessage({ jsonrpc: "2.0", ...message }, "*");
  }

  get width(): number {
    return this.frame.clientWidth;
  }

  /** The size that a view reports; its width is the page's. */
  resize({ width, height }: Json): void {
    if (fault === "size-of-view" && width > 0) this.frame.style.width = `${width}px`;
    if (fault === "size-ignored" || typeof height !== "number" || !(height > 0)) return;
    const most = fault === "unbounded" ? 1e9 : 5000;
    if (Number.isFinite(height)) this.frame.style.height = `${Math.min(height, most)}px`;
  }

  fill(isFull: boolean): void {
    const { style } = this.card;
    style.position = isFull ? "fixed" : "relative";
    style.inset = isFull ? "0" : "";
  }

  remove(): void {
    removeEventListener("message", this.#listener);
    this.card.remove();
  }
}

function cspOf(csp: Json = {}): Json {
  if (fault === "domains-ignored") return {};
  if (fault !== "domains-merged") return csp;
  const all = Object.values(csp).flat();
  return { connectDomains: all, resourceDomains: all };
}
