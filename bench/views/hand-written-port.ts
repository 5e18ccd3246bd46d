// The hand-written View over a port: one that its relay left in the window, or transferred with its first
// message, as ours does. Messages are objects or text. The floor of every road, and no model.

interface Result {
  content: Array<{ text: string }>;
  arguments?: object;
}

type Partner = Pick<MessagePort, "postMessage" | "onmessage">;

const left = (window as unknown as { hostPort?: MessagePort }).hostPort;
const output = document.querySelector("output") as HTMLOutputElement;
const pending = new Map<number, (result: Result) => void>();
const listeners: Record<string, (params: Result) => void> = {};
let partner: Partner = left ?? (parent as unknown as Partner);
let lastId = 0;

function send(message: object): void {
  partner.postMessage({ jsonrpc: "2.0", ...message }, { targetOrigin: "*" } as never);
}

function request(method: string, params: object): Promise<Result> {
  return new Promise((resolve) => {
    pending.set(++lastId, resolve);
    send({ id: lastId, method, params });
  });
}

function receive({ data }: MessageEvent): void {
  const { id, method, params, result } = typeof data === "string" ? JSON.parse(data) : data;
  if (method) listeners[method]?.(params);
  else {
    pending.get(id)?.(result);
    pending.delete(id);
  }
}

if (left) left.onmessage = receive;
addEventListener("message", (event) => {
  if (event.source !== parent || !event.origin) return;
  for (partner of event.ports) partner.onmessage = receive;
  receive(event);
});

listeners["ui/notifications/tool-result"] = ({ content: [block] }) => {
  if (block) output.textContent = block.text;
};

request("ui/initialize", {
  protocolVersion: "2026-01-26",
  appInfo: { name: "Dice", version: "1.0.0" },
  appCapabilities: {},
}).then(() => send({ method: "ui/notifications/initialized" }));

/** Calls the tool. */
export function roll(): Promise<Result> {
  return request("tools/call", { name: "roll", arguments: { sides: 6 } });
}

/** For the bench alone. */
export function onPartial(listener: (params: Result) => void): void {
  listeners["ui/notifications/tool-input-partial"] = listener;
}
