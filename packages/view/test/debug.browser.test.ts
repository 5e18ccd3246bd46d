import { frameView } from "@vitrine/internal/framed-view";
import { type Channel, windowChannel } from "@vitrine/protocol";
import { expect, test, vi } from "vitest";
import pageScript from "./debug-page.ts?script";

test("the development build inspects the default connection of a framed View", async () => {
  const view = frameView([pageScript], "opaque");
  const channel: Channel = windowChannel(view.window);
  const logged: string[] = [];
  channel.onmessage = ({ id, method, params }) => {
    if (method === "notifications/message") logged.push(params.data);
    if (method !== "ui/initialize") return;
    const hostInfo = { name: "raw", version: "1" };
    const result = { protocolVersion: "2026-01-26", hostInfo, hostCapabilities: { tools: {} } };
    channel.send({ jsonrpc: "2.0", id, result });
  };
  channel.start?.();
  await view.load();
  await vi.waitFor(() => expect(logged).toHaveLength(1));
  expect(logged[0]).toContain('"hostCapabilities.tools" for "hostCapabilities.serverTools"');
  channel.close();
  view.remove();
});
