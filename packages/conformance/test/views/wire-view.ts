// A view on the bare wire that does everything in the rules, and does each wrong on demand.

/** The rules that it can break, one by one. */
export type ViewFault =
  | "capabilities-elsewhere"
  | "no-initialized"
  | "modes-undeclared"
  | "mode-unoffered"
  | "mode-insists"
  | "permission-assumed"
  | "acts-on-partial"
  | "partial-crashes"
  | "size-unreported"
  | "context-replaced"
  | "teardown-unanswered"
  | "samples-anywhere"
  | "sampling-tools-anywhere"
  | "no-tools-call"
  | "no-tools-list"
  | "tools-unvalidated"
  | "tools-throw"
  | "tools-bare"
  | "list-changed-undeclared"
  | "container-ignored"
  | "no-fallback"
  | "calls-early"
  | "listens-late"
  | "ping-unanswered"
  | "unknown-answered"
  | "nonsense-crashes";

/** The document, with this fault or without any. */
export function wireView(fault?: ViewFault): string {
  const colour =
    fault === "no-fallback" ? "var(--color-text-primary)" : "var(--color-text-primary, black)";
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>Wire</title>
<style>body { margin: 0; color: ${colour} } html { overflow: auto }</style></head>
<body><output>empty</output>
<button id="mode">Mode</button><button id="sample">Sample</button><button id="copy">Copy</button>
<button id="tell">Tell</button><button id="close">Close</button><button id="tools">Tools</button>
<button id="call">Call</button>
<script>(${view})(${JSON.stringify(fault ?? "")})</script></body></html>`;
}

// biome-ignore lint/suspicious/noExplicitAny: a hand-written script.
type Message = any;

/** Runs in the frame: no SDK, and nothing outside itself. */
function view(fault: ViewFault | ""): void {
  const waiting = new Map<number, (answer: Message) => void>();
  let lastId = 0;
  let host: Message;
  let context: Message = {};
  const send = (message: object): void => parent.postMessage({ jsonrpc: "2.0", ...message }, "*");
  const request = (method: string, params: object): Promise<Message> =>
    new Promise((resolve) => {
      const id = lastId++;
      waiting.set(id, resolve);
      send({ id, method, params });
    });
  const show = (text: string): void => {
    (document.querySelector("output") as HTMLElement).textContent = text;
  };

  const applyContext = (change: Message): void => {
    if (fault === "context-replaced") context = { ...change };
    else context = { ...context, ...change };
    const { style } = document.documentElement;
    style.removeProperty("--color-text-primary");
    for (const [name, value] of Object.entries(context.styles?.variables ?? {})) {
      style.setProperty(name, value as string);
    }
    const { height, maxHeight } = context.containerDimensions ?? {};
    if (fault === "container-ignored") return;
    style.height = height ? "100%" : "";
    style.maxHeight = maxHeight ? `${maxHeight}px` : "";
  };

  const toolList = [
    {
      name: "echo",
      description: "Repeats the text.",
      inputSchema: { type: "object", properties: { text: { type: "string" } }, required: ["text"] },
    },
    { name: "fails", description: "Fails.", inputSchema: { type: "object" } },
  ];
  const callTool = ({ name, arguments: args }: Message): Message => {
    const text = (words: string, isError = false): Message => ({
      result: { content: [{ type: "text", text: words }], ...(isError && { isError }) },
    });
    if (name === "fails") {
      if (fault === "tools-throw") return { error: { code: -32603, message: "Internal error" } };
      return text("It failed.", true);
    }
    if (fault === "tools-unvalidated") return text("Anything goes.");
    if (name !== "echo") return { error: { code: -32602, message: "No such tool" } };
    return typeof args?.text === "string" ? text(args.text) : text("text is missing", true);
  };

  const requests: Record<string, (params: Message) => Message> = {
    "tools/list": () => ({
      result: {
        tools: fault === "tools-bare" ? toolList.map(({ name }) => ({ name })) : toolList,
      },
    }),
    "tools/call": callTool,
    ping: () => ({ result: {} }),
    "ui/resource-teardown": () => ({ result: {} }),
  };
  if (fault === "no-tools-call") delete requests["tools/call"];
  if (fault === "no-tools-list") delete requests["tools/list"];
  const silent = { "ping-unanswered": "ping", "teardown-unanswered": "ui/resource-teardown" };

  const notifications: Record<string, (params: Message) => void> = {
    "ui/notifications/tool-input-partial": ({ arguments: args }) => {
      if (fault === "partial-crashes") show(args.text.toUpperCase());
      show(`part ${JSON.stringify(args)}`);
      if (fault === "acts-on-partial") void request("tools/call", { name: "x", arguments: args });
    },
    "ui/notifications/tool-input": ({ arguments: args }) => show(JSON.stringify(args)),
    "ui/notifications/tool-result": ({ content }) => show(content?.[0]?.text ?? ""),
    "ui/notifications/host-context-changed": applyContext,
  };

  const late = { ...notifications };
  if (fault === "listens-late") for (const name of Object.keys(late)) delete notifications[name];

  const takeRequest = ({ id, method, params }: Message): void => {
    if (silent[fault as keyof typeof silent] === method) return;
    const unknown =
      fault === "unknown-answered"
        ? { result: {} }
        : { error: { code: -32601, message: "Method not found" } };
    send({ id, ...(requests[method]?.(params ?? {}) ?? unknown) });
  };
  const takeNotification = ({ method, params = {} }: Message): void => {
    if (typeof params === "object" && params !== null) notifications[method]?.(params);
  };
  addEventListener("message", ({ source, data }) => {
    if (source !== parent) return;
    if (fault === "nonsense-crashes") data.jsonrpc.toString();
    if (data?.jsonrpc !== "2.0") return;
    if (typeof data.method !== "string") {
      waiting.get(data.id)?.(data);
      waiting.delete(data.id);
    } else if (data.id === undefined) takeNotification(data);
    else takeRequest(data);
  });

  const press = (id: string, action: () => void): void => {
    (document.getElementById(id) as HTMLButtonElement).onclick = () => {
      if (host || (fault === "calls-early" && id === "call")) action();
    };
  };
  const askMode = async (): Promise<void> => {
    const { result } = await request("ui/request-display-mode", { mode: "fullscreen" });
    if (fault === "mode-insists" && result?.mode !== "fullscreen") {
      setTimeout(() => void askMode(), 5);
    }
  };
  press("mode", () => {
    const isOffered = context.availableDisplayModes?.includes("fullscreen");
    if (isOffered || fault === "mode-unoffered") void askMode();
  });
  press("sample", () => {
    const { sampling } = host.hostCapabilities;
    if (!sampling && fault !== "samples-anywhere") return;
    const withTools = sampling?.tools || fault === "sampling-tools-anywhere";
    const message = { role: "user", content: { type: "text", text: "Hello" } };
    const params = { messages: [message], maxTokens: 10, ...(withTools && { tools: [] }) };
    void request("sampling/createMessage", params);
  });
  press("copy", () => {
    const position = new Promise((resolve, reject) =>
      navigator.geolocation.getCurrentPosition(resolve, (error) =>
        reject(new Error(error.message)),
      ),
    );
    if (fault !== "permission-assumed") position.catch(() => show("No position."));
  });
  press("tell", () => void request("ui/update-model-context", { content: [] }));
  press("close", () => send({ method: "ui/notifications/request-teardown" }));
  press("tools", () => send({ method: "notifications/tools/list_changed" }));
  press("call", () => void request("tools/call", { name: "x", arguments: {} }));

  const appCapabilities = {
    tools: { listChanged: fault !== "list-changed-undeclared" },
    availableDisplayModes: fault === "modes-undeclared" ? ["inline"] : ["inline", "fullscreen"],
  };
  const reportSize = (): void => {
    const { width, height } = document.documentElement.getBoundingClientRect();
    send({ method: "ui/notifications/size-changed", params: { width, height } });
  };
  void request("ui/initialize", {
    protocolVersion: "2026-01-26",
    appInfo: { name: "wire", version: "1.0.0" },
    ...(fault === "capabilities-elsewhere"
      ? { capabilities: appCapabilities }
      : { appCapabilities }),
  }).then(({ result }) => {
    host = result;
    applyContext(result.hostContext);
    if (fault === "no-initialized") return;
    send({ method: "ui/notifications/initialized" });
    if (fault === "listens-late") setTimeout(() => Object.assign(notifications, late), 150);
    if (fault !== "size-unreported") new ResizeObserver(reportSize).observe(document.body);
  });
}
