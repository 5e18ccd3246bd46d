// The minimal View without an SDK: as much of the protocol as a careful author would write.
// No errors, no timeouts, no early or late listeners, no teardown: a floor, not a model.

// A tool result, and what else the Host's messages carry that this View reads.
interface Result {
  content: Array<{ text: string }>;
  arguments?: object;
}

const output = document.querySelector("output") as HTMLOutputElement;
const button = document.querySelector("button") as HTMLButtonElement;
const root = document.documentElement;
const pending = new Map<number, (result: Result) => void>();
const listeners: Record<string, (params: Result) => void> = {};
let lastId = 0;

function send(message: object): void {
  parent.postMessage({ jsonrpc: "2.0", ...message }, "*");
}

function request(method: string, params: object): Promise<Result> {
  return new Promise((resolve) => {
    pending.set(++lastId, resolve);
    send({ id: lastId, method, params });
  });
}

function show({ content: [block] }: Result): void {
  if (block) output.textContent = block.text;
}

addEventListener("message", (event) => {
  // Source and origin before data, as ours does: Chromium clones lazily, and across origins a large
  // message takes several times as long to read if its source wasn't read first.
  if (event.source !== parent || !event.origin) return;
  const { id, method, params, result } = event.data;
  if (method) listeners[method]?.(params);
  else {
    pending.get(id)?.(result);
    pending.delete(id);
  }
});

listeners["ui/notifications/tool-result"] = show;
button.onclick = async () => show(await roll());

request("ui/initialize", {
  protocolVersion: "2026-01-26",
  appInfo: { name: "Dice", version: "1.0.0" },
  appCapabilities: {},
}).then(() => {
  send({ method: "ui/notifications/initialized" });
  new ResizeObserver(() => {
    const params = { width: innerWidth, height: root.scrollHeight };
    send({ method: "ui/notifications/size-changed", params });
  }).observe(root);
});

/** Calls the tool, as the button does. */
export function roll(): Promise<Result> {
  return request("tools/call", { name: "roll", arguments: { sides: 6 } });
}

/** For the bench alone: nobody imports it in a plain build, so it costs no byte there. */
export function onPartial(listener: (params: Result) => void): void {
  listeners["ui/notifications/tool-input-partial"] = listener;
}
