// A sandbox on the bare wire that does everything in the rules, and does each wrong on demand.

import type { Json } from "../../src/json.ts";
import { policyOf } from "../../src/targets/view-csp.ts";
import { type Served, serve } from "../self/serving.ts";

/** The rules that it can break, one by one. */
export type SandboxFault =
  | "opaque"
  | "never-ready"
  | "ready-early"
  | "ready-twice"
  | "no-policy"
  | "latin"
  | "frames-open"
  | "base-open"
  | "objects-open"
  | "loose-default"
  | "drops-unknown"
  | "drops-answers"
  | "relays-reserved"
  | "asks"
  | "flags-ignored"
  | "any-window"
  | "any-host";

/** Serves it; the fault, the host and the view's domains are in its address. */
export async function serveWireSandbox(): Promise<Served & { address(fault?: string): string }> {
  const served = await serve(({ url = "/" }, response) => {
    const { pathname, searchParams } = new URL(url, "http://x");
    if (pathname !== "/sandbox.html") return void response.writeHead(404).end();
    const fault = searchParams.get("fault") ?? "";
    const policy = policyFor(fault, JSON.parse(searchParams.get("csp") || "{}"));
    if (policy) response.setHeader("content-security-policy", policy);
    response.setHeader("content-type", "text/html; charset=utf-8");
    const options = JSON.stringify({ fault, host: searchParams.get("host") }).replaceAll("<", "");
    response.end(`<!doctype html><meta charset="utf-8"><title>Sandbox</title>
<style>html, body, iframe { margin: 0; border: 0; width: 100%; height: 100%; display: block }</style>
<body><script>(${relay})(${options})</script>`);
  });
  return {
    ...served,
    address: (fault = "") =>
      `http://box.localhost:${served.port}/sandbox.html?host={host}&csp={csp}&fault=${fault}`,
  };
}

/** The header, which also applies to a frame that the page writes. */
function policyFor(fault: string, csp: Json): string {
  const strict = `${policyOf(csp)}; form-action 'none'`;
  switch (fault) {
    case "no-policy":
      return "";
    case "opaque":
      return `${strict}; sandbox allow-scripts`;
    case "frames-open":
      return strict.replace(/frame-src [^;]*/, "frame-src *");
    case "base-open":
      return strict.replace(/; base-uri [^;]*/, "");
    case "objects-open":
      return strict.replace("object-src 'none'", "object-src *");
    case "loose-default":
      return strict
        .replace("img-src", "img-src *")
        .replace("script-src", "script-src 'unsafe-eval'");
    // The header of the official example: looser than the specification's default.
    case "basic-host":
      return strict
        .replace("default-src 'none'", "default-src 'self' 'unsafe-inline'")
        .replace("script-src", "script-src 'unsafe-eval' blob: data:")
        .replace("connect-src 'none'", "connect-src 'self'")
        .replace(/; form-action.*/, "");
    default:
      return strict;
  }
}

/** Runs in the page: no SDK, and nothing outside itself. */
function relay({ fault, host }: { fault: SandboxFault | "basic-host" | ""; host: string }): void {
  const PREFIX = "ui/notifications/sandbox-";
  const KNOWN = /^(ui\/notifications\/tool-|ping)/;
  const own = window.origin;
  const frame = document.createElement("iframe");
  const FLAGS = "allow-scripts allow-same-origin";
  frame.setAttribute("sandbox", fault === "basic-host" ? `${FLAGS} allow-forms` : FLAGS);
  document.body.append(frame);
  let isShown = false;

  const show = ({ html, sandbox, permissions }: Json): void => {
    if (isShown && fault !== "basic-host") return;
    isShown = true;
    if (typeof sandbox === "string" && fault !== "flags-ignored") {
      frame.setAttribute("sandbox", sandbox);
    }
    const features: Json = {
      camera: "camera",
      microphone: "microphone",
      geolocation: "geolocation",
    };
    const names = Object.keys(permissions ?? {}).map((name) => features[name] ?? "clipboard-write");
    frame.allow = names.join("; ");
    const text = fault === "latin" ? unescape(encodeURIComponent(html)) : html;
    const isReachable = frame.getAttribute("sandbox")?.includes("allow-same-origin");
    if (!isReachable || typeof sandbox === "string" || fault === "opaque") {
      frame.srcdoc = text;
      return;
    }
    const view = frame.contentDocument as Document;
    view.open();
    view.write(text);
    view.close();
  };
  const isReserved = (data: Json): boolean => {
    if (fault === "relays-reserved") return false;
    return typeof data.method === "string" && data.method.startsWith(PREFIX);
  };
  const fromHost = (data: Json): void => {
    if (data.method === `${PREFIX}resource-ready`) show(data.params ?? {});
    else if (isReserved(data)) return;
    else if (fault !== "drops-unknown" || !data.method || KNOWN.test(data.method)) {
      frame.contentWindow?.postMessage(data, "*");
    }
  };
  const fromView = (data: Json): void => {
    // The official example lets a view send messages in the sandbox's name.
    if (isReserved(data) && fault !== "basic-host") return;
    if (fault === "drops-answers" && data.method === undefined) return;
    parent.postMessage(data, fault === "any-host" ? "*" : host);
  };
  const receive = ({ source, origin, data }: MessageEvent): void => {
    if (typeof data !== "object" || data === null) return;
    const isHost = source === parent && (origin === host || fault === "any-host");
    const isView = source === frame.contentWindow && (origin === own || origin === "null");
    if (isHost) fromHost(data);
    else if (isView) fromView(data);
    else if (fault === "any-window") {
      fromHost(data);
      fromView(data);
    }
  };
  const listen = (): void => addEventListener("message", receive);
  if (fault === "ready-early") setTimeout(listen, 400);
  else listen();
  const ready = { jsonrpc: "2.0", method: `${PREFIX}proxy-ready`, params: {} };
  if (fault === "never-ready") return;
  const target = fault === "any-host" ? "*" : host;
  parent.postMessage(ready, target);
  if (fault === "ready-twice") setTimeout(() => parent.postMessage(ready, target), 50);
  if (fault === "asks") parent.postMessage({ jsonrpc: "2.0", id: "own", method: "ping" }, target);
}
