// The suite's own hand-written view: it records all messages and follows the scenario's commands.

import type { Json } from "../json.ts";

/** How a probe view behaves. */
export interface ProbePlan {
  /** Sends `ui/initialize` as a view does; a sandbox is tested without. */
  greets?: boolean;
  appCapabilities?: Json;
  /** Sends `ping` before anything else. */
  pingsFirst?: boolean;
  /** Milliseconds between the host's response and `initialized`. */
  initializedAfter?: number;
  /** Milliseconds before it agrees to be torn down. */
  teardownAfter?: number;
  /** Tools that it offers to its host, and the result of each. */
  tools?: readonly { tool: Json; result?: Json; silent?: boolean; bytes?: number }[];
}

/** One message and its time in milliseconds since 1970. `here` is the probe itself, at its start. */
export interface ProbeLine {
  /** The probe that sent it, and its index. */
  probe: string;
  number: number;
  at: number;
  way: "in" | "out" | "here";
  message: Json;
}

/** What the probe offers to a scenario that accesses its frame. */
export interface Probe {
  lines: ProbeLine[];
  violations: { directive: string; blocked: string }[];
  send(message: unknown): void;
  /** The whole response, or `null` if none comes in time. */
  request(
    method: string,
    params?: Json,
    options?: { id?: unknown; patience?: number },
  ): Promise<Json | null>;
  /** A request that the next click makes, because browsers and hosts require a gesture. */
  arm(method: string, params: Json): void;
  /** Its outcome. */
  clicked: Promise<Json | null>;
}

/** In the document, to check that it arrives unchanged. */
export const PROBE_MARK: string = "ü – 漢 \u{1f642}";

/** The document of a probe. */
export function probeDocument(plan: ProbePlan = {}): string {
  // `<` cannot end the script element early.
  const options = JSON.stringify(plan).replaceAll("<", "\\u003c");
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>Probe</title>
<style>html, body { margin: 0; color: rgb(1, 2, 3) }</style></head>
<body><p id="mark">${PROBE_MARK}</p><button id="act">Act</button>
<script>(${probeView})(${options})</script></body></html>`;
}

/** Runs in the frame as text, so it may not use anything outside itself. */
function probeView(plan: ProbePlan): void {
  const lines: ProbeLine[] = [];
  const violations: Probe["violations"] = [];
  const waiting = new Map<unknown, (answer: Json) => void>();
  let lastId = 0;
  let armed: { method: string; params: Json } | undefined;
  const now = (): number => performance.timeOrigin + performance.now();
  const name = Math.random().toString(36).slice(2);
  const tell = (line: ProbeLine): Promise<unknown> => {
    const { conformanceLine } = window as unknown as {
      conformanceLine?: (line: ProbeLine) => Promise<unknown>;
    };
    return conformanceLine?.(line) ?? new Promise(() => {});
  };
  const note = (way: ProbeLine["way"], message: Json): void => {
    // Files aren't recorded: sending them out would be a flood itself.
    const isLarge = (JSON.stringify(message) ?? "").length > 100_000;
    const shown = isLarge ? { id: message.id, method: message.method } : message;
    const line = { probe: name, number: lines.length, at: now(), way, message: shown };
    lines.push(line);
    // The suite receives it at once: a frame that is removed can't be queried any more.
    void tell(line);
  };
  // A new frame isn't observed yet, so the first lines are repeated until one is acknowledged.
  const greetSuite = (): void => {
    const [first] = lines;
    let isAcknowledged = false;
    if (first) {
      void tell(first).then(() => {
        isAcknowledged = true;
      });
    }
    setTimeout(() => {
      if (isAcknowledged) return;
      for (const line of lines) void tell(line);
      if (lines.length < 100) greetSuite();
    }, 100);
  };
  const send = (message: unknown): void => {
    note("out", message as Json);
    parent.postMessage(message, "*");
  };
  const request: Probe["request"] = (method, params, { id = lastId++, patience = 8000 } = {}) =>
    new Promise((resolve) => {
      waiting.set(id, resolve);
      setTimeout(() => resolve(null), patience);
      send({ jsonrpc: "2.0", id, method, ...(params && { params }) });
    });
  const wait = (time = 0): Promise<void> => new Promise((resolve) => setTimeout(resolve, time));
  const answer = (id: unknown, rest: Json): void => send({ jsonrpc: "2.0", id, ...rest });

  const callTool = (id: unknown, { name }: Json): void => {
    const entry = plan.tools?.find(({ tool }) => tool.name === name);
    if (entry?.silent) return;
    const error = { code: -32602, message: "No such tool" };
    const text = entry?.bytes ? "x".repeat(entry.bytes) : "Done.";
    const result = entry?.result ?? { content: [{ type: "text", text }] };
    answer(id, entry ? { result } : { error });
  };
  const take = async ({ id, method, params }: Json): Promise<void> => {
    if (method === "ui/resource-teardown") {
      await wait(plan.teardownAfter);
      answer(id, { result: {} });
    } else if (method === "ping") answer(id, { result: {} });
    else if (method === "tools/list" && plan.tools) {
      answer(id, { result: { tools: plan.tools.map(({ tool }) => tool) } });
    } else if (method === "tools/call" && plan.tools) callTool(id, params);
    else if (/^tasks\//.test(method) && plan.tools) answer(id, { result: { echoed: params } });
    else answer(id, { error: { code: -32601, message: "Method not found" } });
  };
  addEventListener("message", ({ source, data }) => {
    if (source !== parent || typeof data !== "object" || data === null) return;
    note("in", data);
    if (data.method === undefined) waiting.get(data.id)?.(data);
    else if (data.id !== undefined && plan.greets) void take(data);
  });
  addEventListener("securitypolicyviolation", ({ effectiveDirective, blockedURI }) => {
    violations.push({ directive: effectiveDirective, blocked: blockedURI });
  });

  const probe: Probe = {
    lines,
    violations,
    send,
    request,
    clicked: Promise.resolve(null),
    arm: (method, params) => {
      armed = { method, params };
    },
  };
  const press = document.getElementById("act") as HTMLButtonElement;
  press.onclick = () => {
    if (!armed) return;
    probe.clicked = request(armed.method, armed.params, { patience: 20_000 });
    armed = undefined;
  };
  (window as unknown as { probe: Probe }).probe = probe;
  note("here", {});
  greetSuite();
  if (!plan.greets) return;
  if (plan.pingsFirst) void request("ping", undefined, { id: "early" });
  void request(
    "ui/initialize",
    {
      protocolVersion: "2026-01-26",
      appInfo: { name: "conformance-probe", version: "1.2.3" },
      appCapabilities: plan.appCapabilities ?? {},
    },
    { patience: 60_000 },
  ).then(async (greeting) => {
    if (!greeting?.result) return;
    await wait(plan.initializedAfter);
    send({ jsonrpc: "2.0", method: "ui/notifications/initialized" });
  });
}
