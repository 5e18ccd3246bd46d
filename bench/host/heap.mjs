// What large results leave behind. Only here is something attached to the browser, and only while
// nothing is timed: before the results and after them.

import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { HEAP } from "./figures.mjs";
import { toVariant } from "./variants.mjs";

const WARM_UP = 3;
const FLAGS = { flags: ["--remote-debugging-port=0"] };

/** Megabytes by which the heaps of all processes have grown: host page, relay and View together. */
export async function measureHeap({ start, name }) {
  const page = await start(FLAGS);
  try {
    const variant = toVariant(name);
    const { bytes, results } = HEAP;
    const task = { kind: "results", variant, result: bytes };
    // Buffers and compiled code that any first result brings are not what is asked about.
    await page.take({ ...task, times: WARM_UP });
    const before = await readHeaps(page.browser);
    await page.take({ ...task, times: results });
    return ((await readHeaps(page.browser)) - before) / 1e6;
  } finally {
    await page.close();
  }
}

/** Bytes in use in all heaps after a collection. */
async function readHeaps({ profile }) {
  const [port] = (await readFile(join(profile, "DevToolsActivePort"), "utf8")).split("\n");
  const targets = await (await fetch(`http://127.0.0.1:${port}/json/list`)).json();
  const pages = targets.filter(({ type }) => type === "page" || type === "iframe");
  const heaps = await Promise.all(pages.map((target) => readHeap(target.webSocketDebuggerUrl)));
  return heaps.reduce((sum, { used }) => sum + used, 0);
}

async function readHeap(url) {
  const socket = new WebSocket(url);
  const calls = new Map();
  socket.onmessage = ({ data }) => {
    const { id, result } = JSON.parse(data);
    calls.get(id)?.(result);
  };
  const call = (method) =>
    new Promise((resolve) => {
      const id = calls.size + 1;
      calls.set(id, resolve);
      socket.send(JSON.stringify({ id, method }));
    });
  await new Promise((resolve, reject) => {
    socket.onopen = resolve;
    socket.onerror = reject;
  });
  await call("HeapProfiler.enable");
  // Twice: what finalizers let go of in the first is collected in the second.
  await call("HeapProfiler.collectGarbage");
  await call("HeapProfiler.collectGarbage");
  const { usedSize } = await call("Runtime.getHeapUsage");
  socket.close();
  return { used: usedSize };
}
