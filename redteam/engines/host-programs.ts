import type { OfficialHost } from "../../packages/sandbox/test/relay/pages/official-host.ts";
import type { EnginePage } from "./engine.ts";
import { watch } from "./patience.ts";

declare global {
  interface Window {
    /** Parameters of `tools/call` as the host's program received them. */
    toolCalls?: unknown[];
  }
}

/** In the host page: answers the waiting `ui/initialize` and then does what a host does. */
export function serveTools({ id, input, content }: Record<"id" | "input" | "content", unknown>) {
  const port = window.redteam.ports.view;
  const calls: unknown[] = [];
  window.toolCalls = calls;
  const send = (message: object) => port?.postMessage({ msg: { jsonrpc: "2.0", ...message } });
  port?.addEventListener("message", ({ data: { text } }) => {
    const msg = text && JSON.parse(text);
    if (msg?.method === "ui/notifications/initialized") {
      send({ method: "ui/notifications/tool-input", params: { arguments: input } });
      send({ method: "ui/notifications/tool-result", params: { content } });
    }
    if (msg?.method !== "tools/call") return;
    calls.push({ name: msg.params.name, arguments: msg.params.arguments });
    send({ id: msg.id, result: { content: [{ type: "text", text: "echo" }] } });
  });
  send({
    id,
    result: {
      protocolVersion: "2026-01-26",
      hostInfo: { name: "engines", version: "1.0.0" },
      hostCapabilities: { serverTools: {}, logging: {} },
      hostContext: {},
    },
  });
}

export function hostCalls(): unknown[] {
  return window.toolCalls ?? [];
}

/** In the official host's page: embeds a view through the entrance. */
export function openBridge({ proxy, html }: { proxy: string; html: string }): void {
  void window.official.embed(proxy, "2.0.4", html);
}

/** What the official host knows once the view has written its log. */
export async function logsOf(
  page: EnginePage,
): Promise<Pick<OfficialHost, "initialized" | "calls" | "logs">> {
  const read = () =>
    page.evaluate(() => {
      const { initialized, calls, logs } = window.official;
      return { initialized, calls, logs };
    }, null);
  return watch(read, ({ logs }) => logs.length > 0);
}
