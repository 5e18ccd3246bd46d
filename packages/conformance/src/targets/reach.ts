// Every way in which a document can reach the network, and its outcome.

import type { BrowserContext, Frame } from "playwright-core";
import { pause } from "../deadline.ts";
import type { Probe } from "./probe-view.ts";

declare const probe: Probe;

/** A way out of a document. */
export type Way =
  | "fetch"
  | "xhr"
  | "beacon"
  | "events"
  | "socket"
  | "image"
  | "script"
  | "style"
  | "font"
  | "media"
  | "frame"
  | "object"
  | "embed"
  | "form"
  | "prefetch";

/** Ways that `connectDomains` opens, and those that `resourceDomains` does. */
export const CONNECTING: readonly Way[] = ["fetch", "xhr", "beacon", "events", "socket"];
export const LOADING: readonly Way[] = ["image", "script", "style", "font", "media"];

/** Servers that don't exist: the suite answers for them, and records the requests. */
export const OUTSIDE: {
  [Name in "connect" | "resource" | "frame" | "base" | "undeclared"]: string;
} = {
  connect: "https://api.example.com",
  resource: "https://cdn.example.com",
  frame: "https://frames.example.com",
  base: "https://base.example.com",
  undeclared: "https://undeclared.example.net",
};

/** Plays the outside world in a context; returns the list of requested addresses. */
export async function playOutside(context: BrowserContext): Promise<string[]> {
  const asked: string[] = [];
  await context.route(/^https:\/\/[a-z]+\.example\.(com|net)\//, (route) => {
    const url = route.request().url();
    asked.push(url);
    const kind = new URL(url).pathname.split("/")[1] ?? "";
    const types: Record<string, string> = {
      script: "text/javascript",
      style: "text/css",
      events: "text/event-stream",
      frame: "text/html",
      page: "text/html",
      image: "image/svg+xml",
    };
    return route.fulfill({
      headers: { "access-control-allow-origin": "*" },
      contentType: types[kind] ?? "text/plain",
      body: kind === "image" ? '<svg xmlns="http://www.w3.org/2000/svg"/>' : "",
    });
  });
  return asked;
}

/**
 * Tries these ways to an origin, all at once; returns those that reached it. A WebSocket can't be
 * observed from outside without replacing it, so the document's own report decides.
 */
export async function reaches(
  frame: Frame,
  asked: readonly string[],
  origin: string,
  ways: readonly Way[],
): Promise<Way[]> {
  const mark = Math.random().toString(36).slice(2);
  await frame.evaluate(goOut, { origin, ways: [...ways], mark });
  const until = Date.now() + 600;
  const found = (): Way[] =>
    ways.filter((way) => asked.some((url) => url.includes(`/${way}/${mark}`)));
  const expected = ways.filter((way) => way !== "socket").length;
  while (found().length < expected && Date.now() < until) await pause(50);
  const blocked = await frame.evaluate(() => probe.violations.map(({ blocked }) => blocked));
  const host = origin.replace(/^https/, "wss");
  const isSocketBlocked = blocked.some((uri) => uri.startsWith(host));
  const socket: Way[] = ways.includes("socket") && !isSocketBlocked ? ["socket"] : [];
  return [...found(), ...socket];
}

/** In the View. */
function goOut({ origin, ways, mark }: { origin: string; ways: Way[]; mark: string }): void {
  const element = (tag: string, properties: Record<string, unknown>): HTMLElement => {
    const made = Object.assign(document.createElement(tag), properties);
    document.body.append(made);
    return made;
  };
  const url = (way: Way): string => `${origin}/${way}/${mark}`;
  const actions: Record<Way, () => unknown> = {
    fetch: () => fetch(url("fetch"), { mode: "no-cors" }).catch(() => {}),
    xhr: () => {
      const request = new XMLHttpRequest();
      request.open("GET", url("xhr"));
      request.send();
    },
    beacon: () => navigator.sendBeacon(url("beacon"), ""),
    events: () => new EventSource(url("events")),
    socket: () => new WebSocket(url("socket").replace(/^https/, "wss")),
    image: () => element("img", { src: url("image") }),
    script: () => element("script", { src: url("script") }),
    style: () => element("link", { rel: "stylesheet", href: url("style") }),
    font: () => new FontFace("outside", `url(${url("font")})`).load().catch(() => {}),
    media: () => element("audio", { src: url("media"), preload: "auto" }),
    frame: () => element("iframe", { src: url("frame") }),
    object: () => element("object", { data: url("object"), type: "text/html" }),
    embed: () => element("embed", { src: url("embed"), type: "text/html" }),
    form: () => {
      const target = element("iframe", { name: "away", hidden: true }) as HTMLIFrameElement;
      const form = element("form", { action: url("form"), method: "post", target: target.name });
      (form as HTMLFormElement).submit();
    },
    prefetch: () => element("link", { rel: "prefetch", href: url("prefetch") }),
  };
  for (const way of ways) {
    try {
      void actions[way]();
    } catch {
      // Blocked at once.
    }
  }
}

/** Whether the view may run text as code, which the default policy forbids. */
export function runsTextAsCode(view: Frame): Promise<boolean> {
  return view.evaluate(
    () =>
      new Promise<boolean>((resolve) => {
        // In the view's own turn: code that the suite evaluates bypasses the policy.
        setTimeout(() => {
          const script = document.createElement("script");
          script.textContent = "try { window.evaluates = new Function('return true')() } catch {}";
          document.body.append(script);
          resolve("evaluates" in window);
        });
      }),
  );
}
